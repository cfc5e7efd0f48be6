// SPDX-License-Identifier: GPL-3.0-or-later
/// The window in a process of its own, which a test drives, kills and lets fail. The process is the test's
/// own program, started with NESTWRIGHT_DRIVEN naming the folder where it keeps what outlives it. Commands
/// come by standard input, a line each; each is answered by one line when it is done:
///   open PATH      "opened"                       kernel NUMBER  "kernel" (of the model)
///   step           "stepped N" (variants)         save PATH      "saved N", or "failed MESSAGE"
///   measure        "measuring"                    model          "measuring"
///   fault KIND:N:E "armed" (tests/faults)         state          "modified" or "saved"
///   fork           "armed": the process is killed where it has copied itself to start a program
#pragma once

#include "app/window/frame/banner.h"
#include "app/window/frame/main_window.h"
#include "core/schedule/primitive.h"
#include "widgets/document/document.h"
#include "widgets/document/files/autosave.h"
#include "widgets/document/model.h"
#include "widgets/document/text.h"
#include "widgets/document/work/measuring.h"
#include "widgets/document/work/model_measuring.h"
#include "widgets/look/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QProcess>
#include <QSocketNotifier>
#include <QtTest>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <dlfcn.h>
#include <functional>
#include <iostream>
#include <pthread.h>
#include <string>
#include <thread>

namespace nestwright::e2e {

/// Within the process: carries out commands.
class DrivenWindow {
public:
    explicit DrivenWindow(const QString &folder)
        : m_theme(*qApp, look::Mode::Light)
        , m_window(m_theme, {folder + QStringLiteral("/settings.ini"), folder + QStringLiteral("/autosave")},
                   true)
    {
        m_window.measuring().setEffort({1000, 1});
        m_window.show();
    }

    void run(const QString &line)
    {
        const QString command = line.section(u' ', 0, 0), rest = line.section(u' ', 1);
        document::Document &document = m_window.document();
        if (command == u"open") {
            m_window.open(rest);
            m_window.connect(
                &document, &document::Document::opened, &m_window, [] { answer("opened"); },
                Qt::SingleShotConnection);
        } else if (command == u"kernel") {
            m_window.model().openKernel(rest.toInt());
            m_window.connect(
                &document, &document::Document::opened, &m_window, [] { answer("kernel"); },
                Qt::SingleShotConnection);
        } else if (command == u"step") {
            step();
        } else if (command == u"save") {
            save(rest);
        } else if (command == u"measure") {
            m_window.measuring().measureAll();
            answer("measuring");
        } else if (command == u"model") {
            m_window.modelMeasuring().measure();
            answer("measuring");
        } else if (command == u"fault") {
            answer("armed");
            armFault(rest.toUtf8().constData());
        } else if (command == u"fork") {
            pthread_atfork(nullptr, [] { std::raise(SIGKILL); }, nullptr);
            answer("armed");
        } else if (command == u"state") {
            answer(document.isModified() ? "modified" : "saved");
        }
    }

