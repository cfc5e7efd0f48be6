// SPDX-License-Identifier: Apache-2.0
// Sources for people: clean text, lines linked to statements, and targets that have none.
#include "core/backend/backend.h"
#include "core/backend/tool_version.h"
#include "core/ir/build/walk.h"
#include "core/lower/pipeline.h"
#include "tests/core/backend/scheduled_matmul.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <algorithm>
#include <format>
#include <set>

using namespace nestwright;
using namespace nestwright::tests;
using backend::SourceKind;

namespace {

std::vector<std::string> linesOf(const std::string &text)
{
    std::vector<std::string> lines;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        lines.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return lines;
}

/// Ids of loops by the name of their variable, and of blocks by theirs.
ir::StmtId idOf(const ir::Module &module, const std::string &name)
{
    ir::StmtId id;
    ir::forEachStmt(module.mainEntry()->function->body, [&](const ir::Stmt &s) {
        if (const auto *loop = s.as<ir::For>(); loop && loop->var.name() == name)
            id = loop->id;
        if (const auto *block = s.as<ir::Block>(); block && block->name == name)
            id = block->id;
        return true;
    });
    return id;
}

bool anyLineOf(const backend::Source &source, ir::StmtId stmt, const std::string &part)
{
    const std::vector<std::string> lines = linesOf(source.text);
    for (const script::LineSpan &span : source.spans) {
        for (int line = span.firstLine; span.stmt == stmt && line <= span.lastLine; ++line) {
            if (lines.at(static_cast<std::size_t>(line)).contains(part))
                return true;
        }
    }
    return false;
}

} // namespace

class SourceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Parameters that may share memory are not marked as restrict; the others still are.
    void sharedMemoryIsNotPromisedApart()
    {
        const ir::Module module = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((1024,), "float32"), V: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32")):
    T.func_attr({"nestwright.shared_memory": [0, 2]})
    for i in T.parallel(1024):
        with T.block("B"):
            v = T.axis.spatial(1024, i)
            B[v] = A[v] + V[v]
)");
        const auto count = [](const std::string &line, const char *word) {
            return QString::fromStdString(line).count(QString::fromLatin1(word));
        };
        const auto c = backend::source(module, targetOf(SourceKind::C), SourceKind::C);
        const auto ir = backend::source(module, targetOf(SourceKind::LlvmIr), SourceKind::LlvmIr);
        QVERIFY(c && ir);
        QVERIFY2(c->text.contains("main_kernel(const float *A, const float *restrict V, float *B)"),
                 c->text.c_str());
        int functions = 0;
        for (const std::string &line : linesOf(ir->text)) {
            if (!line.starts_with("define") || !line.contains("%V"))
                continue;
            ++functions;
            QVERIFY2(count(line, "noalias") == 1, line.c_str());
        }
        QVERIFY(functions >= 1);
    }

    void linesBelongToTheirStatements()
    {
        const ir::Module module = scheduledMatmul();
        const auto lines = [&](SourceKind kind) {
            auto source = backend::source(module, targetOf(kind), kind);
            if (!source)
                qFatal("%s", source.error().render().c_str());
            return *source;
        };
        const ir::StmtId block = idOf(module, "C"), inner = idOf(module, "i_1"), outer = idOf(module, "i_0");
        QVERIFY(block && inner && outer);
        const backend::Source assembly = lines(SourceKind::Asm);
        QVERIFY(anyLineOf(assembly, block, "vfmadd") || anyLineOf(assembly, block, "mul"));
        QVERIFY(anyLineOf(assembly, inner, "j") || anyLineOf(assembly, inner, "cmp"));
        QVERIFY(anyLineOf(assembly, outer, "nestwright_parallel_for"));
        const backend::Source ir = lines(SourceKind::LlvmIr);
        QVERIFY(anyLineOf(ir, block, "fmul"));
        QVERIFY(anyLineOf(ir, inner, "icmp"));
        const backend::Source before = lines(SourceKind::UnoptimizedLlvmIr);
        QVERIFY(anyLineOf(before, block, "fmul"));
        QVERIFY(anyLineOf(before, inner, "icmp"));
        const backend::Source lowered = lines(SourceKind::Lowered);
        QVERIFY(anyLineOf(lowered, block, "T.Broadcast("));
        QVERIFY(anyLineOf(lowered, inner, "i_1"));
        QVERIFY(anyLineOf(lowered, outer, "T.parallel(4)"));
        const backend::Source c = lines(SourceKind::C);
        QVERIFY(anyLineOf(c, block, "C_") || anyLineOf(c, block, "C["));
        QVERIFY(anyLineOf(c, inner, "for (int64_t i_1"));
        QVERIFY(anyLineOf(c, outer, "#pragma omp parallel for"));
    }

    /// A loop that is to stay one is so for the compiler behind, too.
    void loopsThatStay()
    {
        for (const auto &[target, outer, kind, wish] :
             {std::tuple{"c", "range(2)", SourceKind::C, "#pragma GCC unroll 1"},
              std::tuple{"opencl", "T.thread_binding(2, thread=\"blockIdx.x\")", SourceKind::OpenCl,
                         "#pragma unroll 1"}}) {
            for (const int most : {0, 1}) {
                const ir::Module module = parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((2, 4), "float32"), B: T.Buffer((2, 4), "float32")):
    for i in {}:
        for j in T.serial(4, annotations={{"pragma_auto_unroll_max_step": {}}}):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] + T.float32(1)
)",
                                                             outer, most));
                const auto source = backend::source(module, target::parseTarget(target).value(), kind);
                QVERIFY2(source, source ? "" : source.error().render().c_str());
                QCOMPARE(source->text.contains(wish), most == 0);
            }
        }
    }

    void spansLieWithinTheText()
    {
        for (const SourceKind kind : {SourceKind::Lowered, SourceKind::Asm, SourceKind::IntelAsm,
                                      SourceKind::UnoptimizedLlvmIr, SourceKind::LlvmIr, SourceKind::C}) {
            for (const tests::Program &program : tests::programs()) {
                const ir::Module module = tests::program(program.name);
                const auto source = backend::source(module, targetOf(kind), kind);
                QVERIFY2(source, source ? "" : source.error().render().c_str());
                std::set<ir::StmtId> known;
                ir::forEachStmt(module.mainEntry()->function->body, [&](const ir::Stmt &s) {
                    if (const auto *loop = s.as<ir::For>())
                        known.insert(loop->id);
                    if (const auto *block = s.as<ir::Block>())
                        known.insert(block->id);
                    return true;
                });
                const int count = static_cast<int>(linesOf(source->text).size());
                for (const script::LineSpan &span : source->spans) {
                    QVERIFY(0 <= span.firstLine && span.firstLine <= span.lastLine && span.lastLine < count);
                    QVERIFY(program.name == "lowered" || known.contains(span.stmt));
                }
            }
        }
    }

    /// The module that the backends start from is a program of its own, that of `nestc lower`.
    void theLoweredModuleCanBeRead()
    {
        const ir::Module module = scheduledMatmul();
        for (const char *target : {"llvm", "c", "cuda"}) {
            const auto source = backend::source(module, *target::parseTarget(target), SourceKind::Lowered);
            QVERIFY2(source, target);
            const auto lowered = lower::lower(module, *target::parseTarget(target));
            QVERIFY(lowered);
            QCOMPARE(script::print(tests::parsed(source->text)).text, script::print(lowered->module).text);
        }
    }

    void llvmIrBeforeAndAfterLlvmsPasses()
    {
        const auto before = backend::source(scheduledMatmul(), {}, SourceKind::UnoptimizedLlvmIr);
        const auto after = backend::source(scheduledMatmul(), {}, SourceKind::LlvmIr);
        QVERIFY(before && after);
        QVERIFY(before->text.contains("alloca i")); // of variables, which the passes keep in registers
        QVERIFY(!after->text.contains("alloca i64"));
        QVERIFY(before->text != after->text);
    }

    /// The same instructions in the syntax that was asked for, whichever came before.
    void assemblyInBothSyntaxes()
    {
        const ir::Module module = scheduledMatmul();
        for (int round = 0; round < 2; ++round) {
            const auto intel = backend::source(module, {}, SourceKind::IntelAsm);
            const auto att = backend::source(module, {}, SourceKind::Asm);
            QVERIFY(intel && att);
            QVERIFY(intel->text.contains(".intel_syntax noprefix"));
            QVERIFY(!intel->text.contains('%'));
            QVERIFY(!att->text.contains(".intel_syntax"));
            QVERIFY(att->text.contains("%rdi"));
            QCOMPARE(intel->spans.size(), att->spans.size());
        }
        const target::Target arm = *target::parseTarget("llvm -mtriple=aarch64-linux-gnu");
        QCOMPARE(backend::source(module, arm, SourceKind::IntelAsm)->text,
                 backend::source(module, arm, SourceKind::Asm)->text);
    }

    void textIsWithoutNoise()
    {
        const auto assembly = backend::source(scheduledMatmul(), {}, SourceKind::Asm);
        for (const char *noise : {".loc", ".cfi", ".file", ".ident", ".Ltmp", ".Lfunc"})
            QVERIFY2(!assembly->text.contains(noise), noise);
        const auto ir = backend::source(scheduledMatmul(), {}, SourceKind::LlvmIr);
        for (const char *noise : {"!dbg", "!DILocation", "attributes #", "source_filename"})
            QVERIFY2(!ir->text.contains(noise), noise);
    }

    void otherProcessors()
    {
        for (const char *text : {"llvm -mcpu=haswell", "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72"}) {
            const auto source =
                backend::source(scheduledMatmul(), *target::parseTarget(text), SourceKind::Asm);
            QVERIFY2(source, text);
            QVERIFY(!source->text.contains("zmm"));
            QVERIFY(!source->spans.empty());
        }
        for (const char *text : {"llvm -mcpu=abacus", "llvm -mtriple=nowhere", "llvm -mattr=+beads"}) {
            const auto source =
                backend::source(scheduledMatmul(), *target::parseTarget(text), SourceKind::Asm);
            QVERIFY(!source);
            QCOMPARE(QString::fromStdString(source.error().code), "target.option");
        }
    }

    /// A faulty target is refused before any code is made for it.
    void targetsAreCheckedFirst()
    {
        const auto checked = [](const char *text) {
            return backend::checkTarget(*target::parseTarget(text));
        };
        for (const char *text : {"llvm", "llvm -mcpu=haswell", "llvm -mattr=+avx2,-fma", "c"})
            QVERIFY2(checked(text), text);
        for (const char *text : {"llvm -mcpu=abacus", "llvm -mtriple=nowhere", "llvm -mattr=+beads"}) {
            const auto refused = checked(text);
            QVERIFY(!refused);
            QCOMPARE(QString::fromStdString(refused.error().code), "target.option");
        }
        const auto misspelt = checked("llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx521");
        QVERIFY(!misspelt);
        QCOMPARE(QString::fromStdString(misspelt.error().hint), "perhaps -mcpu=skylake-avx512");
        const auto missing = checked("opencl");
        QVERIFY(backend::isBuilt(target::TargetKind::OpenCl) == missing.has_value());
    }

    void sourcesOfAnotherTargetAreRefused()
    {
        const auto source = backend::source(scheduledMatmul(), targetOf(SourceKind::C), SourceKind::Asm);
        QVERIFY(!source);
        QCOMPARE(QString::fromStdString(source.error().code), "backend.unsupported");
    }

    /// The one that is named so, or the only one.
    void theMainEntry()
    {
        backend::Artifact artifact;
        QVERIFY(!artifact.mainEntry());
        artifact.entries = {{"first", "first", {}}};
        QCOMPARE(artifact.mainEntry(), &artifact.entries[0]);
        artifact.entries.push_back({"second", "second", {}});
        QVERIFY(!artifact.mainEntry());
        artifact.entries.push_back({"main", "main_kernel", {}});
        QCOMPARE(artifact.mainEntry(), &artifact.entries[2]);
    }

    /// Vectors that LLVM makes by itself store rows; those of the program are stored as it says.
    void onlyVectorsOfTheProgramScatter()
    {
        const auto scatters = [](const char *inner) {
            const ir::Module module = tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((256, 256), "float32"), B: T.Buffer((256, 256), "float32")):
    for i0, j0, i1 in T.grid(16, 16, 16):
        for j1 in {}(16):
            with T.block("B"):
                vi = T.axis.spatial(256, i0 * 16 + i1)
                vj = T.axis.spatial(256, j0 * 16 + j1)
                B[vj, vi] = A[vi, vj]
)",
                                                                inner));
            const auto target = target::parseTarget("llvm -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids");
            const auto source = backend::source(module, *target, SourceKind::Asm);
            return source && source->text.contains("vscatter");
        };
        QVERIFY(!scatters("range"));
        QVERIFY(scatters("T.vectorized"));
    }

    void toolsNameTheirVersions()
    {
        QVERIFY(backend::toolVersion(target::TargetKind::Llvm).contains("."));
        QVERIFY(backend::toolVersion(target::TargetKind::C).contains("."));
        const std::string nvrtc = backend::toolVersion(target::TargetKind::Cuda);
        QVERIFY2(nvrtc.empty() || nvrtc.starts_with("NVRTC "), nvrtc.c_str());
    }
};

QTEST_GUILESS_MAIN(SourceTest)
#include "source_test.moc"
