// SPDX-License-Identifier: Apache-2.0
// Functions from outside: those of a list, those of libraries that the user names, and nothing else of the
// process.
#include "core/backend/backend.h"
#include "core/backend/link/export.h"
#include "core/backend/link/loaded_kernel.h"
#include "core/interp/interpreter.h"
#include "tests/support/programs.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <cstdlib>
#include <format>

using namespace nestwright;

namespace {

void eachTarget()
{
    QTest::addColumn<QString>("target");
    for (const char *target : {"llvm", "c"}) {
        if (backend::isBuilt(target::parseTarget(target)->kind))
            QTest::newRow(target) << target;
    }
}

/// B[i] = `call` of A[i].
ir::Module calling(const std::string &call)
{
    return tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.block("B"):
            vi = T.axis.spatial(4, i)
            B[vi] = {}
)",
                                     call));
}

support::Result<std::vector<double>> resultsOf(const ir::Module &module, const QString &target,
                                               const backend::ExternLibraries &libraries = {})
{
    const auto artifact = backend::compile(module, *target::parseTarget(target.toStdString()), {}, libraries);
    if (!artifact)
        return std::unexpected(artifact.error());
    const auto kernel = backend::load(*artifact);
    if (!kernel)
        return std::unexpected(kernel.error());
    ir::NdArray a(ir::DataType::float32(), {4}), b(ir::DataType::float32(), {4});
    for (int i = 0; i < 4; ++i)
        a.set(i, i);
    std::vector<ir::NdArray *> arrays{&a, &b};
    if (const auto called = backend::call(**kernel, "main", arrays); !called)
        return std::unexpected(called.error());
    return std::vector{b.at(0), b.at(1), b.at(2), b.at(3)};
}

} // namespace

class ExternsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aStrangersProgramRunsNoShell_data() { eachTarget(); }
    void aStrangersProgramRunsNoShell()
    {
        QFETCH(QString, target);
        const QTemporaryDir folder;
        const QString proof = folder.filePath("proof");
        const ir::Module module = calling(std::format(
            R"(T.Cast("float32", T.call_extern("int32", "system", "touch {}")))", proof.toStdString()));
        const auto artifact = backend::compile(module, *target::parseTarget(target.toStdString()));
        QVERIFY(!artifact);
        QCOMPARE(artifact.error().code, std::string("extern.unknown"));
        QVERIFY(artifact.error().message.contains("'system'"));
        for (const char *format : {"object", "shared", "c", "llvm"}) {
            const auto files =
                backend::exportKernel(module, *target::parseTarget(target.toStdString()), format, "kernel");
            QVERIFY2(!files, format);
            QCOMPARE(files.error().code, std::string("extern.unknown"));
        }
        QVERIFY(!QFile::exists(proof));
    }

    /// It runs nothing to look at a text.
    void itsSourceCanBeRead()
    {
        const auto text = backend::source(calling(R"(T.call_extern("float32", "mystery", A[vi]))"),
                                          *target::parseTarget("c"), backend::SourceKind::C);
        QVERIFY(text);
        QVERIFY(text->text.contains("mystery("));
    }

    void functionsWithPointersAreNamed_data() { eachTarget(); }
    void functionsWithPointersAreNamed()
    {
        QFETCH(QString, target);
        const auto result =
            resultsOf(calling(R"(T.call_extern("float32", "modff", A[vi], T.address_of(B[vi])))"), target);
        QVERIFY(!result);
        QVERIFY2(result.error().code == "extern.pointer", result.error().render().c_str());
        QVERIFY(result.error().hint.contains("T.trunc"));
    }

    /// All that compiled code may call the interpreter knows.
    void theInterpreterKnowsThem_data()
    {
        QTest::addColumn<QString>("call");
        for (const char *name :
             {"acosf", "acoshf", "asinf",      "asinhf", "atanf",   "atanhf", "cbrtf",  "ceilf",
              "cosf",  "coshf",  "erff",       "erfcf",  "expf",    "exp10f", "exp2f",  "expm1f",
              "fabsf", "floorf", "j0f",        "j1f",    "lgammaf", "logf",   "log10f", "log1pf",
              "log2f", "logbf",  "nearbyintf", "rintf",  "roundf",  "sinf",   "sinhf",  "sqrtf",
              "tanf",  "tanhf",  "tgammaf",    "truncf", "y0f",     "y1f"})
            QTest::newRow(name) << QString("T.call_extern(\"float32\", \"%1\", A[vi] * 0.3 + 0.2)").arg(name);
        for (const char *name : {"atan2f", "copysignf", "fdimf", "fmaxf", "fminf", "fmodf", "hypotf",
                                 "nextafterf", "powf", "remainderf"})
            QTest::newRow(name)
                << QString("T.call_extern(\"float32\", \"%1\", A[vi], T.float32(1.25))").arg(name);
        QTest::newRow("fmaf") << R"(T.call_extern("float32", "fmaf", A[vi], A[vi], T.float32(0.3)))";
        QTest::newRow("ldexpf") << R"(T.call_extern("float32", "ldexpf", A[vi], 3))";
        QTest::newRow("scalbnf") << R"(T.call_extern("float32", "scalbnf", A[vi], 3))";
        QTest::newRow("ilogbf") << R"(T.Cast("float32", T.call_extern("int32", "ilogbf", A[vi] + 1.0)))";
    }
    void theInterpreterKnowsThem()
    {
        QFETCH(QString, call);
        const ir::Module module = calling(call.toStdString());
        ir::NdArray a(ir::DataType::float32(), {4}), b(ir::DataType::float32(), {4});
        for (int i = 0; i < 4; ++i)
            a.set(i, i);
        std::vector<ir::NdArray *> arrays{&a, &b};
        const auto ran = interp::run(*module.mainEntry()->function, arrays);
        QVERIFY2(ran, ran ? "" : ran.error().render().c_str());
        const auto compiled = resultsOf(module, "llvm");
        QVERIFY2(compiled, compiled ? "" : compiled.error().render().c_str());
        for (std::size_t i = 0; i < 4; ++i) {
            const double expected = (*compiled)[i], found = b.at(static_cast<std::int64_t>(i));
            const bool isSame = (std::isnan(expected) && std::isnan(found)) || expected == found;
            QVERIFY2(isSame || std::abs(expected - found) <= 1e-5 * std::max(1.0, std::abs(expected)),
                     std::format("{}: {}, compiled {}", i, found, expected).c_str());
        }
    }

    /// Or else it could end the declaration and go on with code of its own.
    void aNameIsAnIdentifier_data()
    {
        QTest::addColumn<QString>("name");
        for (const char *name : {"", "f();system", "f\\nvoid g", "a b", "1f", "f*/", "é", "f-g"})
            QTest::newRow(name) << name;
    }
    void aNameIsAnIdentifier()
    {
        QFETCH(QString, name);
        const ir::Module module =
            calling(std::format(R"(T.call_extern("float32", "{}", A[vi]))", name.toStdString()));
        for (const char *target : {"llvm", "c"}) {
            const auto kind = *target::parseTarget(target);
            for (const char *good : {"azAZ_09", "a", "z", "A", "Z", "_"}) {
                const auto unknown = backend::compile(
                    calling(std::format(R"(T.call_extern("float32", "{}", A[vi]))", good)), kind);
                QVERIFY(!unknown);
                QCOMPARE(unknown.error().code, std::string("extern.unknown"));
            }
            const auto artifact = backend::compile(module, kind, {}, {{"/nonexistent.so"}});
            QVERIFY(!artifact);
            QCOMPARE(artifact.error().code, std::string("extern.name"));
        }
        const auto text = backend::source(module, *target::parseTarget("c"), backend::SourceKind::C);
        QVERIFY(!text);
        QCOMPARE(text.error().code, std::string("extern.name"));
    }

    void functionsOfTheListAreCalled_data() { eachTarget(); }
    void functionsOfTheListAreCalled()
    {
        QFETCH(QString, target);
        const auto single = resultsOf(calling(R"(T.call_extern("float32", "expf", A[vi]))"), target);
        QVERIFY2(single, single ? "" : single.error().render().c_str());
        QVERIFY(std::abs((*single)[2] - std::exp(2.0)) < 1e-5);
        const auto twice = resultsOf(
            calling(R"(T.Cast("float32", T.call_pure_extern("float64", "hypot", T.Cast("float64", A[vi]), )"
                    R"(T.float64(4))))"),
            target);
        QVERIFY2(twice, twice ? "" : twice.error().render().c_str());
        QCOMPARE((*twice)[3], 5.0);
    }

    void theyAreCalledAsTheyAre_data()
    {
        QTest::addColumn<QString>("call");
        QTest::newRow("precision") << R"(T.call_extern("float32", "exp", A[vi]))";
        QTest::newRow("count") << R"(T.call_extern("float32", "expf", A[vi], A[vi]))";
        QTest::newRow("result") << R"(T.Cast("float32", T.call_extern("int32", "expf", A[vi])))";
        QTest::newRow("pointer") << R"(T.call_extern("float32", "expf", A.data))";
    }
    void theyAreCalledAsTheyAre()
    {
        QFETCH(QString, call);
        const auto artifact = backend::compile(calling(call.toStdString()), {});
        QVERIFY(!artifact);
        QCOMPARE(artifact.error().code, std::string("extern.signature"));
    }

    void librariesAreTheUsersToName_data() { eachTarget(); }
    void librariesAreTheUsersToName()
    {
        QFETCH(QString, target);
        const QTemporaryDir folder;
        const std::string name = "nw_test_triple_" + target.toStdString();
        const auto bytes =
            backend::linkShared({{"own.c", "float " + name + "(float x) { return 3 * x; }\n"}}, {});
        QVERIFY2(bytes, bytes ? "" : bytes.error().render().c_str());
        const QString path = folder.filePath("own.so");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes->data(), qint64(bytes->size())) > 0);
        file.close();
        const backend::ExternLibraries libraries{{path.toStdString()}};
        const ir::Module own = calling(std::format(R"(T.call_extern("float32", "{}", A[vi]))", name));
        const auto results = resultsOf(own, target, libraries);
        QVERIFY2(results, results ? "" : results.error().render().c_str());
        QCOMPARE((*results)[2], 6.0);
        // Libraries linked by a named library are not named themselves.
        const auto shell = resultsOf(
            calling(R"(T.Cast("float32", T.call_extern("int32", "system", "true")))"), target, libraries);
        QVERIFY(!shell);
        QCOMPARE(shell.error().code, std::string("extern.library"));
        const auto missing = resultsOf(own, target, {{"/nonexistent/own.so"}});
        QVERIFY(!missing);
        QCOMPARE(missing.error().code, std::string("extern.library"));
    }

    /// The system's linker would take the system's function in place of the library's.
    void functionsOfLibrariesHaveNamesOfTheirOwn()
    {
        const QTemporaryDir folder;
        const auto bytes = backend::linkShared({{"own.c", "float ffs(float x) { return 5 * x; }\n"
                                                          "float nw_test_five(float x) { return 5 * x; }\n"}},
                                               {});
        QVERIFY2(bytes, bytes ? "" : bytes.error().message.c_str());
        QFile file(folder.filePath("own.so"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes->data(), qint64(bytes->size())) > 0);
        file.close();
        const backend::ExternLibraries libraries{{file.fileName().toStdString()}};
        const ir::Module system = calling(R"(T.call_extern("float32", "ffs", A[vi]))");
        const auto refused = resultsOf(system, "c", libraries);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, std::string("extern.library"));
        QVERIFY(refused.error().message.contains("'ffs'") && refused.error().hint.contains("llvm"));
        if (backend::isBuilt(target::TargetKind::Llvm)) // whose linker is told the address
            QCOMPARE(resultsOf(system, "llvm", libraries).value()[2], 10.0);
        // A name without a folder is a file of this one, not of the system's.
        const QString here = QDir::currentPath();
        QVERIFY(QDir::setCurrent(folder.path()));
        const auto found = backend::findInLibraries({{"own.so"}}, {"nw_test_five"});
        const auto math = backend::findInLibraries({{"libm.so.6"}}, {"nw_test_five"});
        QDir::setCurrent(here);
        QVERIFY2(found && found->size() == 1, found ? "" : found.error().message.c_str());
        QVERIFY(!math);
        QVERIFY(backend::findInLibraries({{"/nonexistent.so"}}, {})->empty()); // nothing is asked of it
    }

    void symbolsThatCodeMayRefer()
    {
        for (const char *good : {"exp", "expf", "erf", "erff", "pow", "ldexpf", "memcpy", "sincosf",
                                 "__divti3", "__truncsfhf2", "__extendhfsf2"})
            QVERIFY2(backend::isAllowedSymbol(good), good);
        for (const char *bad : {"", "f", "ff", "expff", "system", "divti3", "_Z3expf", "memcpyf", "exec"})
            QVERIFY2(!backend::isAllowedSymbol(bad), bad);
    }

    void someTakeOrGiveIntegers()
    {
        const auto compiled = [](const char *call) { return backend::compile(calling(call), {}); };
        QVERIFY(compiled(R"(T.call_extern("float32", "ldexpf", A[vi], vi))"));
        QVERIFY(compiled(R"(T.Cast("float32", T.call_extern("int32", "ilogbf", A[vi])))"));
        const auto refused = compiled(R"(T.call_extern("float32", "ldexpf", A[vi], A[vi]))");
        QVERIFY(!refused);
        QCOMPARE(refused.error().message,
                 std::string("the function 'ldexpf' takes (float32, int32) and gives float32, but is called "
                             "with (float32, float32) for a float32"));
    }

    /// The linker finds a function by its name alone, so a name must not be enough.
    void theLinkerFindsNothingElseOfTheProcess()
    {
        if (!backend::isBuilt(target::TargetKind::Llvm))
            QSKIP("this program was built without LLVM");
        auto artifact = backend::compile(calling(R"(T.call_extern("float32", "expf", A[vi]))"), {});
        QVERIFY(artifact);
        const std::string zero(1, '\0');
        for (const char *name : {"exec", "kill", "fork", "abs1"}) {
            std::string bytes = artifact->bytes;
            for (std::size_t at = 0; (at = bytes.find(zero + "expf" + zero, at)) != std::string::npos;)
                bytes.replace(at, 6, zero + name + zero);
            QVERIFY(bytes != artifact->bytes);
            backend::Artifact forged = *artifact;
            forged.bytes = bytes;
            const auto kernel = backend::load(forged);
            QVERIFY2(!kernel, name);
            QCOMPARE(kernel.error().code, std::string("backend.load"));
        }
    }
};

QTEST_GUILESS_MAIN(ExternsTest)
#include "externs_test.moc"
