// SPDX-License-Identifier: Apache-2.0
// Sources as files: C and exports compile alone, and have the names that they are asked for by.
#include "core/backend/backend.h"
#include "core/backend/link/compiler.h"
#include "core/backend/link/export.h"
#include "tests/core/backend/scheduled_matmul.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <cstdlib>

using namespace nestwright;
using namespace nestwright::tests;
using backend::SourceKind;

namespace {

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

class SourceExportTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
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

QTEST_GUILESS_MAIN(SourceExportTest)
#include "source_export_test.moc"
