// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/code/difference_view.h"

#include "widgets/code/code_view.h"
#include "widgets/code/difference_bar.h"

#include <QScrollBar>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace nestwright::code {

DifferenceView::DifferenceView(const QString &name, std::shared_ptr<const Languages> languages,
                               QWidget *parent)
    : QWidget(parent)
    , m_bar(new DifferenceBar(this))
    , m_older(new CodeView(tr("%1 before").arg(name), languages))
    , m_newer(new CodeView(name, std::move(languages)))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto *texts = new QSplitter(this);
    texts->setHandleWidth(1);
    texts->setChildrenCollapsible(false);
    texts->addWidget(m_older);
    texts->addWidget(m_newer);
    layout->addWidget(m_bar);
    layout->addWidget(texts, 1);
    m_bar->hide();
    m_older->hide();
    m_older->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    linkScrolling();
    connect(m_bar, &DifferenceBar::nextWanted, this, &DifferenceView::goToNextChange);
    connect(m_bar, &DifferenceBar::previousWanted, this, &DifferenceView::goToPreviousChange);
    connect(m_bar, &DifferenceBar::sideBySideChosen, this, &DifferenceView::setSideBySide);
    connect(m_newer, &CodeView::cursorMoved, this, &DifferenceView::showPlace);
}

void DifferenceView::linkScrolling()
{
    const auto follow = [this](const QScrollBar *from, QScrollBar *to) {
        connect(from, &QScrollBar::valueChanged, this, [this, to](int value) {
            if (m_isScrolling)
                return; // the follower may not reach as far: it does not lead back
            m_isScrolling = true;
            to->setValue(value);
            m_isScrolling = false;
        });
    };
    for (const auto &[from, to] : {std::pair(m_older, m_newer), std::pair(m_newer, m_older)}) {
        follow(from->verticalScrollBar(), to->verticalScrollBar());
        follow(from->horizontalScrollBar(), to->horizontalScrollBar());
        connect(from, &CodeView::zoomChanged, to, &CodeView::setZoom);
    }
}

void DifferenceView::showSource(Source source)
{
    m_difference.reset();
    m_changes.clear();
    m_bar->hide();
    m_older->hide();
    m_newer->setSource(std::move(source));
}

void DifferenceView::showDifference(Difference difference, const QString &title)
{
    m_difference = std::move(difference);
    m_bar->setTitle(title);
    m_bar->show();
    render();
    const bool isSeen = std::ranges::any_of(m_changes, [this](const Change &change) {
        return change.last >= m_newer->firstVisibleLine() && change.first <= m_newer->lastVisibleLine();
    });
    if (!isSeen && !m_changes.empty())
        m_newer->scrollToLine(m_changes.front().first, m_changes.front().last);
}

void DifferenceView::showPreview(Difference difference)
{
    m_difference = std::move(difference);
    render();
}

void DifferenceView::setSideBySide(bool on)
{
    if (on == m_isSideBySide)
        return;
    const int change = currentChange();
    m_isSideBySide = on;
    render();
    if (change >= 0)
        goToChange(static_cast<std::size_t>(change)); // the same one, where it stands now
    Q_EMIT sideBySideChanged(on);
}

void DifferenceView::render()
{
    m_bar->setSideBySide(m_isSideBySide);
    if (!m_difference)
        return;
    const bool isSplit = m_isSideBySide && !m_bar->isHidden();
    const Source &newer = isSplit ? m_difference->newer : m_difference->unified;
    m_changes = changesOf(newer);
    m_newer->setSource(newer);
    if (isSplit)
        m_older->setSource(m_difference->older);
    m_older->setVisible(isSplit);
    m_older->verticalScrollBar()->setValue(m_newer->verticalScrollBar()->value());
    showPlace();
}

int DifferenceView::currentChange() const
{
    const int line = m_newer->cursor().line;
    const auto found = std::ranges::find_if(
        m_changes, [line](const Change &change) { return change.first <= line && line <= change.last; });
    return found == m_changes.end() ? -1 : static_cast<int>(found - m_changes.begin());
}

void DifferenceView::goToNextChange()
{
    if (m_changes.empty())
        return;
    const auto next = std::ranges::upper_bound(m_changes, m_newer->cursor().line, {}, &Change::first);
    goToChange(next == m_changes.end() ? 0 : static_cast<std::size_t>(next - m_changes.begin()));
}

void DifferenceView::goToPreviousChange()
{
    if (m_changes.empty())
        return;
    const auto next = std::ranges::lower_bound(m_changes, m_newer->cursor().line, {}, &Change::last);
    const auto behind =
        static_cast<std::size_t>(next - m_changes.begin()); // of those that end before the cursor
    goToChange(behind == 0 ? m_changes.size() - 1 : behind - 1);
}

/// Moves to the change's first word that differs, so that it is in sight in a narrow pane too.
void DifferenceView::goToChange(std::size_t change)
{
    const auto [first, last] = m_changes[change];
    const std::vector<TextSpan> &emphasis = m_newer->source().emphasis;
    const auto word = std::ranges::lower_bound(emphasis, first, {}, &TextSpan::line);
    m_newer->scrollToLine(first, last);
    m_newer->goTo({first, word != emphasis.end() && word->line == first ? word->column : 0});
}

void DifferenceView::showPlace() { m_bar->setPlace(currentChange(), changeCount()); }

} // namespace nestwright::code
