// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/commands/target_menu.h"

#include "app/window/dialogs/target_dialog.h"
#include "widgets/document/document.h"
#include "widgets/document/text.h"
#include "widgets/jobs/job_runner.h"

#include <QLocale>
#include <QMenu>

namespace nestwright::app {

using document::toQt;
using target::TargetKind;

namespace {

target::Target targetOf(TargetKind kind, int threads = 0)
{
    target::Target target;
    target.kind = kind;
    target.threads = threads;
    return target;
}

} // namespace

TargetMenu::TargetMenu(document::Document &document, QWidget *window)
    : QObject(window)
    , m_document(document)
    , m_window(window)
{
}

void TargetMenu::fill(QMenu *menu)
{
    if (!m_document.isOpen())
        return;
    m_menu = menu;
    lookForDevices();
    for (const target::Kind &kind : target::kinds()) {
        if (!kind.isOfDevices)
            addOfProcessors(menu, kind);
    }
    menu->addSeparator();
    for (const target::Kind &kind : target::kinds()) {
        if (kind.isOfDevices)
            addOfDevices(menu, toQt(kind.title), kind.kind);
    }
    for (const target::Kind &kind : target::kinds()) {
        if (kind.hasArchitectures())
            addArchitectures(menu->addMenu(tr("%1, by architecture").arg(toQt(kind.title))), kind.kind);
    }
    menu->addSeparator();
    menu->addAction(tr("Other…"), this, &TargetMenu::askForAnother);
}

/// Drivers take up to a second, in a process of their own.
void TargetMenu::lookForDevices()
{
    const QString key = QStringLiteral("devices");
    if (m_areKnown || m_document.jobs().isRunning(key))
        return;
    m_document.jobs().run(
        key, this,
        [](const jobs::Job &) {
            Devices found;
            for (const target::Kind &kind : target::kinds()) {
                if (kind.isOfDevices)
                    found[kind.kind] = backend::devices(kind.kind);
            }
            return found;
        },
        [this](const std::shared_ptr<const Devices> &found) {
            m_devices = *found;
            m_areKnown = true;
            if (m_menu && m_menu->isVisible()) {
                m_menu->clear();
                fill(m_menu);
            }
        });
}

void TargetMenu::add(QMenu *menu, const QString &text, const target::Target &target, const QString &toolTip)
{
    QAction *action = menu->addAction(text, this, [this, target] { m_document.setTarget(target); });
    action->setCheckable(true);
    action->setChecked(target == m_document.session().target());
    action->setEnabled(backend::isBuilt(target.kind));
    if (!action->isEnabled())
        action->setToolTip(tr("This program was built without the backend for it."));
    else if (!toolTip.isEmpty())
        action->setToolTip(toolTip);
}

/// "LLVM, this processor, all cores"; of the usual kind one thread as well.
void TargetMenu::addOfProcessors(QMenu *menu, const target::Kind &kind)
{
    const QString name =
        kind.isForProcessorHere ? tr("%1, this processor").arg(toQt(kind.title)) : toQt(kind.title);
    add(menu, tr("%1, all cores").arg(name), targetOf(kind.kind));
    if (&kind == &target::kinds().front())
        add(menu, tr("%1, one thread").arg(name), targetOf(kind.kind, 1));
}

/// "OpenCL, cpu-haswell-…": the device that kernels run on, the first of its kind.
void TargetMenu::addOfDevices(QMenu *menu, const QString &name, TargetKind kind)
{
    const target::Target target = targetOf(kind);
    if (!m_areKnown)
        return add(menu, name, target, tr("Looking for devices…"));
    const std::vector<backend::DeviceFacts> &devices = m_devices[kind];
    if (devices.empty())
        return add(menu, tr("%1, no device here").arg(name), target,
                   tr("Its code can be read, and checked on this processor."));
    const backend::DeviceFacts &first = devices.front();
    QString toolTip = tr("%1 · %2 units · %3 of memory · %4 shared by a block of %5 threads")
                          .arg(toQt(first.driver))
                          .arg(first.computeUnits)
                          .arg(QLocale().formattedDataSize(first.memoryBytes, 1),
                               QLocale().formattedDataSize(first.sharedBytes, 0))
                          .arg(first.mostThreads);
    for (std::size_t i = 1; i < devices.size(); ++i)
        toolTip += '\n' + tr("Not used: %1").arg(toQt(devices[i].name));
    add(menu, tr("%1, %2").arg(name, toQt(first.name)), target, toolTip);
}

void TargetMenu::addArchitectures(QMenu *menu, TargetKind kind)
{
    for (const target::Multiprocessor &each : target::multiprocessors()) {
        target::Target target = targetOf(kind);
        target.arch = each.architecture;
        add(menu, tr("%1: %2").arg(toQt(each.architecture), toQt(each.devices)), target);
    }
}

void TargetMenu::askForAnother()
{
    auto *dialog = new TargetDialog(m_document.session().target(), m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { m_document.setTarget(dialog->target()); });
    dialog->open();
}

} // namespace nestwright::app
