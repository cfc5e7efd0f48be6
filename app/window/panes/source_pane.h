// SPDX-License-Identifier: GPL-3.0-or-later
/// The current variant's text for the target, linked with the loops: the lowered module, assembly, LLVM IR,
/// C, …
#pragma once

#include "core/backend/backend.h"

#include <QPointer>
#include <QStringList>
#include <QWidget>

#include <memory>

namespace nestwright::code {
class CodeView;
class Languages;
} // namespace nestwright::code
namespace nestwright::document {
class Document;
class FindingList;
class MachineCode;
class TargetSource;
} // namespace nestwright::document
namespace nestwright::look {
class Button;
class CardHeader;
class FindingBox;
} // namespace nestwright::look

namespace nestwright::app {

class SourcePane : public QWidget {
    Q_OBJECT
public:
    SourcePane(document::Document &document, document::TargetSource &source, document::MachineCode &code,
               document::FindingList &findings, look::CardHeader *header,
               std::shared_ptr<const code::Languages> languages, QWidget *parent = nullptr);

    code::CodeView *view() const { return m_view; }
    /// Takes the place of the view while code is edited; the pane owns it.
    void setEditor(QWidget *editor);
    void setEditing(bool on);
    void setKind(backend::SourceKind kind);
    /// Names of the sources that stand in a tab for its plain one: those that its switch chose.
    QStringList forms() const { return m_forms; }
    void setForms(const QStringList &forms);

Q_SIGNALS:
    void formsChanged();

protected:
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void makeHeader();
    void keepSwitchWidth();
    void showTabs();
    void followTarget();
    void chooseTab(int index);
    void show();
    void showSelection();
    void forgetOther();
    void showFinding();
    void findResources();
    void showMachineCode();

    document::Document &m_document;
    document::TargetSource &m_source;
    document::MachineCode &m_code;
    document::FindingList &m_findings;
    QPointer<look::CardHeader> m_header;
    code::CodeView *m_view;
    QWidget *m_editor = nullptr;
    QString m_command; ///< that mends the problem
    look::FindingBox *m_problem;
    look::FindingBox *m_finding;
    look::FindingBox *m_resources; ///< of a GPU's kernels; of the selected loop in a processor's code
    look::Button *m_switch;        ///< of the tab that has two forms
    QStringList m_forms;
    bool m_isOfGpu = false;                                       ///< the tabs are of sources for GPUs
    backend::SourceKind m_ofProcessor = backend::SourceKind::Asm; ///< shown last of those for processors
    const void *m_shown = nullptr; ///< source that the view has, so that it is not set again
    bool m_isOfAnother = false;    ///< the source shown is of the document before
    bool m_scrolling = false;
};

} // namespace nestwright::app
