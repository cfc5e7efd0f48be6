// SPDX-License-Identifier: Apache-2.0
// A loader of OpenCL that lacks functions is none. It is made here; the process that is asked for devices
// loads it in place of the system's.
#include "core/backend/backend.h"
#include "core/backend/link/compiler.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::backend;

class OpenClLoaderTest : public QObject {
    Q_OBJECT

    TemporaryFolder m_folder;

private Q_SLOTS:
    void initTestCase()
    {
        if (!isBuilt(target::TargetKind::OpenCl))
            QSKIP("this program was built without OpenCL");
        const auto file = m_folder.path() / "loader.c", object = m_folder.path() / "libOpenCL.so.1";
        writeFile(file,
                  "int clGetPlatformIDs(unsigned most, void *list, unsigned *count) { return -1001; }\n");
        const auto compiled = runCompiler(
            {"-shared", "-fPIC", "-o", object.string(), file.string(), "-Wl,-soname,libOpenCL.so.1"}, {});
        if (!compiled && compiled.error().code == "backend.no-compiler")
            QSKIP("there is no C compiler here");
        QVERIFY2(compiled, compiled ? "" : compiled.error().message.c_str());
        qputenv("NESTWRIGHT_NESTC", qgetenv("NESTWRIGHT_BIN_DIR") + "/nestc");
        qputenv("LD_LIBRARY_PATH", m_folder.path().c_str());
    }

    void loadersThatLackFunctionsAreNone()
    {
        QVERIFY(devices(target::TargetKind::OpenCl).empty());
        const auto checked = checkDevice(*target::parseTarget("opencl"));
        QVERIFY(!checked);
        QCOMPARE(checked.error().code, std::string("device.none"));
        QVERIFY2(checked.error().hint.starts_with("install the loader, "), checked.error().hint.c_str());
    }
};

QTEST_GUILESS_MAIN(OpenClLoaderTest)
#include "opencl_loader_test.moc"
