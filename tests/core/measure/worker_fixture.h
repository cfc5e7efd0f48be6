// SPDX-License-Identifier: Apache-2.0
/// Kernels that call C functions of a library, and workers that are scripts. The test's own program is the
/// worker too, when it is called as one.
#pragma once

#include "core/backend/link/export.h"
#include "core/measure/measurer.h"
#include "tests/support/programs.h"

#include <QTemporaryDir>
#include <QtTest>

#include <format>
#include <string>
#include <sys/stat.h>

namespace nestwright::tests {

inline std::string thisProgram() { return QCoreApplication::applicationFilePath().toStdString(); }

inline ir::Module adding(const std::string &value)
{
    return tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in range(64):
        with T.block("B"):
            vi = T.axis.spatial(64, i)
            B[vi] = {}
)",
                                     value));
}

inline measure::MeasureJob jobOf(std::vector<ir::Module> variants)
{
    measure::MeasureJob job;
    job.reference = adding("A[vi] + T.float32(1)");
    job.variants = std::move(variants);
    job.repetitions = 2;
    job.secondsPerRepetition = 0.01;
    job.wantPeak = false;
    return job;
}

inline void ignore(const measure::Progress &) {}

class WorkerFixture {
protected:
    QTemporaryDir m_folder;

    /// A library of C functions for kernels to call, as a user might name one.
    backend::ExternLibraries library(const QString &name, const std::string &code)
    {
        const auto bytes = backend::linkShared({{"own.c", code}}, {});
        if (!bytes)
            qFatal("%s", bytes.error().render().c_str());
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes->data(), qint64(bytes->size())) <= 0)
            qFatal("cannot write %s", qPrintable(file.fileName()));
        return {{file.fileName().toStdString()}};
    }

    /// A worker that is a script: it has read the request when `body` runs.
    measure::WorkerOptions fakeWorker(const QString &body, int silence = 1)
    {
        const QString path = m_folder.filePath(QString("worker-%1").arg(m_scripts++));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly))
            qFatal("cannot write %s", qPrintable(path));
        file.write(("#!/bin/bash\nread -r request\n" + body + "\n").toUtf8());
        file.close();
        chmod(qPrintable(path), 0700);
        measure::WorkerOptions options;
        options.program = path.toStdString();
        options.silence = std::chrono::seconds(silence);
        return options;
    }
    int m_scripts = 0;

    measure::Measurement measuredWith(const backend::ExternLibraries &libraries, const std::string &value)
    {
        measure::WorkerOptions options;
        options.program = thisProgram();
        options.silence = std::chrono::seconds(2);
        options.memoryBytes = std::uint64_t{1} << 30;
        measure::Measurer measurer(options);
        measure::MeasureJob job = jobOf({adding(value)});
        job.externs = libraries;
        const auto results = measurer.measure(job, ignore);
        if (!results)
            qFatal("%s", results.error().render().c_str());
        return results->front();
    }
};

/// The main function of such a test.
template <class Test> int runTestOrWorker(int argc, char *argv[])
{
    if (argc == 2 && std::string_view(argv[1]) == "worker")
        return measure::runWorker();
    QCoreApplication app(argc, argv);
    Test test;
    return QTest::qExec(&test, argc, argv);
}

} // namespace nestwright::tests
