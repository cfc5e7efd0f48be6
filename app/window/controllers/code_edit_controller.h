// SPDX-License-Identifier: GPL-3.0-or-later
/// Editing of generated code: the target source in its editor, the variants that come of it, and the question
/// before those of a file are run.
#pragma once

#include "core/session/history/variant_tree.h"

#include <QElapsedTimer>
#include <QObject>

#include <optional>

class QWidget;

namespace nestwright::document {
class CommandRegistry;
class Document;
class Measuring;
class TargetSource;
} // namespace nestwright::document

namespace nestwright::app {

class Banner;
class CodeEditPane;
class SourcePane;

class CodeEditController : public QObject {
    Q_OBJECT
public:
    /// `dock` holds the pane; `window` owns the questions.
    CodeEditController(document::Document &document, document::Measuring &measuring,
                       document::TargetSource &source, SourcePane &pane, CodeEditPane &editor, QWidget &dock,
                       document::CommandRegistry &commands, Banner &banner, QWidget *window);

    void addCommands();
    /// Makes a variant of a text that was changed and not applied, so that it is not lost.
    void keep();
    /// Seconds from *Apply edit* to the last verdict; nothing before.
    std::optional<double> secondsToVerdict() const { return m_toVerdict; }

private:
    /// Opens the editor on the current variant's code of the kind shown.
    void begin();
    void edit(session::VariantId of, const session::CodeEdit &edit);
    void apply();
    void askToLeave();
    void leave();
    void carry();
    void askToRun();
    void measured(int variant);
    void settle(int variant);
    QString whyNotEditable() const;
    QString whyNotCarried() const;

    document::Document &m_document;
    document::Measuring &m_measuring;
    document::TargetSource &m_source;
    SourcePane &m_pane;
    CodeEditPane &m_editor;
    QWidget &m_dock;
    document::CommandRegistry &m_commands;
    Banner &m_banner;
    QWidget *m_window;
    std::optional<session::VariantId> m_edited;  ///< whose code the editor has
    std::optional<session::VariantId> m_applied; ///< whose verdict is awaited
    std::optional<session::VariantId> m_last;    ///< edited code that was current last
    QElapsedTimer m_sinceApply;
    std::optional<double> m_toVerdict;
};

} // namespace nestwright::app
