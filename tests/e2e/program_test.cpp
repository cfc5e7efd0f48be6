// SPDX-License-Identifier: GPL-3.0-or-later
// The window's program itself, as a shell starts it: limits of the shell and streams that are closed are
// errors of what cannot be written, and not its end.
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <functional>
#include <sys/resource.h>
#include <unistd.h>

class ProgramTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QProcess m_program;

    QString path(const char *name) const { return m_folder.filePath(QString::fromLatin1(name)); }

    /// Takes a picture of an example; `limit` is called in the new process.
    void takePicture(const std::function<void()> &limit)
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), m_folder.path());
        environment.insert(QStringLiteral("XDG_STATE_HOME"), m_folder.path());
        m_program.setProcessEnvironment(environment);
        m_program.setChildProcessModifier(limit);
        m_program.start(QCoreApplication::applicationDirPath() + QStringLiteral("/nestwright"),
                        {QStringLiteral("op:matmul(M=64,N=64,K=64)"), QStringLiteral("--screenshot"),
                         path("picture.png")});
        QVERIFY(m_program.waitForFinished(120'000));
        QCOMPARE(m_program.exitStatus(), QProcess::NormalExit);
    }

private Q_SLOTS:
    void limitOnFiles()
    {
        takePicture([] {
            const rlimit limit{4096, 4096};
            setrlimit(RLIMIT_FSIZE, &limit);
        });
        QCOMPARE(m_program.exitCode(), 2);
        QVERIFY(m_program.readAllStandardError().contains("cannot be written"));
    }

    /// Nothing that is opened later is taken for a standard stream.
    void closedStreams()
    {
        takePicture([] { close_range(STDOUT_FILENO, STDERR_FILENO, 0); });
        QCOMPARE(m_program.exitCode(), 0);
        QFile picture(path("picture.png"));
        QVERIFY(picture.open(QIODevice::ReadOnly));
        QVERIFY(picture.readAll().startsWith("\x89PNG"));
    }
};

QTEST_MAIN(ProgramTest)
#include "program_test.moc"
