// SPDX-License-Identifier: GPL-3.0-or-later
// Two windows with one session open, both saving: the file is always one of the two, and nobody overwrites
// the other unasked. NESTWRIGHT_SAVE_COUNT says how often.
#include "core/schedule/primitive.h"
#include "core/session/files/project_file.h"
#include "tests/support/programs.h"
#include "widgets/document/document.h"
#include "widgets/jobs/job_runner.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

using namespace nestwright;
using document::Document;
using document::Overwrite;

namespace {

constexpr int patience = 60000;

/// One window's document, with jobs of its own as in a process of its own.
struct Window {
    jobs::JobRunner jobs{2};
    Document document{jobs};
    int saves = 0, refusals = 0, failures = 0;

    Window()
    {
        QObject::connect(&document, &Document::saved, &document, [this] { ++saves; });
        QObject::connect(&document, &Document::changedOnDisk, &document, [this] { ++refusals; });
        QObject::connect(&document, &Document::failed, &document, [this] { ++failures; });
    }
    int answers() const { return saves + refusals + failures; }
    void setThreads(int threads)
    {
        target::Target target;
        target.threads = threads;
        document.setTarget(target);
    }
};

int threadsIn(const QString &path)
{
    const auto session = session::loadProject(path.toStdString());
    return session ? session->target().threads : -1;
}

} // namespace

class TwoWindowsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_path;
    int m_count = 50;

    void open(Window &window) const
    {
        window.document.open(m_path);
        QTRY_VERIFY_WITH_TIMEOUT(window.document.isOpen() && !window.document.isBusy(), patience);
    }

private Q_SLOTS:
    void init()
    {
        if (const int asked = qEnvironmentVariableIntValue("NESTWRIGHT_SAVE_COUNT"); asked > 0)
            m_count = asked;
        m_path =
            m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()) + QStringLiteral(".nest"));
        QFile kernel(m_folder.filePath(QStringLiteral("matmul.py")));
        QVERIFY(kernel.open(QIODevice::WriteOnly));
        const std::string_view text = tests::programText("matmul");
        kernel.write(text.data(), static_cast<qint64>(text.size()));
        kernel.close();
        Window window;
        window.document.open(kernel.fileName());
        QTRY_VERIFY_WITH_TIMEOUT(window.document.isOpen() && !window.document.isBusy(), patience);
        window.document.save(m_path);
        QTRY_COMPARE_WITH_TIMEOUT(window.saves, 1, patience);
    }

    void filesAreNeverMixed()
    {
        Window first, second;
        open(first);
        open(second);
        int torn = 0;
        for (int i = 0; i < m_count; ++i) {
            first.setThreads(1 + i % 100);
            second.setThreads(101 + i % 100);
            first.document.save(m_path, Overwrite::Always);
            second.document.save(m_path, Overwrite::Always);
            const int saves = i + 1;
            const auto areSaved = [&] {
                torn += threadsIn(m_path) < 0 ? 1 : 0;
                return first.saves == saves && second.saves == saves;
            };
            QTRY_VERIFY_WITH_TIMEOUT(areSaved(), patience);
            const int threads = threadsIn(m_path);
            QVERIFY(threads == 1 + i % 100 || threads == 101 + i % 100);
        }
        QCOMPARE(torn, 0);
        QCOMPARE(first.failures + second.failures, 0);
        QCOMPARE(QDir(m_folder.path()).entryList({QStringLiteral(".*")}, QDir::Files | QDir::Hidden),
                 QStringList());
    }

    /// A save that is acknowledged is in the file, or the person of the other window was asked before it
    /// went.
    void nobodyOverwritesUnasked()
    {
        Window first, second;
        open(first);
        open(second);
        int lost = 0;
        for (int i = 0; i < m_count; ++i) {
            Window &writer = i % 2 == 0 ? first : second, &other = i % 2 == 0 ? second : first;
            writer.setThreads(1 + i);
            writer.document.save(m_path, Overwrite::Always);
            const int saves = writer.saves;
            QTRY_COMPARE_WITH_TIMEOUT(writer.saves, saves + 1, patience);
            other.setThreads(700000 + i);
            const int refusals = other.refusals, answers = other.answers();
            other.document.save(m_path);
            QTRY_COMPARE_WITH_TIMEOUT(other.answers(), answers + 1, patience);
            QVERIFY(other.document.isModified() || other.refusals == refusals);
            lost += other.refusals == refusals || threadsIn(m_path) != 1 + i ? 1 : 0;
        }
        QCOMPARE(lost, 0);
    }
};

QTEST_MAIN(TwoWindowsTest)
#include "two_windows_test.moc"
