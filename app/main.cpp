// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/controllers/program_facts.h"
#include "app/window/frame/main_window.h"
#include "app/window/frame/screenshot.h"
#include "core/support/build_facts.h"
#include "core/support/errors/crash_report.h"
#include "core/support/files/bundled_data.h"
#include "core/support/files/standard_streams.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/model.h"
#include "widgets/document/selection.h"
#include "widgets/document/text.h"
#include "widgets/document/work/measuring.h"
#include "widgets/document/work/model_measuring.h"
#include "widgets/jobs/mailbox.h"
#include "widgets/look/theme.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QSettings>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>

using namespace nestwright;

namespace {

constexpr int badUsage = 2;

struct Options {
    QString file, schedule, screenshot, select;
    std::optional<look::Mode> theme;
    QSize size;
    bool measure = false;
};

/// Ends the program where it asks for help or the version.
std::optional<Options> parse(const QStringList &arguments)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("Schedules kernels by hand and measures the result."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("file"),
                                 QStringLiteral("model, kernel, session or op:NAME(…) to open"),
                                 QStringLiteral("[FILE]"));
    parser.addOptions(
        {{QStringLiteral("schedule"), QStringLiteral("apply this schedule script"), QStringLiteral("S.py")},
         {QStringLiteral("theme"), QStringLiteral("light, dark or system"), QStringLiteral("theme")},
         {QStringLiteral("size"), QStringLiteral("size of the window, such as 1600x1000"),
          QStringLiteral("WxH")},
         {QStringLiteral("select"), QStringLiteral("select the loop or block of this name"),
          QStringLiteral("name")},
         {QStringLiteral("measure"), QStringLiteral("measure all variants, or the model")},
         {QStringLiteral("screenshot"), QStringLiteral("save a picture when all is loaded, and end"),
          QStringLiteral("out.png")}});
    parser.process(arguments);
    Options options;
    options.file = parser.positionalArguments().value(0);
    options.schedule = parser.value(QStringLiteral("schedule"));
    options.screenshot = parser.value(QStringLiteral("screenshot"));
    options.select = parser.value(QStringLiteral("select"));
    options.measure = parser.isSet(QStringLiteral("measure"));
    const QString theme = parser.value(QStringLiteral("theme"));
    if (theme == u"light")
        options.theme = look::Mode::Light;
    else if (theme == u"dark")
        options.theme = look::Mode::Dark;
    else if (theme == u"system")
        options.theme = look::Mode::System;
    else if (!theme.isEmpty()) {
        std::fprintf(stderr, "nestwright: --theme is '%s'; it can be light, dark or system\n",
                     qPrintable(theme));
        return {};
    }
    if (const QString size = parser.value(QStringLiteral("size")); !size.isEmpty()) {
        const QStringList parts = size.split(u'x');
        options.size = {parts.value(0).toInt(), parts.value(1).toInt()};
        if (options.size.width() < 200 || options.size.height() < 200) {
            std::fprintf(stderr, "nestwright: --size is '%s'; expected something like 1600x1000\n",
                         qPrintable(size));
            return {};
        }
    }
    return options;
}

bool asksForHelp(const QStringList &arguments)
{
    return std::ranges::any_of(arguments, [](const QString &each) {
        return each == u"-h" || each == u"--help" || each == u"-v" || each == u"--version";
    });
}

look::Mode savedTheme()
{
    const QString saved = QSettings().value(QStringLiteral("theme")).toString();
    return saved == u"light" ? look::Mode::Light : saved == u"dark" ? look::Mode::Dark : look::Mode::System;
}

/// Carries out the options once a file is open.
void follow(app::MainWindow &window, const Options &options)
{
    document::Document &document = window.document();
    if (!options.select.isEmpty() && document.nest()) {
        for (const document::NestRow &row : document.nest()->rows) {
            if (row.name == options.select) {
                document.selection().select(row.id);
                break;
            }
        }
    }
    if (options.measure && window.model().isOpen())
        window.modelMeasuring().measure();
    else if (options.measure)
        window.measuring().measureAll();
}

/// Runs the program with an open window, and gives its exit status.
int show(QApplication &application, const Options &options)
{
    const bool fresh = !options.screenshot.isEmpty();
    look::Theme theme(application, options.theme.value_or(fresh ? look::Mode::Light : savedTheme()));
    app::MainWindow window(theme, {}, fresh);
    if (options.size.isValid())
        window.resize(options.size);
    window.show();
    // A message box would wait for somebody who is not there.
    if (fresh) {
        theme.setReducedMotion(true);
        QObject::connect(&window.document(), &document::Document::openFailed, &window,
                         [](const support::Diagnostic &diagnostic) {
                             std::fprintf(stderr, "%s\n", diagnostic.render().c_str());
                             QCoreApplication::exit(badUsage);
                         });
    }
    bool scheduled = options.schedule.isEmpty();
    QObject::connect(
        &window.document(), &document::Document::currentChanged, &window,
        [&] {
            if (!scheduled) {
                scheduled = true;
                window.open(options.schedule);
                return;
            }
            static bool followed = false;
            if (!std::exchange(followed, true))
                follow(window, options);
        },
        Qt::QueuedConnection);
    if (!options.file.isEmpty())
        window.open(options.file);
    std::optional<app::Screenshot> screenshot;
    if (fresh)
        screenshot.emplace(window, options.screenshot);
    return QApplication::exec();
}

} // namespace

int main(int argc, char **argv)
{
    support::holdStandardStreams();
    support::outliveFileLimit();
    support::useBundledData();
    QApplication::setApplicationName(QStringLiteral("nestwright"));
    QApplication::setOrganizationName(QStringLiteral("nestwright"));
    QApplication::setApplicationDisplayName(QStringLiteral("Nestwright"));
    QApplication::setApplicationVersion(document::toQt(support::programVersion()));
    if (asksForHelp({argv, argv + argc})) { // which needs no display
        const QCoreApplication application(argc, argv);
        parse(QCoreApplication::arguments());
    }
    QApplication application(argc, argv);
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/nestwright/nestwright.svg")));
    QApplication::setDesktopFileName(QStringLiteral("org.nestwright.nestwright"));
    const std::optional<Options> options = parse(QApplication::arguments());
    if (!options)
        return badUsage;

    if (QSettings().value(QStringLiteral("crashReports"), true).toBool())
        support::writeCrashReports(support::crashFolder(), app::factsText(app::programFacts()));
    const int status = show(application, *options);
    if (jobs::abandonedThreads() > 0) // they still use what the end of the program would destroy
        std::_Exit(status);
    return status;
}
