// SPDX-License-Identifier: GPL-3.0-or-later
// The window saves while one system call after the other fails, as on a full disk: the old file or the new
// one is whole, the window says why, is still modified, and lives. NESTWRIGHT_FAULT_ALL=1 lets each call
// fail, not a sample of them.
#include "core/session/files/project_file.h"
#include "tests/e2e/driven_window.h"
#include "tests/support/fault_places.h"

#include <QDir>
#include <QTemporaryDir>

#include <cerrno>
#include <cstring>

using namespace nestwright;
using e2e::Driver;

class WindowFaultsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<Driver> m_window;

    QString path(const QString &name) const { return m_folder.filePath(name); }
    QString mark() const { return path(QStringLiteral("fired")); }
    QByteArray saved() const
    {
        QFile file(path(QStringLiteral("sessions/saved.nest")));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    static int variantsIn(const QByteArray &text)
    {
        const auto session = session::readProject(text.toStdString(), "saved.nest");
        return session ? session->tree().size() : -1;
    }

    /// Saves with that call failing; whether there was one, and the fault.
    bool save(const char *kind, int error, int n, QString &wrong)
    {
        QFile::remove(mark());
        const QByteArray old = saved();
        const int variants = m_window->ask(QStringLiteral("step")).section(u' ', 1).toInt();
        m_window->ask(QStringLiteral("fault %1:%2:%3").arg(QLatin1String(kind)).arg(n).arg(error));
        const QString answer =
            m_window->ask(QStringLiteral("save ") + path(QStringLiteral("sessions/saved.nest")));
        const bool fired = QFile::exists(mark());
        const QString state = m_window->ask(QStringLiteral("state"));
        const QByteArray now = saved();
        const QString what = QStringLiteral("%1 call %2, %3: %4; %5: ")
                                 .arg(QLatin1String(kind))
                                 .arg(n)
                                 .arg(QString::fromLocal8Bit(std::strerror(error)), answer, state);
        const QStringList files =
            QDir(path(QStringLiteral("sessions"))).entryList(QDir::Files | QDir::Hidden);
        if (answer == QStringLiteral("saved %1").arg(variants)) {
            if (variantsIn(now) != variants || state != u"saved")
                wrong = what + QStringLiteral("it is not what was saved");
        } else if (!answer.startsWith(QStringLiteral("failed "))
                   || answer.contains(QStringLiteral("in silence"))) {
            wrong = what + QStringLiteral("no error is shown");
        } else if (now != old && variantsIn(now) != variants) {
            wrong = what + QStringLiteral("torn");
        } else if (state != u"modified") {
            wrong = what + QStringLiteral("the changes are taken for saved");
        }
        if (wrong.isEmpty() && files != QStringList{QStringLiteral("saved.nest")})
            wrong = what + files.join(u' ');
        return fired;
    }

private Q_SLOTS:
    void initTestCase()
    {
        const QString library = qEnvironmentVariable("NESTWRIGHT_FAULTS_LIBRARY");
        if (!QFile::exists(library))
            QSKIP("there is no library that lets calls fail");
        QVERIFY(QDir().mkpath(path(QStringLiteral("sessions"))));
        QProcessEnvironment environment;
        environment.insert(QStringLiteral("LD_PRELOAD"), library);
        environment.insert(QStringLiteral("NESTWRIGHT_FAULT_MARK"), mark());
        m_window = std::make_unique<Driver>(path(QStringLiteral("state")), environment);
        QCOMPARE(m_window->ask(QStringLiteral("open op:matmul(M=16,N=16,K=16)")), QStringLiteral("opened"));
        QVERIFY(m_window->ask(QStringLiteral("step")).startsWith(QStringLiteral("stepped")));
        QVERIFY(m_window->ask(QStringLiteral("save ") + path(QStringLiteral("sessions/saved.nest")))
                    .startsWith(QStringLiteral("saved")));
        QVERIFY(variantsIn(saved()) > 1);
    }

    void savingIsWholeOrNot_data()
    {
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<int>("error");
        QTest::newRow("write, no space") << QByteArray("write") << ENOSPC;
        QTest::newRow("write, input/output") << QByteArray("write") << EIO;
        QTest::newRow("fsync") << QByteArray("fsync") << EIO;
        QTest::newRow("rename") << QByteArray("rename") << EIO;
        QTest::newRow("open, too many") << QByteArray("open") << EMFILE;
        QTest::newRow("open, no space") << QByteArray("open") << ENOSPC;
    }
    void savingIsWholeOrNot()
    {
        QFETCH(const QByteArray, kind);
        QFETCH(const int, error);
        int runs = 0;
        QString wrong;
        for (tests::FaultPlaces place; save(kind.constData(), error, place.current(), wrong); place.next()) {
            ++runs;
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        qInfo("%d calls made to fail", runs);
        QVERIFY(runs > 0);
        QCOMPARE(m_window->process().state(), QProcess::Running);
    }
};

DRIVEN_TEST_MAIN(WindowFaultsTest)
#include "window_faults_test.moc"
