// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/commands/variant_menu.h"

#include "app/window/commands/history_commands.h"
#include "app/window/commands/step_search_commands.h"
#include "app/window/controllers/export_controller.h"
#include "app/window/controllers/exports.h"
#include "app/window/panes/nest_pane.h"
#include "core/target/target.h"
#include "widgets/document/document.h"
#include "widgets/document/work/measuring.h"

#include <QClipboard>
#include <QGuiApplication>

namespace nestwright::app {

VariantMenu::VariantMenu(int variant, document::Document &document, document::Measuring &measuring,
                         NestPane &nestPane, ExportController &exports, StepSearchCommands &search,
                         const std::function<void(session::VariantId)> &compare, QWidget *parent)
    : QMenu(parent)
{
    setToolTipsVisible(true);
    const session::Variant &chosen = document.tree().at({variant});
    QAction *jump =
        addAction(tr("Go to this variant"), &document, [&document, variant] { document.jumpTo({variant}); });
    for (const auto &[target, measurement] : chosen.elsewhere) {
        const QString name = QString::fromStdString(target);
        addAction(tr("Go to this variant on %1").arg(name), &document, [&document, variant, text = target] {
            if (const auto parsed = target::parseTarget(text))
                document.setTarget(*parsed);
            document.jumpTo({variant});
        });
    }
    QAction *measure =
        addAction(tr("Measure"), &measuring, [&measuring, variant] { measuring.measure({{variant}}); });
    QAction *check = addAction(tr("Check on every rung of trust"), &measuring,
                               [&measuring, variant] { measuring.check({variant}); });
    search.addTo(*this, {variant});
    QAction *loops =
        addAction(tr("Compare with the current variant"), this, [compare, variant] { compare({variant}); });
    QAction *difference = addAction(tr("Show the difference from this variant"), &nestPane,
                                    [&nestPane, variant] { nestPane.compareWith({variant}); });
    QAction *script = addAction(tr("Copy schedule script"), &document, [&document, &exports, variant] {
        if (const auto text = scheduleScript(document.session(), {variant}, exports.dialect()))
            QGuiApplication::clipboard()->setText(QString::fromStdString(*text));
    });
    addSeparator();
    addEditsOf(*this, document, measuring, {variant});
    addEditsOnto(*this, document, {variant}, document.currentId());
    addSeparator();
    QAction *save = addAction(tr("Export schedule script…"), &exports, [&document, &exports, variant] {
        document.jumpTo({variant});
        exports.choose(QStringLiteral("schedule"));
    });
    for (QAction *action : {jump, measure, check, script, save})
        action->setEnabled(chosen.ok());
    for (QAction *action : {loops, difference})
        action->setEnabled(chosen.ok() && variant != document.currentId().value);
    if (!chosen.ok())
        addAction(tr("Copy the reason"), this, [diagnostic = chosen.state.error()] {
            QGuiApplication::clipboard()->setText(QString::fromStdString(diagnostic.render()));
        });
}

} // namespace nestwright::app
