// SPDX-License-Identifier: GPL-3.0-or-later
// A model was open and several of its kernels scheduled when the program was killed: the next start offers
// it, and all is there. NESTWRIGHT_SHOTS=DIR leaves pictures there.
#include "core/session/model/model_project.h"
#include "tests/e2e/driven_window.h"
#include "widgets/document/files/left_behind.h"

#include <QDir>
#include <QPushButton>
#include <QTemporaryDir>

using namespace nestwright;
using e2e::Driver;

namespace {
constexpr int patience = 60000; ///< ms; the machine may be busy
}

class RecoverModelTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    QString autosave() const { return m_folder.filePath(QStringLiteral("autosave")); }
    /// Variants of each kernel that was kept.
    std::map<std::string, int> kept() const
    {
        std::map<std::string, int> variants;
        const QDir folder(autosave());
        for (const QString &name : folder.entryList({QStringLiteral("session-*.nest")})) {
            const auto work = session::loadModelProject(folder.filePath(name).toStdString());
            for (const auto &[kernel, session] : work ? work->sessions : decltype(work->sessions)())
                variants[kernel] = session.tree().size();
        }
        return variants;
    }

private Q_SLOTS:
    void theNextStartOffersIt()
    {
        const QString model =
            QDir::currentPath() + QStringLiteral("/examples/models/transformer_encoder.onnx");
        int first = 0, second = 0;
        {
            Driver driver(m_folder.path());
            QCOMPARE(driver.ask(QStringLiteral("open ") + model), QStringLiteral("opened"));
            QCOMPARE(driver.ask(QStringLiteral("kernel 0")), QStringLiteral("kernel"));
            first = driver.ask(QStringLiteral("step")).section(u' ', 1).toInt();
            QCOMPARE(driver.ask(QStringLiteral("kernel 1")), QStringLiteral("kernel"));
            driver.ask(QStringLiteral("step"));
            second = driver.ask(QStringLiteral("step")).section(u' ', 1).toInt();
            QVERIFY(first > 1 && second > 2);
            QTRY_VERIFY_WITH_TIMEOUT(
                std::ranges::contains(kept(), second, [](const auto &k) { return k.second; }), patience);
        } // killed

        look::Theme theme(*qApp, look::Mode::Light);
        app::MainWindow window(theme, {m_folder.filePath(QStringLiteral("settings.ini")), autosave()});
        window.resize(1366, 768);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QVERIFY(window.banner()->isVisible());
        QVERIFY2(window.banner()->text().contains(QStringLiteral("did not end in order")),
                 qPrintable(window.banner()->text()));
        QPushButton *restore = nullptr;
        for (QPushButton *button : window.banner()->findChildren<QPushButton *>()) {
            if (button->text().remove(u'&') == u"Restore")
                restore = button;
        }
        QVERIFY(restore);
        QTest::mouseClick(restore, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(
            window.model().isOpen() && window.model().kernel() >= 0 && !window.document().isBusy(), patience);
        QCOMPARE(QString::fromStdString(window.model().model().path), model);
        QCOMPARE(window.model().kernel(), 1);
        QCOMPARE(window.document().tree().size(), second);
        QVERIFY(window.document().isModified());
        if (const QString shots = qEnvironmentVariable("NESTWRIGHT_SHOTS"); !shots.isEmpty()) {
            QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), patience);
            window.grab().save(shots + QStringLiteral("/recovered_model.png"));
        }
        window.model().openKernel(0);
        QTRY_COMPARE_WITH_TIMEOUT(window.model().kernel(), 0, patience);
        QCOMPARE(window.document().tree().size(), first);
        // It is kept by this run before the file of the other goes.
        QTRY_COMPARE_WITH_TIMEOUT(QDir(autosave()).entryList({QStringLiteral("session-*.nest")}).size(), 1,
                                  patience);
        for (const int variants : {first, second})
            QTRY_VERIFY_WITH_TIMEOUT(
                std::ranges::contains(kept(), variants, [](const auto &k) { return k.second; }), patience);
    }
};

DRIVEN_TEST_MAIN(RecoverModelTest)
#include "recover_model_test.moc"
