// SPDX-License-Identifier: Apache-2.0
// Sources for people: clean text, lines linked to statements; the C file and the exports compile alone.
#include "core/backend/backend.h"
#include "core/backend/link/compiler.h"
#include "core/backend/link/export.h"
#include "core/backend/tool_version.h"
#include "core/ir/build/walk.h"
#include "core/lower/pipeline.h"
#include "core/schedule/script/reader.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <algorithm>
#include <cstdlib>
#include <format>
#include <set>

using namespace nestwright;
using backend::SourceKind;

namespace {

ir::Module scheduledMatmul()
{
    const auto state = schedule::makeState(tests::program("matmul"));
    const auto run = schedule::runScheduleScript(*state, R"(
def apply_trace(sch):
  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  io, ii = sch.split(i, [None, 32])
  jo, ji = sch.split(j, [None, 32])
  ko, ki = sch.split(k, [None, 4])
  sch.reorder(io, jo, ko, ii, ki, ji)
  sch.vectorize(ji)
  sch.parallel(io)
  sch.unroll(ki)
)",
                                                 "s.py");
    if (!run)
        qFatal("%s", run.error().render().c_str());
    return run->state.module;
}

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

target::Target targetOf(SourceKind kind) { return backend::targetOf(backend::sourceFormat(kind), {}); }

