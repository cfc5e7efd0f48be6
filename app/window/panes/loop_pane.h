// SPDX-License-Identifier: GPL-3.0-or-later
/// The loop tree with the action strip above it.
#pragma once

#include <QPointer>
#include <QWidget>

namespace nestwright::document {
class ActionList;
class CommandRegistry;
class Document;
class MachineCode;
} // namespace nestwright::document
namespace nestwright::forms {
class ActionStrip;
}
namespace nestwright::look {
class CardHeader;
}
namespace nestwright::looptree {
class LoopTree;
}

namespace nestwright::app {

class LoopPane : public QWidget {
    Q_OBJECT
public:
    LoopPane(document::Document &document, document::ActionList &actions, document::MachineCode &code,
             document::CommandRegistry &commands, look::CardHeader *header, QWidget *parent = nullptr);

    looptree::LoopTree *tree() const { return m_tree; }
    forms::ActionStrip *strip() const { return m_strip; }

private:
    void addRecipeButton();
    void showHeader();
    void showMenu(const QPoint &at);

    document::Document &m_document;
    document::ActionList &m_actions;
    document::CommandRegistry &m_commands;
    QPointer<look::CardHeader> m_header;
    looptree::LoopTree *m_tree;
    forms::ActionStrip *m_strip;
};

} // namespace nestwright::app
