// SPDX-License-Identifier: Apache-2.0
// A device's driver is loaded where it finds a folder of its own and little else; other code needs none.
#include "core/measure/sandbox/enclosed_loading.h"

#include "core/measure/sandbox/sandbox.h"

#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <functional>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

using namespace nestwright;
using namespace nestwright::measure;

namespace {

bool isSet(const char *name, const QString &value)
{
    const char *now = std::getenv(name);
    return now && value == QString::fromUtf8(now);
}

bool canRead(const QString &path)
{
    const int opened = open(path.toUtf8().constData(), O_RDONLY | O_CLOEXEC);
    if (opened >= 0)
        close(opened);
    return opened >= 0;
}

/// Whether `then` holds in a process that has tried to load code of that format.
bool afterLoading(backend::Format format, const QString &folder, const std::function<bool()> &then)
{
    const pid_t child = fork();
    if (child == 0) {
        backend::Artifact artifact;
        artifact.format = format;
        artifact.bytes = "no code";
        const bool isLoaded = loadEnclosed(artifact, folder.toStdString()).has_value();
        _exit(!isLoaded && then() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status == 0;
}

} // namespace

class EnclosedLoadingTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder, m_driver;

private Q_SLOTS:
    void init()
    {
        qunsetenv("NESTWRIGHT_CUDA_DRIVER");
        qputenv("POCL_CACHE_DIR", "/a/persons/own");
        QFile file(m_driver.filePath("libcuda.so.1"));
        QVERIFY(file.open(QIODevice::WriteOnly));
    }

    void driversKeepTheirFilesInOneFolder()
    {
        const QString place = m_folder.filePath("driver");
        for (const backend::Format format : {backend::Format::OpenClDevice, backend::Format::CudaDevice}) {
            QVERIFY(afterLoading(format, m_folder.path(), [&] {
                return isSet("TMPDIR", place) && isSet("HOME", place) && isSet("POCL_CACHE_DIR", place)
                       && isSet("CUDA_CACHE_PATH", place) && isSet("POCL_WORK_GROUP_SPECIALIZATION", "0");
            }));
            QVERIFY(QDir(place).exists());
        }
    }

    void driversReadTheSystemsFiles()
    {
        if (!probeSandbox().files)
            QSKIP("this system does not restrict files");
        const QString library = m_driver.filePath("libcuda.so.1");
        const auto format = backend::Format::CudaDevice;
        QVERIFY(afterLoading(format, m_folder.path(), [&] {
            return canRead("/usr/bin/env") && !canRead("/etc/passwd") && !canRead(library);
        }));
        qputenv("NESTWRIGHT_CUDA_DRIVER", library.toUtf8());
        QVERIFY(afterLoading(format, m_folder.path(),
                             [&] { return canRead(library) && !canRead("/etc/passwd"); }));
    }

    void otherCodeIsLoadedAsItIs()
    {
        for (const backend::Format format :
             {backend::Format::Object, backend::Format::SharedObject, backend::Format::EmulatedDevice})
            QVERIFY(afterLoading(format, m_folder.path(), [] {
                return canRead("/etc/passwd") && isSet("POCL_CACHE_DIR", "/a/persons/own");
            }));
    }

    /// Code that a cached kernel runs as it is loaded finds no files of the user.
    void modelsAreLoadedConfined()
    {
        if (!probeSandbox().holdsStrangers())
            QSKIP("this system does not restrict files and calls");
        qputenv("NW_SECRET_TOKEN", "secret");
        const pid_t child = fork();
        if (child == 0) {
            const bool isLoaded = loadEnclosedModels({}, m_folder.path().toStdString()).has_value();
            _exit(isLoaded && canRead("/usr/bin/env") && !canRead("/etc/passwd")
                          && !std::getenv("NW_SECRET_TOKEN")
                      ? 0
                      : 1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        QCOMPARE(status, 0);
    }
};

QTEST_GUILESS_MAIN(EnclosedLoadingTest)
#include "enclosed_loading_test.moc"
