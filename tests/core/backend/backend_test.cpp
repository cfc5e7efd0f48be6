// SPDX-License-Identifier: Apache-2.0
// Targets and texts of this program, and its words about others.
#include "core/backend/backend.h"

#include "core/backend/table/backend_table.h"
#include "core/target/kinds.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <set>

using namespace nestwright;
using namespace nestwright::backend;
using target::TargetKind;

namespace {

target::Target target(const char *text) { return *target::parseTarget(text); }

} // namespace

class BackendTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void textsHaveNames()
    {
        std::set<std::string_view> names;
        for (const SourceFormat &format : sourceFormats()) {
            names.insert(format.name);
            QCOMPARE(findSourceFormat(format.name), &format);
            QCOMPARE(&sourceFormat(format.kind), &format);
            QCOMPARE(isBuilt(format), !format.target || isBuilt(*format.target));
        }
        QCOMPARE(names.size(), sourceFormats().size());
        QVERIFY(!findSourceFormat("floppy") && !findSourceFormat(""));
    }

    /// A text of another kind of target is one of that kind's usual target.
    void textsHaveTheirTargets()
    {
        const target::Target haswell = target("llvm -mcpu=haswell");
        QCOMPARE(targetOf(sourceFormat(SourceKind::Asm), haswell), haswell);
        QCOMPARE(targetOf(sourceFormat(SourceKind::Lowered), haswell), haswell);
        QCOMPARE(targetOf(sourceFormat(SourceKind::C), haswell), target("c"));
        QCOMPARE(targetOf(sourceFormat(SourceKind::Cuda), haswell), target("cuda"));
        QCOMPARE(targetOf(sourceFormat(SourceKind::Ptx), target("cuda -arch=sm_90")),
                 target("cuda -arch=sm_90"));
    }

    /// Whatever a backend can do besides, it compiles what it loads, and has a text.
    void rowsAreWhole()
    {
        std::set<TargetKind> kinds;
        for (const Backend *backend : backends()) {
            QVERIFY(kinds.insert(backend->kind).second);
            QVERIFY(backend->source && backend->compile && backend->version);
            QVERIFY(!backend->loaders.empty());
            QCOMPARE(artifactFormat(backend->kind), backend->loaders.front().format);
            QCOMPARE(backend->devices.list != nullptr, target::kindOf(backend->kind).isOfDevices);
            QCOMPARE(backend->edited.compile == nullptr, backend->edited.kinds.empty());
            QCOMPARE(tellsLoopCode(backend->kind), backend->loops != nullptr);
            QCOMPARE(tellsResources(backend->kind), backend->devices.resources != nullptr);
        }
        for (const target::Kind &kind : target::kinds())
            QCOMPARE(isBuilt(kind.kind), kinds.contains(kind.kind));
    }

    void textsToReadFirst()
    {
        for (const target::Kind &kind : target::kinds())
            QVERIFY(usualFormat(kind.kind).target == kind.kind);
        QCOMPARE(usualFormat(TargetKind::Llvm).kind, SourceKind::Asm);
        QCOMPARE(usualFormat(TargetKind::C).kind, SourceKind::C);
        QCOMPARE(usualFormat(TargetKind::OpenCl).kind, SourceKind::OpenCl);
        QCOMPARE(usualFormat(TargetKind::Cuda).kind, SourceKind::Cuda);
    }

    void processorsAreNoDevices()
    {
        for (const TargetKind kind : {TargetKind::Llvm, TargetKind::C}) {
            if (!isBuilt(kind))
                continue;
            QVERIFY(devices(kind).empty());
            target::Target here;
            here.kind = kind;
            QVERIFY(checkDevice(here)); // and always there
        }
    }

    void devicesAreCheckedBeforeTheyAreUsed()
    {
        for (const TargetKind kind : {TargetKind::OpenCl, TargetKind::Cuda}) {
            target::Target device;
            device.kind = kind;
            const auto checked = checkDevice(device);
            QCOMPARE(checked.has_value(), isBuilt(kind) && !devices(kind).empty());
            if (!checked)
                QVERIFY(!checked.error().hint.empty());
        }
    }

    void resourcesAreThoseOfKernels()
    {
        const auto none = kernelResources(tests::program("row_sum"), {});
        QVERIFY(!none);
        QCOMPARE(none.error().code, std::string("backend.unsupported"));
        QVERIFY(none.error().message.contains("'llvm'"));
    }

    void architecturesAreChecked()
    {
        if (!isBuilt(TargetKind::Cuda))
            QSKIP("this program was built without CUDA");
        QVERIFY(checkTarget(target("cuda")) && checkTarget(target("cuda -arch=sm_90a")));
        const auto refused = checkTarget(target("cuda -arch=sm_12"));
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, std::string("target.option"));
        QVERIFY(refused.error().hint.contains("sm_90, "));
    }

    void processorsAreChecked()
    {
        if (!isBuilt(TargetKind::Llvm))
            QSKIP("this program was built without LLVM");
        for (const char *good : {"llvm -mcpu=generic", "llvm -mtriple=x86_64-linux-gnu -mattr=+avx2,-fma"})
            QVERIFY2(checkTarget(target(good)), good);
        const auto refusal = [](const char *text) {
            const auto checked = checkTarget(target(text));
            return checked ? "" : checked.error().message;
        };
        const std::string system = "llvm -mtriple=x86_64-linux-gnu ";
        for (const char *bad : {"*avx2", "avx2", "+beads"})
            QCOMPARE(refusal((system + "-mattr=+fma," + bad).c_str()),
                     "'-mattr' names the feature '" + std::string(bad)
                         + "', which x86_64-unknown-linux-gnu does not have");
        QVERIFY(refusal((system + "-mcpu=abacus").c_str()).starts_with("'-mcpu=abacus' names no processor"));
    }

    /// A text that is compiled next may call nothing that is not there.
    void textsThatAreCompiledCallWhatIsThere()
    {
        const ir::Module module = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    for i in range(4):
        A[i] = T.call_extern("float32", "nw_own", A[i])
)");
        QVERIFY(source(module, target("c"), SourceKind::C));
        const ExternLibraries none, own{{"own.so"}};
        const auto refused = source(module, target("c"), SourceKind::C, {}, &none);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, std::string("extern.unknown"));
        QVERIFY(source(module, target("c"), SourceKind::C, {}, &own));
        const auto artifact = compile(module, target("llvm"), {}, own);
        QVERIFY(artifact);
        QCOMPARE(artifact->externs, std::vector<std::string>{"nw_own"});
        QVERIFY(artifact->libraries == own);
        const auto without = compile(tests::program("row_sum"), target("llvm"), {}, own);
        QVERIFY(without && without->externs.empty() && without->libraries.paths.empty());
    }

    void symbolicSizesComeFromShapes()
    {
        const auto entriesOfText = [](const char *text) { return entriesOf(tests::parsed(text)); };
        const auto entries = entriesOfText(R"(
@T.prim_func
def main(k: T.int32, a: T.handle, b: T.handle):
    n = T.int32()
    m = T.int64()
    A = T.match_buffer(a, (4, n), "float16")
    B = T.match_buffer(b, (m, n, k))
    for i in range(n):
        A[0, i] = T.float16(1)
)");
        QVERIFY2(entries, entries ? "" : entries.error().render().c_str());
        const std::vector<Argument> &arguments = entries->at(0).arguments;
        QCOMPARE(arguments.size(), 5UL);
        QCOMPARE(arguments[0].kind, Argument::Kind::Scalar);
        QCOMPARE(arguments[1].shape, (std::vector<std::int64_t>{4, -1}));
        QCOMPARE(arguments[2].shape, (std::vector<std::int64_t>{-1, -1, -1}));
        QCOMPARE(arguments[3].name, std::string("n"));
        QCOMPARE(arguments[3].kind, Argument::Kind::Size);
        QCOMPARE(std::pair(arguments[3].buffer, arguments[3].dimension), std::pair(1, 1));
        QCOMPARE(std::pair(arguments[4].buffer, arguments[4].dimension), std::pair(2, 0));
        QVERIFY(arguments[4].dtype == ir::DataType::int_(64));
        const auto refused = entriesOfText(R"(
@T.prim_func
def main(a: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n * 2,))
    for i in range(n):
        A[i] = T.float32(1)
)");
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, std::string("backend.symbolic-size"));
        QVERIFY(refused.error().message.contains("'n'") && !refused.error().hint.empty());
    }
};

QTEST_GUILESS_MAIN(BackendTest)
#include "backend_test.moc"
