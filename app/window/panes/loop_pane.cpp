// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panes/loop_pane.h"

#include "app/window/commands/command_menu.h"
#include "widgets/document/action_list.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/selection.h"
#include "widgets/document/text.h"
#include "widgets/forms/action_strip.h"
#include "widgets/look/button.h"
#include "widgets/look/card.h"
#include "widgets/looptree/loop_tree.h"

#include <QMenu>
#include <QVBoxLayout>

namespace nestwright::app {

namespace {
constexpr int leastPaneWidth = 260;
}

LoopPane::LoopPane(document::Document &document, document::ActionList &actions, document::MachineCode &code,
                   document::CommandRegistry &commands, look::CardHeader *header, QWidget *parent)
    : QWidget(parent)
    , m_document(document)
    , m_actions(actions)
    , m_commands(commands)
    , m_header(header)
    , m_tree(new looptree::LoopTree(document, actions, code, this))
    , m_strip(new forms::ActionStrip(document, actions, this))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_strip);
    layout->addWidget(m_tree, 1);
    setMinimumWidth(leastPaneWidth);
    setTabOrder(m_tree, m_strip);
    m_strip->setFocusProxy(m_tree);
    connect(m_tree, &looptree::LoopTree::menuRequested, this, &LoopPane::showMenu);
    connect(&document, &document::Document::currentChanged, this, &LoopPane::showHeader);
    if (m_header)
        addRecipeButton();
}

void LoopPane::addRecipeButton()
{
    auto *button = new look::Button(tr("Recipe"), this);
    button->setSmall();
    button->setToolTip(
        tr("Apply a recipe: a schedule that fits itself to the sizes of the kernel (Shift+R)"));
    button->setFocusPolicy(Qt::NoFocus);
    button->setObjectName(QStringLiteral("loops.recipe"));
    button->hide();
    connect(button, &QPushButton::clicked, this,
            [this] { m_commands.trigger(QStringLiteral("schedule.recipe")); });
    connect(&m_document, &document::Document::currentChanged, button, &QWidget::show);
    m_header->addWidget(button);
}

void LoopPane::showHeader()
{
    if (!m_header)
        return;
    const session::Variant &current = m_document.tree().current();
    m_header->setSecondary(
        tr("variant %1 · %2").arg(current.id.value).arg(QString::fromStdString(current.label)));
}

void LoopPane::showMenu(const QPoint &at)
{
    QMenu menu(this);
    schedule::Group group = schedule::Group::Query;
    for (const suggest::Action &action : m_actions.actions()) {
        if (action.primitive->group != group && !menu.isEmpty())
            menu.addSeparator();
        group = action.primitive->group;
        QAction *entry = menu.addAction(document::toQt(action.title));
        entry->setEnabled(action.legal());
        entry->setToolTip(action.refused ? document::sentence(action.refused->message) : QString());
        entry->setShortcut(QKeySequence(
            QString::fromUtf8(action.primitive->key.data(), qsizetype(action.primitive->key.size()))));
        connect(entry, &QAction::triggered, this,
                [this, primitive = action.primitive] { m_strip->trigger(primitive->name); });
    }
    menu.addSeparator();
    app::addCommands(&menu, m_commands, {QStringLiteral("schedule.tryPlaces")});
    menu.setToolTipsVisible(true);
    if (!menu.isEmpty())
        menu.exec(at);
}

} // namespace nestwright::app
