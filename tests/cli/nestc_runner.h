// SPDX-License-Identifier: Apache-2.0
/// Runs nestc as a user does, in a folder of its own.
#pragma once

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

namespace nestwright::test {

struct Outcome {
    int status = -1;
    QString out, err;
};

class NestcRunner {
public:
    NestcRunner() { m_process.setWorkingDirectory(m_folder.path()); }

    QString file(const QString &name) const { return m_folder.filePath(name); }

    /// Writes a file into the folder; returns its path.
    QString write(const QString &name, const QByteArray &text) const
    {
        QFile out(file(name));
        if (!out.open(QIODevice::WriteOnly) || out.write(text) != text.size())
            qFatal("cannot write %s", qPrintable(out.fileName()));
        return out.fileName();
    }

    QByteArray read(const QString &name) const
    {
        QFile in(file(name));
        return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
    }

    Outcome run(const QStringList &arguments, const QByteArray &input = {}, int milliseconds = 120000)
    {
        m_process.start(qEnvironmentVariable("NESTWRIGHT_BIN_DIR") + "/nestc", arguments);
        m_process.write(input);
        m_process.closeWriteChannel();
        if (!m_process.waitForFinished(milliseconds)) {
            m_process.kill();
            m_process.waitForFinished();
            return {};
        }
        const bool normal = m_process.exitStatus() == QProcess::NormalExit;
        return {normal ? m_process.exitCode() : -1, QString::fromUtf8(m_process.readAllStandardOutput()),
                QString::fromUtf8(m_process.readAllStandardError())};
    }

    /// For limits and variables that it is to run with.
    QProcess &process() { return m_process; }

    /// A file of the examples folder.
    static QString example(const QString &name) { return QDir::currentPath() + "/examples/" + name; }

private:
    QTemporaryDir m_folder;
    QProcess m_process;
};

} // namespace nestwright::test

/// Checks the exit status and shows the output of nestc when it differs.
#define COMPARE_STATUS(outcome, expected)                                                                    \
    QVERIFY2(                                                                                                \
        (outcome).status == (expected),                                                                      \
        qPrintable(QString("status %1\n%2\n%3").arg((outcome).status).arg((outcome).out, (outcome).err)))
