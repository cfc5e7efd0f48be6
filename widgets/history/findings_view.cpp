// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/history/findings_view.h"

#include "core/measure/statistics.h"
#include "widgets/document/document.h"
#include "widgets/document/finding_list.h"
#include "widgets/document/selection.h"
#include "widgets/document/text.h"
#include "widgets/look/fonts.h"
#include "widgets/look/icons.h"
#include "widgets/look/tokens.h"
#include "widgets/models/spoken_cell.h"

#include <QEvent>
#include <QHeaderView>

namespace nestwright::history {

using document::toQt;

namespace {
enum Column { Finding, Remedy, Predicted, Try, ColumnCount };
constexpr int indexRole = Qt::UserRole;

QString times(double gain) { return QStringLiteral("%1×").arg(gain, 0, 'f', gain < 10 ? 2 : 0); }
} // namespace

FindingsView::FindingsView(document::Document &document, document::FindingList &findings, QWidget *parent)
    : QTreeWidget(parent)
    , m_document(document)
    , m_findings(findings)
{
    setAccessibleName(tr("Findings"));
    setFrameShape(QFrame::NoFrame);
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setColumnCount(ColumnCount);
    setHeaderLabels({tr("finding"), tr("remedy"), tr("predicted"), QString()});
    headerItem()->setTextAlignment(Predicted, Qt::AlignRight | Qt::AlignVCenter);
    headerItem()->setToolTip(Predicted, tr("How many times as fast the remedy is predicted to be"));
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(Finding, QHeaderView::Stretch);
    header()->setSectionResizeMode(Remedy, QHeaderView::Stretch);
    header()->setSectionResizeMode(Predicted, QHeaderView::ResizeToContents);
    header()->setSectionResizeMode(Try, QHeaderView::ResizeToContents);
    setTextElideMode(Qt::ElideRight);
    connect(&findings, &document::FindingList::changed, this, &FindingsView::rebuild);
    connect(this, &QTreeWidget::itemClicked, this, [this](const QTreeWidgetItem *item, int column) {
        if (column == Try)
            tryOut(item);
        else
            follow(item);
    });
    connect(this, &QTreeWidget::itemActivated, this, &FindingsView::tryOut);
    rebuild();
}

void FindingsView::changeEvent(QEvent *event)
{
    QTreeWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        rebuild();
}

void FindingsView::rebuild()
{
    clear();
    if (!m_document.isOpen())
        return;
    addOrigin();
    const look::Tokens &t = look::tokens(this);
    const std::vector<explore::Finding> &findings = m_findings.findings();
    const explore::StepPath path = m_document.tree().steps(m_document.currentId());
    const QString experience = toQt(explore::describe(m_findings.experience()));
    for (std::size_t i = 0; i < findings.size(); ++i) {
        const explore::Finding &each = findings[i];
        auto *item = new QTreeWidgetItem(this);
        item->setData(0, indexRole, QVariant::fromValue(static_cast<int>(i)));
        item->setIcon(Finding, look::icon(QStringLiteral("info"), t.warn));
        item->setText(Finding, toQt(each.title));
        item->setToolTip(Finding, document::sentence(each.title) + u' '
                                      + toQt(std::string(explore::explanationOf(each.fault))));
        item->setText(Remedy, toQt(each.remedy.title));
        QStringList steps;
        for (std::size_t place = each.branchesAt(path); place < each.remedy.path.size(); ++place)
            steps << toQt(each.remedy.path.label(place));
        item->setToolTip(Remedy, steps.join(u'\n'));
        item->setText(Predicted, times(each.gain));
        if (!experience.isEmpty())
            item->setToolTip(Predicted, tr("%1 predicted; %2").arg(times(each.rawGain), experience));
        item->setTextAlignment(Predicted, Qt::AlignRight | Qt::AlignVCenter);
        item->setFont(Predicted, look::codeFont(12));
        item->setText(Try, tr("Try it"));
        item->setForeground(Try, t.accent);
        item->setToolTip(Try, tr("Makes a variant of the remedy and measures both (Enter)"));
    }
    if (!m_findings.isKnown())
        addHint(tr("Looking for what costs time…"));
    else if (findings.empty())
        addHint(tr("No change of this schedule that the rules know is predicted to make it faster."));
    else
        setCurrentItem(topLevelItem(topLevelItemCount() - static_cast<int>(findings.size())));
    if (m_findings.isKnown() && !findings.empty() && !experience.isEmpty())
        addHint(tr("Predictions are corrected by what was measured here: %1.").arg(experience));
    for (int row = 0; row < topLevelItemCount(); ++row) {
        for (int column = 0; column < columnCount(); ++column)
            topLevelItem(row)->setData(column, Qt::AccessibleTextRole,
                                       models::spokenCell(indexFromItem(topLevelItem(row), column)));
    }
}

/// Above the findings, what became of the one that led here.
void FindingsView::addOrigin()
{
    const document::TriedFinding *origin = m_findings.tried(m_document.currentId());
    if (!origin)
        return;
    const look::Tokens &t = look::tokens(this);
    const auto measured = m_findings.measured(m_document.currentId());
    const bool isFaster = measured && measure::changeOf(*measured) == measure::Change::Faster;
    auto *item = new QTreeWidgetItem(this);
    item->setIcon(Finding, look::icon(isFaster ? QStringLiteral("check") : QStringLiteral("info"),
                                      isFaster ? t.good : t.secondary));
    item->setText(Finding, tr("mends: %1").arg(toQt(origin->title)));
    item->setForeground(Finding, t.secondary);
    item->setForeground(Remedy, t.secondary);
    item->setToolTip(Finding, item->text(Finding));
    const std::string_view doubt = m_findings.doubtOf(m_document.currentId());
    item->setText(Remedy, !measured ? tr("being measured")
                          : !doubt.empty()
                              ? tr("%1 measured, %2").arg(times(measured->ratio.median), toQt(doubt))
                              : tr("%1 measured (%2 to %3)")
                                    .arg(times(measured->ratio.median), times(measured->ratio.low),
                                         times(measured->ratio.high)));
    item->setText(Predicted, times(origin->predicted));
    item->setTextAlignment(Predicted, Qt::AlignRight | Qt::AlignVCenter);
    item->setFont(Predicted, look::codeFont(12));
    item->setFlags(Qt::ItemIsEnabled);
}

void FindingsView::addHint(const QString &text)
{
    auto *item = new QTreeWidgetItem(this);
    item->setText(Finding, text);
    item->setForeground(Finding, look::tokens(this).secondary);
    item->setFirstColumnSpanned(true);
    item->setFlags(Qt::ItemIsEnabled);
}

void FindingsView::follow(const QTreeWidgetItem *item)
{
    const QVariant index = item->data(0, indexRole);
    if (!index.isValid() || static_cast<std::size_t>(index.toInt()) >= m_findings.findings().size())
        return;
    const support::StmtId at = m_findings.findings()[static_cast<std::size_t>(index.toInt())].at;
    if (m_document.nest() && m_document.nest()->row(at))
        m_document.selection().select(at);
}

void FindingsView::tryOut(const QTreeWidgetItem *item)
{
    const QVariant index = item->data(0, indexRole);
    if (index.isValid())
        m_findings.tryOut(static_cast<std::size_t>(index.toInt()));
}

} // namespace nestwright::history
