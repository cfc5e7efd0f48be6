// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/controllers/export_processor.h"

#include "app/window/commands/command_menu.h"
#include "app/window/dialogs/target_dialog.h"
#include "app/window/frame/window_settings.h"
#include "core/backend/backend.h"
#include "core/target/kinds.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/text.h"

#include <QMenu>

#include <algorithm>
#include <array>

namespace nestwright::app {

using document::toQt;

namespace {

const QString processorKey = QStringLiteral("exportProcessor");
const QString commandPrefix = QStringLiteral("export.processor.");

/// The levels of x86-64 (System V ABI, AMD64 supplement), and processors that many people have.
#if defined(__x86_64__)
constexpr std::array named{"x86-64",  "x86-64-v2",      "x86-64-v3", "x86-64-v4",
                           "haswell", "skylake-avx512", "znver3"};
#else
constexpr std::array named{"generic", "cortex-a72", "neoverse-n1", "neoverse-v1"};
#endif

target::Target processorOf(const char *name)
{
    target::Target target;
    target.mcpu = name;
    return target;
}

} // namespace

ExportProcessor::ExportProcessor(WindowSettings &settings, document::CommandRegistry &commands,
                                 QWidget *window)
    : QObject(window)
    , m_settings(settings)
    , m_commands(commands)
    , m_window(window)
{
    const auto remembered = target::parseTarget(m_settings.value(processorKey).toString().toStdString());
    if (remembered && backend::checkTarget(*remembered))
        m_processor = *remembered;
}

void ExportProcessor::addCommands()
{
    const auto add = [this](const QString &id, const QString &title, const target::Target &processor) {
        m_commands.add({.id = commandPrefix + id,
                        .title = title,
                        .group = tr("Exports run on"),
                        .run = [this, processor] { choose(processor); },
                        .checked = [this, processor] { return m_processor == processor; }});
    };
    add(QStringLiteral("this"), tr("Export for the target's processor"), {});
    for (const char *name : named)
        add(QLatin1String(name), tr("Export for %1").arg(QLatin1String(name)), processorOf(name));
    m_commands.add(
        {.id = commandPrefix + QStringLiteral("other"),
         .title = tr("Export for another processor…"),
         .group = tr("Exports run on"),
         .run = [this] { askForAnother(); },
         .checked =
             [this] { return isNamed() && !std::ranges::contains(named, m_processor, &processorOf); }});
}

void ExportProcessor::fillMenu(QMenu *menu)
{
    QMenu *inside = menu->addMenu(tr("Code for %1").arg(name()));
    app::addCommands(inside, m_commands, {commandPrefix + QStringLiteral("this")});
    inside->addSeparator();
    for (const char *each : named)
        app::addCommands(inside, m_commands, {commandPrefix + QLatin1String(each)});
    inside->addSeparator();
    app::addCommands(inside, m_commands, {commandPrefix + QStringLiteral("other")});
}

bool ExportProcessor::isNamed() const
{
    return !m_processor.mcpu.empty() || !m_processor.mattr.empty() || !m_processor.mtriple.empty();
}

QString ExportProcessor::name() const
{
    if (!isNamed())
        return tr("this processor");
    return m_processor.mcpu.empty() ? toQt(m_processor.str()) : toQt(m_processor.mcpu);
}

target::Target ExportProcessor::appliedTo(target::Target target) const
{
    if (!isNamed() || target.isGpu())
        return target;
    target.mcpu = m_processor.mcpu;
    target.mattr = m_processor.mattr;
    if (target::kindOf(target.kind).takes(&target::Target::mtriple))
        target.mtriple = m_processor.mtriple;
    return target;
}

void ExportProcessor::choose(const target::Target &processor)
{
    m_processor = processor;
    m_settings.setValue(processorKey, isNamed() ? toQt(processor.str()) : QString());
}

void ExportProcessor::askForAnother()
{
    auto *dialog = new TargetDialog(m_processor, m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Processor of exports"));
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        target::Target processor;
        processor.mcpu = dialog->target().mcpu;
        processor.mattr = dialog->target().mattr;
        processor.mtriple = dialog->target().mtriple;
        choose(processor);
    });
    dialog->open();
}

} // namespace nestwright::app