    static void answer(const std::string &text)
    {
        armFault(nullptr);
        std::cout << text << std::endl; // NOLINT: the other side waits for it
    }

private:
    static void armFault(const char *wish)
    {
        using Arm = void (*)(const char *);
        if (const auto arm = reinterpret_cast<Arm>(dlsym(RTLD_DEFAULT, "nestwrightArmFault")))
            arm(wish);
    }
    /// One that the loop does not run by already, and that was not made here before: whether it is legal or
    /// becomes a refused variant, there is one more.
    static schedule::Step newStep(const document::Document &document, const document::NestRow &loop)
    {
        schedule::Step step;
        for (const auto &[name, badge] : {std::pair{"parallel", u"parallel"}, std::pair{"unroll", u"unroll"},
                                          std::pair{"vectorize", u"vector"}}) {
            step = schedule::makeStep(name, {{"loop", loop.id}}).value();
            const auto isMade = [&](session::VariantId child) {
                return document.tree().at(child).step == step;
            };
            if (loop.badge != badge && std::ranges::none_of(document.tree().current().children, isMade))
                break;
        }
        return step;
    }
    void step()
    {
        document::Document &document = m_window.document();
        const auto &rows = document.nest()->rows;
        const auto loop = std::ranges::find(rows, document::RowKind::Loop, &document::NestRow::kind);
        const int before = document.tree().size();
        document.apply(newStep(document, *loop));
        waitFor([&document, before] { return document.tree().size() > before && !document.isBusy(); },
                [&document] { answer("stepped " + std::to_string(document.tree().size())); });
    }
    void save(const QString &path)
    {
        document::Document &document = m_window.document();
        auto *once = new QObject(&m_window);
        m_window.connect(&document, &document::Document::saved, once, [once, size = document.tree().size()] {
            once->deleteLater();
            answer("saved " + std::to_string(size));
        });
        m_window.connect(
            &document, &document::Document::failed, once, [this, once](const support::Diagnostic &told) {
                once->deleteLater();
                const bool isShown = m_window.banner()->isVisible()
                                     && m_window.banner()->text().contains(document::sentence(told.message));
                answer("failed " + std::string(isShown ? "" : "in silence: ") + told.message);
            });
        document.save(path);
    }
    void waitFor(const std::function<bool()> &isTrue, const std::function<void()> &then)
    {
        auto *timer = new QTimer(&m_window);
        m_window.connect(timer, &QTimer::timeout, &m_window, [timer, isTrue, then] {
            if (!isTrue())
                return;
            timer->stop();
            timer->deleteLater();
            then();
        });
        timer->start(2);
    }

    look::Theme m_theme;
    app::MainWindow m_window;
};

/// The process's main function. It ends when its input does.
inline int runDriven(int argc, char **argv)
{
    QApplication application(argc, argv);
    DrivenWindow window(qEnvironmentVariable("NESTWRIGHT_DRIVEN"));
    std::thread([&window] {
        for (std::string line; std::getline(std::cin, line);)
            QMetaObject::invokeMethod(qApp, [&window, line] { window.run(QString::fromStdString(line)); });
        std::_Exit(0);
    }).detach();
    return QApplication::exec();
}

/// In the test: the process.
class Driver {
public:
    explicit Driver(const QString &folder, const QProcessEnvironment &with = {})
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(with);
        environment.insert(QStringLiteral("NESTWRIGHT_DRIVEN"), folder);
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        environment.insert(QStringLiteral("NESTWRIGHT_CRASH_REPORTS"), QStringLiteral("0"));
        m_process.setProcessEnvironment(environment);
        m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        m_process.start(QCoreApplication::applicationFilePath(), QStringList());
        if (!m_process.waitForStarted())
            qFatal("the window does not start");
    }
    ~Driver()
    {
        m_process.kill();
        m_process.waitForFinished();
    }

    void tell(const QString &command) { m_process.write(command.toUtf8() + '\n'); }
    /// The next answer; empty where there is none in time, or the process has ended.
    QString answer(int milliseconds = 120000)
    {
        QElapsedTimer timer;
        timer.start();
        while (!m_process.canReadLine()) {
            if (m_process.state() == QProcess::NotRunning || timer.elapsed() > milliseconds)
                return {};
            m_process.waitForReadyRead(50);
        }
        return QString::fromUtf8(m_process.readLine()).trimmed();
    }
    QString ask(const QString &command)
    {
        tell(command);
        return answer();
    }
    /// The answers that came since, without waiting.
    QStringList answers()
    {
        m_process.waitForReadyRead(0);
        QStringList all;
        while (m_process.canReadLine())
            all << QString::fromUtf8(m_process.readLine()).trimmed();
        return all;
    }
    QProcess &process() { return m_process; }

private:
    QProcess m_process;
};

} // namespace nestwright::e2e

/// Instead of QTEST_MAIN.
#define DRIVEN_TEST_MAIN(Test)                                                                               \
    int main(int argc, char **argv)                                                                          \
    {                                                                                                        \
        if (qEnvironmentVariableIsSet("NESTWRIGHT_DRIVEN"))                                                  \
            return nestwright::e2e::runDriven(argc, argv);                                                   \
        QApplication application(argc, argv);                                                                \
        Test test;                                                                                           \
        return QTest::qExec(&test, argc, argv);                                                              \
    }