/// Compiles `text` with the warnings of `-Wall` made errors; the compiler's words when that fails.
std::string whyNotClean(const std::string &text, const std::vector<std::string> &extra)
{
    const backend::TemporaryFolder folder;
    const auto file = folder.path() / "kernel.c";
    backend::writeFile(file, text);
    std::vector<std::string> arguments{
        "-std=c11", "-O2", "-Wall",       "-Wextra", "-Wpedantic",
        "-Werror",  "-c",  file.string(), "-o",      (folder.path() / "kernel.o").string()};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    const auto ran = backend::runCompiler(arguments, {});
    return ran ? "" : ran.error().message + text;
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

    void cCompilesAloneWithoutWarnings_data()
    {
        QTest::addColumn<QString>("compiler");
        QTest::addColumn<QString>("name");
        for (const char *compiler : {"gcc", "clang", "clang-19"}) {
            if (QStandardPaths::findExecutable(compiler).isEmpty())
                continue;
            for (const tests::Program &program : tests::programs())
                QTest::addRow("%s %s", compiler, std::string(program.name).c_str())
                    << compiler << QString::fromUtf8(program.name);
        }
    }
    void cCompilesAloneWithoutWarnings()
    {
        QFETCH(QString, compiler);
        QFETCH(QString, name);
        const auto source =
            backend::source(tests::program(name.toStdString()), targetOf(SourceKind::C), SourceKind::C);
        QVERIFY(source);
        qputenv("CC", compiler.toUtf8());
        const std::string serial = whyNotClean(source->text, {});
        const std::string parallel = compiler == "gcc" ? whyNotClean(source->text, {"-fopenmp"}) : "";
        qunsetenv("CC");
        QVERIFY2(serial.empty(), serial.c_str());
        QVERIFY2(parallel.empty(), parallel.c_str());
    }

    void aMissingCompilerIsNamed()
    {
        qputenv("CC", "no-such-compiler");
        const auto artifact = backend::compile(tests::program("row_sum"), targetOf(SourceKind::C));
        qunsetenv("CC");
        QVERIFY(!artifact);
        QCOMPARE(QString::fromStdString(artifact.error().code), "backend.no-compiler");
        QVERIFY(QString::fromStdString(artifact.error().message).contains("no-such-compiler"));
        QVERIFY(!artifact.error().hint.empty());
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

    /// The kernel, called from a program of its own that knows nothing but the exported files.
    void exportsWorkAlone_data()
    {
        QTest::addColumn<QString>("format");
        for (const char *format : {"object", "shared", "asm", "asm-intel", "c"})
            QTest::newRow(format) << format;
    }
    void exportsWorkAlone()
    {
        QFETCH(QString, format);
        const auto files = backend::exportKernel(scheduledMatmul(), {}, format.toStdString(), "matmul");
        QVERIFY2(files, files ? "" : files.error().render().c_str());
        const backend::TemporaryFolder folder;
        std::vector<std::string> arguments{"-std=c11",
                                           "-O1",
                                           "-Wall",
                                           "-Werror",
                                           "-DHEADER=\"matmul.h\"",
                                           "-o",
                                           (folder.path() / "program").string(),
                                           (folder.path() / "program.c").string()};
        for (const backend::ExportFile &file : *files) {
            backend::writeFile(folder.path() / file.name, file.bytes);
            if (!file.name.ends_with(".h"))
                arguments.push_back((folder.path() / file.name).string());
        }
        backend::writeFile(folder.path() / "program.c", R"(
#include HEADER
static float A[128 * 128], B[128 * 128], C[128 * 128];
int main(void)
{
    void *args[] = {A, B, C};
    for (int i = 0; i < 128 * 128; ++i) {
        A[i] = (float)(i % 7);
        B[i] = (float)(i % 5);
    }
    if (main_kernel(A, B, C) != 0)
        return 1;
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 128; ++i) {
            for (int j = 0; j < 128; ++j) {
                float sum = 0;
                for (int k = 0; k < 128; ++k)
                    sum += A[i * 128 + k] * B[k * 128 + j];
                if (C[i * 128 + j] != sum)
                    return 2;
            }
        }
        C[5] = -1;
        if (main_kernel__packed(args) != 0)
            return 3;
    }
    for (int i = 0; i < 3; ++i) {
        void *wrong[] = {A, B, C};
        wrong[i] = 0;
        if (main_kernel__packed(wrong) != 4)
            return 4;
    }
    if (main_kernel__packed(0) != 4)
        return 5;
    return 0;
}
)");
        arguments.insert(arguments.end(), {"-lm", "-pthread"});
        const auto linked = backend::runCompiler(arguments, {});
        QVERIFY2(linked, linked ? "" : linked.error().message.c_str());
        QCOMPARE(std::system((folder.path() / "program").c_str()), 0);
    }

    void exportedFilesLieBesideTheOneAskedFor()
    {
        const std::vector<backend::ExportFile> files{{"stem.so", "a"}, {"stem.h", "b"}};
        using Places = std::vector<std::filesystem::path>;
        QCOMPARE(backend::placesOf(files, "/out/my-name.so"), (Places{"/out/my-name.so", "/out/stem.h"}));
        QCOMPARE(backend::placesOf(files, "name"), (Places{"name", "stem.h"}));
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

    /// A name of a function becomes one of C.
    void symbols()
    {
        const auto symbol = [](const std::string &name, const std::string &given) {
            auto function = std::make_shared<ir::PrimFunc>(
                *tests::parsed("@T.prim_func\ndef main():\n    T.evaluate(0)\n").mainEntry()->function);
            function->attrs.erase("global_symbol");
            if (!given.empty())
                function->attrs["global_symbol"] = given;
            return backend::symbolOf({name, function});
        };
        QCOMPARE(symbol("main", ""), std::string("main_kernel"));
        QCOMPARE(symbol("main", "other"), std::string("other"));
        QCOMPARE(symbol("main", "2mm"), std::string("_2mm"));
        QCOMPARE(symbol("main", "a.b c"), std::string("a_b_c"));
        QCOMPARE(symbol("f9", ""), std::string("f9"));
        QCOMPARE(symbol("", ""), std::string("_"));
    }

    void unknownExportsAreRefused()
    {
        const auto files = backend::exportKernel(scheduledMatmul(), {}, "floppy", "matmul");
        QVERIFY(!files);
        QCOMPARE(QString::fromStdString(files.error().code), "export.format");
        QVERIFY(QString::fromStdString(files.error().hint).contains("shared"));
    }
};

QTEST_GUILESS_MAIN(SourceTest)
#include "source_test.moc"
