// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/history/problems_view.h"

#include "widgets/document/document.h"
#include "widgets/document/selection.h"
#include "widgets/document/text.h"
#include "widgets/look/icons.h"
#include "widgets/look/tokens.h"

#include <ranges>

namespace nestwright::history {

using workbench::Problem;

namespace {
QString place(const Problem &problem)
{
    for (const support::Location &location : problem.diagnostic.locations) {
        if (!location.file.empty())
            return QStringLiteral("%1:%2:%3  ")
                .arg(QString::fromStdString(location.file))
                .arg(location.line)
                .arg(location.column);
    }
    return {};
}
} // namespace

ProblemsView::ProblemsView(document::Document &document, QWidget *parent)
    : QListWidget(parent)
    , m_document(document)
{
    setAccessibleName(tr("Problems"));
    setFrameShape(QFrame::NoFrame);
    setWordWrap(true);
    setUniformItemSizes(false);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(&document, &document::Document::problemsChanged, this, &ProblemsView::rebuild);
    const auto open = [this](QListWidgetItem *item) {
        const std::vector<Problem> &problems = m_document.problems();
        const auto index = problems.size() - 1 - static_cast<std::size_t>(row(item));
        if (index < problems.size())
            follow(problems[index]);
    };
    connect(this, &QListWidget::itemClicked, this, open);
    connect(this, &QListWidget::itemActivated, this, open);
    rebuild();
}

void ProblemsView::rebuild()
{
    clear();
    const look::Tokens &t = look::tokens(this);
    const std::vector<Problem> &problems = m_document.problems();
    for (const Problem &problem : std::views::reverse(problems)) { // the newest first
        QString text = place(problem) + document::sentence(problem.diagnostic.message);
        if (!problem.diagnostic.hint.empty())
            text += u' ' + document::sentence(problem.diagnostic.hint);
        if (problem.comparedWith)
            text += u' ' + tr("Click to see the difference.");
        const bool note = problem.kind == Problem::Kind::Note;
        auto *item = new QListWidgetItem(
            look::icon(note ? QStringLiteral("info") : QStringLiteral("error"), note ? t.secondary : t.bad),
            text, this);
        item->setToolTip(QString::fromStdString(problem.diagnostic.code));
    }
}

void ProblemsView::follow(const Problem &problem)
{
    if (problem.variant && m_document.tree().at(*problem.variant).ok())
        m_document.jumpTo(*problem.variant);
    if (problem.comparedWith)
        Q_EMIT comparisonChosen(problem.comparedWith->value);
    for (const support::Location &location : problem.diagnostic.locations) {
        if (location.stmt && m_document.nest() && m_document.nest()->row(location.stmt)) {
            m_document.selection().select(location.stmt);
            return;
        }
    }
}

} // namespace nestwright::history
