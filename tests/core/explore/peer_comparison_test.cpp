// SPDX-License-Identifier: Apache-2.0
// A variant beside the code of others: loops by their roles, the sentence.
#include "core/explore/compare/peer_comparison.h"

#include "core/backend/backend.h"
#include "core/backend/edited_code.h"
#include "tests/core/explore/named_schedules.h"

#include <QtTest>

#include <algorithm>

using namespace nestwright;
using explore::LoopRole;
using tests::NamedStep;

namespace {

target::Target haswellMachine()
{
    target::Target target;
    target.mtriple = "x86_64-linux-gnu";
    target.mcpu = "haswell";
    return target;
}

explore::Side variantOf(const std::vector<NamedStep> &steps)
{
    tests::NamedVariant variant(schedule::makeState(tests::program("matmul")).value());
    for (const NamedStep &step : steps) {
        if (!variant.take(step))
            qFatal("%s is not legal", step.primitive.c_str());
    }
    return {"mine", variant.path()};
}

measure::PeerCode peerOf(const char *text, std::map<std::uint64_t, int> samples = {})
{
    const backend::TextUnit unit{.code = {backend::SourceKind::Asm, text, "peer.s", true},
                                 .target = haswellMachine(),
                                 .allowsFastMath = false,
                                 .entries = {}};
    auto code = backend::functionsIn(backend::compileText(unit).value().bytes, "peer.o", {}, haswellMachine())
                    .value();
    code.samples = std::move(samples);
    return {"theirs", backend::disassemble(code, haswellMachine()).value()};
}

/// Packs a block, then multiplies, in two loops each.
constexpr const char *packed = R"(
    .globl kernel
kernel:
.rows:
    xorl %ecx, %ecx
.pack:
    movups (%rdi,%rcx), %xmm0
    movups %xmm0, (%rsi,%rcx)
    addq $16, %rcx
    jne .pack
    xorl %eax, %eax
.product:
    vbroadcastss (%rdi,%rax,4), %ymm1
    vfmadd231ps (%rsi,%rax), %ymm1, %ymm2
    vfmadd231ps 32(%rsi,%rax), %ymm1, %ymm3
    vfmadd231ps 64(%rsi,%rax), %ymm1, %ymm4
    addq $96, %rax
    jne .product
    decq %rdx
    jne .rows
    ret
)";

const std::vector<NamedStep> vectorized{
    {"reorder", {"i", "k", "j"}}, {"split", {"j"}, {8}}, {"vectorize", {"j.i"}}};

const explore::LoopPair *pairOfPeer(const explore::Comparison &comparison, std::uint32_t loop)
{
    const auto found = std::ranges::find(comparison.pairs, support::StmtId{loop}, &explore::LoopPair::second);
    return found == comparison.pairs.end() ? nullptr : &*found;
}

} // namespace

class PeerComparisonTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        if (!backend::isBuilt(backend::sourceFormat(backend::SourceKind::Asm)))
            QSKIP("this program was built without LLVM");
    }

    void roles()
    {
        const measure::PeerCode peer = peerOf(packed);
        QCOMPARE(peer.code.loops.size(), 3U);
        QCOMPARE(explore::roleOf(peer.code.loops[1]), LoopRole::Copies);
        QCOMPARE(explore::roleOf(peer.code.loops[2]), LoopRole::Products);
        const explore::VariantFacts facts = explore::factsOf(peer);
        QCOMPARE(facts.loops.size(), 3U);
        QCOMPARE(facts.loops[0].kind, std::string()); // functions are named where there are several
        QCOMPARE(facts.loops[1].kind, std::string("copies"));
        QCOMPARE(facts.loops[2].kind, std::string("multiply-adds"));
        QCOMPARE(facts.loops[2].depth, 1);
        QVERIFY(!facts.loops[2].share);
        QVERIFY(facts.hot && facts.hot->code && facts.hot->code->loop == support::StmtId{3});
    }

    void rolesOfCounts()
    {
        const auto roleOf = [](const backend::InstructionCounts &counts) {
            backend::LoopCode loop;
            loop.counts = counts;
            return explore::roleOf(loop);
        };
        QCOMPARE(roleOf({.packed = 1}), LoopRole::Arithmetic); // of integers
        QCOMPARE(roleOf({.scalar = 1, .flops = 1}), LoopRole::Arithmetic);
        QCOMPARE(roleOf({.loads = 2}), LoopRole::Other);
        QCOMPARE(roleOf({.stores = 2}), LoopRole::Other);
        QCOMPARE(roleOf({.loads = 1, .stores = 1}), LoopRole::Copies);
        QCOMPARE(roleOf({.loads = 1, .stores = 1, .multiplyAdds = 1, .flops = 2}), LoopRole::Products);
    }

    /// The outermost loops of code of several functions name theirs.
    void functions()
    {
        const explore::VariantFacts facts = explore::factsOf(peerOf(R"(
    .globl kernel
    .type kernel, @function
    .type kernel._omp_fn.0, @function
kernel:
.outer:
    movl $8, %ecx
.inner:
    vaddps (%rdi), %ymm0, %ymm0
    decl %ecx
    jne .inner
    decq %rsi
    jne .outer
    ret
kernel._omp_fn.0:
.first:
    vaddps (%rdi), %ymm0, %ymm0
    decq %rsi
    jne .first
    ret
)"));
        QCOMPARE(facts.loops.size(), 3U);
        QCOMPARE(facts.loops[0].kind, std::string("in kernel"));
        QCOMPARE(facts.loops[1].kind, std::string("arithmetic"));
        QCOMPARE(facts.loops[2].kind, std::string("arithmetic in kernel._omp_fn.0"));
    }

    /// How wide the numbers are that the hot loop computes with.
    void elementBytes_data()
    {
        QTest::addColumn<QString>("work");
        QTest::addColumn<int>("bytes");
        QTest::newRow("float") << "vfmadd231ps (%rsi), %ymm1, %ymm2" << 4;
        QTest::newRow("double") << "vfmadd231pd (%rsi), %ymm1, %ymm2" << 8;
        QTest::newRow("one at a time") << "vfmadd231ss (%rsi), %xmm1, %xmm2" << 4;
        QTest::newRow("one at a time beside vectors")
            << "vfmadd231ss (%rsi), %xmm1, %xmm2\n    vaddps %ymm3, %ymm4, %ymm4" << 4;
        QTest::newRow("no multiply-adds") << "vaddps (%rsi), %ymm1, %ymm1" << 4;
    }
    void elementBytes()
    {
        QFETCH(QString, work);
        QFETCH(int, bytes);
        const std::string text = "    .globl kernel\nkernel:\n.again:\n    " + work.toStdString()
                                 + "\n    decq %rdx\n    jne .again\n    ret\n";
        const explore::VariantFacts facts = explore::factsOf(peerOf(text.c_str()));
        QVERIFY(facts.hot);
        QCOMPARE(facts.hot->elementBytes, bytes);
    }

    /// Loops that copy are a pair beside that of the hot ones, and those that do nothing of note are none.
    void copiesWithCopies()
    {
        const std::string turned = R"(
@T.prim_func
def main(A: T.Buffer((64, 64)), B: T.Buffer((64, 64)), C: T.Buffer((64, 64))):
    D = T.alloc_buffer((64, 64))
    for i, j in T.grid(64, 64):
        with T.block("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = B[vj, vi]
    for i, j, k in T.grid(64, 64, 64):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * D[vj, vk]
)";
        const explore::StepPath path(schedule::makeState(tests::parsed(turned)).value());
        const auto comparison = explore::compareWithPeer({"mine", path}, peerOf(packed), haswellMachine());
        QVERIFY(comparison);
        const auto *copies = pairOfPeer(*comparison, 2), *hot = pairOfPeer(*comparison, 3);
        QVERIFY(copies && copies->first && hot && hot->first);
        QCOMPARE(copies->by, explore::PairedBy::Role);
        const explore::LoopView *own = comparison->first.loop(copies->first);
        QVERIFY(own && own->code);
        QCOMPARE(explore::roleOf(*own->code), LoopRole::Copies);
        QVERIFY(own->loop != hot->first);
        // The loop around that copies, too, is not what copies.
        const char *packedBefore = R"(
    .globl kernel
kernel:
.panels:
    movq (%r8), %r9
    movq %r9, (%r10)
    xorl %ecx, %ecx
.pack:
    movups (%rdi,%rcx), %xmm0
    movups %xmm0, (%rsi,%rcx)
    addq $16, %rcx
    jne .pack
    decq %rdx
    jne .panels
.product:
    vfmadd231ps (%rsi,%rax), %ymm1, %ymm2
    addq $32, %rax
    jne .product
    ret
)";
        const auto before = explore::compareWithPeer({"mine", path}, peerOf(packedBefore), haswellMachine());
        QVERIFY(before && pairOfPeer(*before, 1) && !pairOfPeer(*before, 1)->first);
        QVERIFY(pairOfPeer(*before, 2) && pairOfPeer(*before, 2)->first == copies->first);
    }

    /// The hot loops are a pair, and those around them; the copies have none of ours beside them.
    void hotWithHot()
    {
        const auto comparison =
            explore::compareWithPeer(variantOf(vectorized), peerOf(packed), haswellMachine());
        QVERIFY(comparison);
        const auto *hot = pairOfPeer(*comparison, 3), *around = pairOfPeer(*comparison, 1),
                   *copies = pairOfPeer(*comparison, 2);
        QVERIFY(hot && around && copies);
        QCOMPARE(hot->by, explore::PairedBy::Role);
        const explore::LoopView *own = comparison->first.loop(hot->first);
        QVERIFY(own && own->code && own->code->counts.multiplyAdds > 0);
        const explore::LoopView *outer = comparison->first.loop(around->first);
        QVERIFY(outer && outer->depth < own->depth);
        QVERIFY(!copies->first);
        // Each loop stands there once.
        QCOMPARE(std::ranges::count_if(comparison->pairs, [](const auto &each) { return bool(each.second); }),
                 3);
        QCOMPARE(std::ranges::count_if(comparison->pairs, [](const auto &each) { return bool(each.first); }),
                 static_cast<std::ptrdiff_t>(comparison->first.loops.size()));
    }

    void sentence()
    {
        const auto comparison =
            explore::compareWithPeer(variantOf(vectorized), peerOf(packed), haswellMachine());
        QVERIFY2(comparison->sentence.starts_with(
                     "the inner loop of 'theirs' does 3 multiply-adds of 256 bits with 4 loads in "),
                 comparison->sentence.c_str());
        QVERIFY2(comparison->sentence.contains("; that of 'mine' "), comparison->sentence.c_str());
        const auto scalar = explore::compareWithPeer(variantOf({}), peerOf(packed), haswellMachine());
        QVERIFY2(scalar->reason.contains("8 numbers at a time in 'theirs', one in 'mine'"),
                 scalar->reason.c_str());
        const auto none =
            explore::compareWithPeer(variantOf({}), peerOf(".globl f\nf:\n ret\n"), haswellMachine());
        QCOMPARE(none->sentence, std::string("'theirs' has no loop"));
        const auto workOf = [](const std::string &instruction) {
            const std::string text =
                ".globl f\nf:\n.again:\n " + instruction + "\n decq %rdx\n jne .again\n ret\n";
            const auto other =
                explore::compareWithPeer(variantOf({}), peerOf(text.c_str()), haswellMachine());
            return QString::fromStdString(other->sentence).section(" in ", 0, 0).section("does ", 1);
        };
        QCOMPARE(workOf("vaddss %xmm1, %xmm0, %xmm0"), QString("1 operation with no loads"));
        QCOMPARE(workOf("vaddps (%rsi), %ymm0, %ymm0"), QString("1 operation of 256 bits with 1 load"));
        QCOMPARE(workOf("incq %rax"), QString("no operations with no loads"));
        QVERIFY(!none->pairs.empty());
    }

    /// Loops in which the processor never was are left out; the others have their shares.
    void sampledCode()
    {
        const measure::PeerCode whole = peerOf(packed);
        // In the loop of products, and at the end of that around it.
        const measure::PeerCode peer = peerOf(packed, {{0x20, 3}, {0x32, 1}});
        const explore::VariantFacts facts = explore::factsOf(peer);
        QVERIFY(facts.loops.size() < whole.code.loops.size());
        QVERIFY(facts.loops.front().share && *facts.loops.front().share > 0.99); // all is within the rows
        QCOMPARE(facts.loops.back().kind, std::string("multiply-adds"));
    }

    void times()
    {
        measure::PeerCode peer = peerOf(packed);
        peer.time = measure::PeerTime{"theirs", {1e-3, 2e-3, 3e-3}, 1e6, 0, false};
        const auto comparison = explore::compareWithPeer(variantOf({}), peer, haswellMachine());
        QVERIFY(!comparison->seconds.first);
        QCOMPARE(comparison->seconds.second, std::optional(2e-3));
    }
};

QTEST_GUILESS_MAIN(PeerComparisonTest)
#include "peer_comparison_test.moc"
