// SPDX-License-Identifier: GPL-3.0-or-later
/// The loop nest as TVMScript: linked with the tree, as a difference, with previews; and the schedule as a
/// script.
#pragma once

#include "core/script/dialect.h"
#include "core/session/history/variant_tree.h"

#include <QPointer>
#include <QWidget>

#include <memory>
#include <optional>

namespace nestwright::code {
class CodeEditor;
class CodeView;
class DifferenceView;
class Languages;
} // namespace nestwright::code
namespace nestwright::document {
class ActionList;
class Document;
} // namespace nestwright::document
namespace nestwright::look {
class CardHeader;
}

namespace nestwright::app {

class ScriptLine;

class NestPane : public QWidget {
    Q_OBJECT
public:
    enum Tab { Nest, AgainstParent, AgainstFirst, Script, File, AgainstChosen };

    NestPane(document::Document &document, document::ActionList &actions, look::CardHeader *header,
             std::shared_ptr<const code::Languages> languages, QWidget *parent = nullptr);

    code::CodeView *view() const { return m_view; }
    code::DifferenceView *difference() const { return m_difference; }
    void setTab(int tab);
    int tab() const { return m_tab; }
    bool isComparing() const { return m_tab != Nest && !isText(); }
    /// Whether it shows text, without loops to select.
    bool isText() const { return m_tab == Script || m_tab == File; }
    /// Shows the difference from `base`, which has a tab of its own from then on.
    void compareWith(session::VariantId base);
    /// Shows each loop on a line of its own, none in T.grid.
    void setGridsSplit(bool split);
    bool areGridsSplit() const { return m_splitsGrids; }
    /// Sets the form in which the schedule is shown as a script.
    void setDialect(script::Dialect dialect);

    /// Stands in place of the schedule's script while that is edited.
    code::CodeEditor *scriptEditor() const { return m_editor; }
    /// Below the script, edited or not.
    ScriptLine *scriptLine() const { return m_scriptLine; }
    void setEditing(bool on);
    bool isEditing() const { return m_isEditing; }
    /// Whether the view has the script of the current variant.
    bool hasScript() const { return m_hasScript; }

Q_SIGNALS:
    /// The view has got the script of the current variant.
    void scriptShown();

private:
    void show();
    void showNest();
    void showDifference(session::VariantId base);
    void showScript();
    void showParts();
    void showFile();
    void showPreview();
    void showSelection();
    void highlight();
    void choose(std::optional<session::VariantId> base);
    void offerComparison();
    std::optional<session::VariantId> base() const;

    document::Document &m_document;
    document::ActionList &m_actions;
    QPointer<look::CardHeader> m_header;
    code::DifferenceView *m_difference;
    code::CodeView *m_view; ///< of the program as it is now
    int m_tab = Nest;
    std::optional<session::VariantId> m_chosen; ///< compared with in the last tab
    script::Dialect m_dialect = script::Dialect::Tvm023;
    bool m_previewing = false;
    bool m_splitsGrids = false;
    code::CodeEditor *m_editor;
    ScriptLine *m_scriptLine;
    bool m_isEditing = false;
    bool m_hasScript = false;
};

} // namespace nestwright::app
