// SPDX-License-Identifier: GPL-3.0-or-later
/// The current variant's text for the target: assembly, LLVM IR, C, …, linked with the loops.
#pragma once

#include "core/backend/backend.h"
#include "core/schedule/step.h"

#include <QPointer>
#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

namespace nestwright::code {
class CodeView;
class Languages;
} // namespace nestwright::code
namespace nestwright::document {
class Document;
class TargetSource;
} // namespace nestwright::document
namespace nestwright::look {
class CardHeader;
class FindingBox;
} // namespace nestwright::look

namespace nestwright::app {

class SourcePane : public QWidget {
    Q_OBJECT
public:
    SourcePane(document::Document &document, document::TargetSource &source, look::CardHeader *header,
               std::shared_ptr<const code::Languages> languages, QWidget *parent = nullptr);

    code::CodeView *view() const { return m_view; }
    void setKind(backend::SourceKind kind);

protected:
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    void show();
    void showSelection();
    void findAdvice();

    document::Document &m_document;
    document::TargetSource &m_source;
    QPointer<look::CardHeader> m_header;
    code::CodeView *m_view;
    look::FindingBox *m_problem;
    look::FindingBox *m_advice;
    std::optional<schedule::Step> m_advised; ///< what the advice's link does
    std::vector<backend::SourceKind> m_kinds;
    const void *m_shown = nullptr; ///< what the view has, so that it is not set again
    bool m_scrolling = false;
};

} // namespace nestwright::app
