// SPDX-License-Identifier: Apache-2.0
// Machine code of files read back: functions, loops, what they do.
#include "core/backend/listing/machine_code.h"

#include "core/backend/backend.h"
#include "core/backend/edited_code.h"

#include <QtTest>

#include <algorithm>
#include <random>

using namespace nestwright;
using backend::Disassembly;
using backend::LoopCode;

namespace {

target::Target zen()
{
    target::Target target;
    target.mtriple = "x86_64-linux-gnu";
    target.mcpu = "znver4";
    return target;
}

target::Target arm()
{
    target::Target target;
    target.mtriple = "aarch64-linux-gnu";
    target.mcpu = "neoverse-n1";
    return target;
}

std::string assembled(const std::string &text, const target::Target &target)
{
    const backend::TextUnit unit{.code = {backend::SourceKind::Asm, text, "peer.s", true},
                                 .target = target,
                                 .allowsFastMath = false,
                                 .entries = {}};
    auto artifact = backend::compileText(unit);
    if (!artifact)
        qFatal("%s", artifact.error().message.c_str());
    return artifact->bytes;
}

Disassembly disassembled(const std::string &text, const target::Target &target, const std::string &name = {})
{
    const auto code = backend::functionsIn(assembled(text, target), "peer.o", name, target);
    if (!code)
        qFatal("%s", code.error().message.c_str());
    auto read = backend::disassemble(*code, target);
    if (!read)
        qFatal("%s", read.error().message.c_str());
    return *std::move(read);
}

/// Two loops: the inner one multiplies and adds, the outer one puts a register aside and fetches it.
constexpr const char *product = R"(
    .text
    .globl product
    .type product, @function
product:
    xorl %eax, %eax
.outer:
    movq %rdi, -8(%rsp)
    movq %rdx, 16(%rsp)
    xorl %ecx, %ecx
.inner:
    vmovups (%rsi,%rcx,4), %ymm0
    vbroadcastss (%rdi,%rcx,4), %ymm1
    vfmadd231ps %ymm0, %ymm1, %ymm2
    vfmadd231ps 32(%rsi,%rcx,4), %ymm1, %ymm3
    addq $16, %rcx
    cmpq %rdx, %rcx
    jb .inner
    movq 16(%rsp), %rdx
    incq %rax
    cmpq %r8, %rax
    jb .outer
    ret
    .size product, .-product
)";

} // namespace

class MachineCodeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        if (!backend::isBuilt(backend::sourceFormat(backend::SourceKind::Asm)))
            QSKIP("this program was built without LLVM");
    }

    void loopsOfX86()
    {
        const Disassembly code = disassembled(product, zen());
        QCOMPARE(code.loops.size(), 2U);
        const LoopCode &outer = code.loops[0], &inner = code.loops[1];
        QVERIFY(!outer.isInnermost && inner.isInnermost);
        QCOMPARE(inner.parent, 0);
        QCOMPARE(inner.function, std::string("product"));
        QCOMPARE(inner.counts.all, 7);
        QCOMPARE(inner.counts.packed, 2);
        QCOMPARE(inner.counts.multiplyAddInstructions, 2);
        QCOMPARE(inner.counts.multiplyAdds, 16.0);
        QCOMPARE(inner.counts.flops, 32.0);
        QCOMPARE(inner.counts.loads, 3);
        QCOMPARE(inner.counts.stores, 0);
        QCOMPARE(inner.counts.branches, 1);
        QCOMPARE(inner.vectorBits, 256);
        QVERIFY(inner.time && inner.time->cycles >= 1);
        QVERIFY(!outer.time);
        // -8(%rsp) is written and never read again.
        QCOMPARE(outer.counts.spills, 1);
        QCOMPARE(outer.counts.reloads, 1);
        QCOMPARE(backend::hottestLoop(code), 1);
    }

    /// Lines of a loop are those of its spans, and branches name labels.
    void listing()
    {
        const Disassembly code = disassembled(product, zen());
        QVERIFY(code.text.starts_with("product:\n"));
        QCOMPARE(code.labels, (std::vector<std::string>{"L1", "L2"}));
        QVERIFY2(code.text.contains("\n.L2:\n\tvmovups\t(%rsi,%rcx,4), %ymm0\n"), code.text.c_str());
        QVERIFY2(code.text.contains("\tjb\t.L2\n"), code.text.c_str());
        std::vector<std::string> lines;
        for (const QString &line : QString::fromStdString(code.text).split(u'\n'))
            lines.push_back(line.toStdString());
        QCOMPARE(lines.at(static_cast<std::size_t>(code.loops[1].firstLine)),
                 std::string("\tvmovups\t(%rsi,%rcx,4), %ymm0"));
        QCOMPARE(lines.at(static_cast<std::size_t>(code.loops[1].lastLine)), std::string("\tjb\t.L2"));
        const auto span = std::ranges::find(code.spans, support::StmtId{2}, &script::LineSpan::stmt);
        QVERIFY(span != code.spans.end());
        QCOMPARE(span->lastLine, code.loops[1].lastLine);
        QCOMPARE(code.loops[1].loop, support::StmtId{2});
    }

    void loopsOfArm()
    {
        const Disassembly code = disassembled(R"(
    .globl axpy
    .type axpy, %function
axpy:
    str x3, [sp, #16]
.Lagain:
    ldr q0, [x0], #16
    ldr q1, [x1]
    fmla v1.4s, v0.4s, v2.s[0]
    str q1, [x1], #16
    subs x2, x2, #4
    b.ne .Lagain
    ldr x3, [sp, #16]
    ret
)",
                                              arm());
        QCOMPARE(code.loops.size(), 1U);
        const LoopCode &loop = code.loops[0];
        QCOMPARE(loop.counts.all, 6);
        QCOMPARE(loop.counts.loads, 2);
        QCOMPARE(loop.counts.stores, 1);
        QCOMPARE(loop.counts.multiplyAdds, 4.0);
        QCOMPARE(loop.counts.spills, 0);
        QVERIFY(loop.time);
        QVERIFY2(code.text.contains("\tb.ne\t.L1\n"), code.text.c_str());
    }

    /// Where the processor was found says which loop is the hot one.
    void samples()
    {
        auto code = backend::functionsIn(assembled(product, zen()), "peer.o", "product", zen()).value();
        const std::uint64_t begin = code.functions[0].address;
        code.samples = {{begin, 5}, {begin + 2, 7}};
        const auto read = backend::disassemble(code, zen());
        QVERIFY(read);
        QCOMPARE(read->allSamples, 12);
        QCOMPARE(read->samples, (std::vector<int>{7, 0}));
        QCOMPARE(backend::hottestLoop(*read), 0);
    }

    /// Of loops that do the same the first is taken; a program without loops has no hot one.
    void loopsAlike()
    {
        const Disassembly code = disassembled(R"(
    .globl twice
    .type twice, @function
twice:
.first:
    vaddps (%rdi), %ymm0, %ymm0
    decq %rsi
    jne .first
.second:
    vaddps (%rdi), %ymm0, %ymm0
    decq %rdx
    jne .second
    ret
)",
                                              zen());
        QCOMPARE(code.loops.size(), 2U);
        QCOMPARE(backend::hottestLoop(code), 0);
        QCOMPARE(backend::hottestLoop({}), -1);
    }

    void functionsAndTheirParts()
    {
        const std::string object = assembled(R"(
    .globl one
    .globl two
    .type one, @function
    .type two, @function
    .type one._omp_fn.0, @function
one:
    ret
one._omp_fn.0:
    decl %eax
    jne one._omp_fn.0
    ret
two:
    ret
    ret
)",
                                             zen());
        QCOMPARE(backend::functionNames(object, "peer.o", zen()).value(),
                 (std::vector<std::string>{"one", "two"}));
        const auto several = backend::functionsIn(object, "peer.o", {}, zen());
        QCOMPARE(several.error().code, std::string("code.function"));
        QCOMPARE(several.error().hint, std::string("write peer.o:FUNCTION with one of them: one, two"));
        const auto one = backend::functionsIn(object, "peer.o", "one", zen());
        QCOMPARE(one->functions.size(), 2U);
        QCOMPARE(one->functions[1].name, std::string("one._omp_fn.0"));
        QCOMPARE(one->functions[0].bytes.size(), 1U); // to where the next begins
        QCOMPARE(backend::disassemble(*one, zen())->loops.size(), 1U);
        QCOMPARE(backend::functionsIn(object, "peer.o", "two", zen())->functions[0].bytes.size(), 2U);
        const auto none = backend::functionsIn(object, "peer.o", "three", zen());
        QCOMPARE(none.error().message, std::string("'peer.o' has no function 'three'"));
        QCOMPARE(none.error().hint, std::string("it has one, two"));
    }

    void otherFiles()
    {
        const std::string object = assembled(product, zen());
        const auto other = backend::functionsIn(object, "peer.o", {}, arm());
        QCOMPARE(other.error().code, std::string("code.processor"));
        QCOMPARE(other.error().hint, std::string("choose the target 'llvm -mtriple=x86_64-linux-gnu'"));
        std::string riscV = object;
        riscV[18] = static_cast<char>(243); // e_machine
        QCOMPARE(backend::functionsIn(riscV, "peer.o", {}, zen()).error().code,
                 std::string("code.processor"));
        for (const std::string &text : {std::string(), std::string("int f;"),
                                        std::string("\x7f"
                                                    "ELF")})
            QCOMPARE(backend::functionsIn(text, "peer.o", {}, zen()).error().code, std::string("code.file"));
    }

    /// A damaged file gives functions or an error.
    void damagedFiles()
    {
        const std::string object = assembled(product, zen());
        std::mt19937 random(7);
        for (int round = 0; round < 300; ++round) {
            std::string damaged = object;
            for (int i = 0; i < 3; ++i)
                damaged[random() % damaged.size()] = static_cast<char>(random());
            if (round % 3 == 0)
                damaged.resize(random() % damaged.size());
            const auto code = backend::functionsIn(damaged, "peer.o", {}, zen());
            if (code)
                QVERIFY(backend::disassemble(*code, zen()).has_value());
            else
                QVERIFY(!code.error().message.empty());
        }
    }

    /// Bytes that are no instructions stand in the listing as bytes.
    void bytesOfNoInstruction()
    {
        std::mt19937 random(11);
        for (const target::Target &target : {zen(), arm()}) {
            for (int round = 0; round < 50; ++round) {
                backend::FunctionBytes function{"noise", 4096};
                for (int i = 0; i < 400; ++i)
                    function.bytes += static_cast<char>(random());
                const auto code = backend::disassemble({{function}, {}}, target);
                QVERIFY(code);
                QVERIFY(code->text.contains(".byte"));
                QCOMPARE(code->labels.size(), code->loops.size());
            }
        }
    }

    void tooLong()
    {
        const backend::FunctionBytes function{"nops", 0, std::string(300'000, '\x90')};
        QCOMPARE(backend::disassemble({{function}, {}}, zen()).error().code, std::string("code.too-large"));
    }
};

QTEST_GUILESS_MAIN(MachineCodeTest)
#include "machine_code_test.moc"
