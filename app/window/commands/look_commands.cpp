// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/commands/look_commands.h"

#include "app/window/frame/window_settings.h"
#include "widgets/document/command_registry.h"
#include "widgets/look/fonts.h"
#include "widgets/look/theme.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace nestwright::app {

namespace {

struct LookText {
    Q_DECLARE_TR_FUNCTIONS(LookCommands)
};
const QString textScaleKey = QStringLiteral("textScale");
const QString reducedMotionKey = QStringLiteral("reducedMotion");

void addThemeCommands(document::CommandRegistry &commands, WindowSettings &settings, look::Theme &theme)
{
    const std::pair<const char *, look::Mode> modes[] = {
        {"light", look::Mode::Light}, {"dark", look::Mode::Dark}, {"system", look::Mode::System}};
    for (const auto &[name, mode] : modes) {
        const QString id = QString::fromLatin1(name);
        commands.add({.id = QStringLiteral("view.theme.") + id,
                      .title = mode == look::Mode::System  ? LookText::tr("Theme as the system's")
                               : mode == look::Mode::Light ? LookText::tr("Light theme")
                                                           : LookText::tr("Dark theme"),
                      .group = LookText::tr("View"),
                      .run =
                          [&settings, &theme, mode, id] {
                              theme.setMode(mode);
                              settings.setValue(QStringLiteral("theme"), id);
                          },
                      .checked = [&theme, mode] { return theme.mode() == mode; }});
    }
}

void addMotionCommand(document::CommandRegistry &commands, WindowSettings &settings, look::Theme &theme)
{
    const auto isReduced = std::make_shared<bool>(settings.value(reducedMotionKey, false).toBool());
    if (!settings.isFresh())
        theme.setReducedMotion(*isReduced);
    commands.add({.id = QStringLiteral("view.reducedMotion"),
                  .title = LookText::tr("Reduced motion"),
                  .group = LookText::tr("View"),
                  .run =
                      [&settings, &theme, isReduced] {
                          *isReduced = !*isReduced;
                          theme.setReducedMotion(*isReduced);
                          settings.setValue(reducedMotionKey, *isReduced);
                      },
                  .checked = [isReduced] { return *isReduced; }});
}

void addTextCommands(document::CommandRegistry &commands, WindowSettings &settings, look::Theme &theme)
{
    const std::pair<double, QString> scales[] = {{0.9, LookText::tr("Small text")},
                                                 {1.0, LookText::tr("Normal text")},
                                                 {1.15, LookText::tr("Large text")},
                                                 {1.3, LookText::tr("Very large text")}};
    const double saved = settings.value(textScaleKey, 1.0).toDouble();
    if (!settings.isFresh()
        && std::ranges::find(scales, saved, &std::pair<double, QString>::first) != std::end(scales))
        theme.setTextScale(saved);
    for (const auto &[scale, title] : scales) {
        commands.add({.id = QStringLiteral("view.text.%1").arg(std::lround(scale * 100)),
                      .title = title,
                      .group = LookText::tr("View"),
                      .run =
                          [&settings, &theme, scale] {
                              theme.setTextScale(scale);
                              settings.setValue(textScaleKey, scale);
                          },
                      .checked = [scale] { return look::textScale() == scale; }});
    }
}

} // namespace

void addLookCommands(document::CommandRegistry &commands, WindowSettings &settings, look::Theme &theme)
{
    addThemeCommands(commands, settings, theme);
    addTextCommands(commands, settings, theme);
    addMotionCommand(commands, settings, theme);
}

} // namespace nestwright::app
