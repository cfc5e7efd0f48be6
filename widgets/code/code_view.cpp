// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/code/code_view.h"

#include "widgets/code/code_accessible.h"
#include "widgets/code/find_bar.h"
#include "widgets/code/languages.h"
#include "widgets/code/line_highlighter.h"
#include "widgets/code/line_layout.h"
#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <KSyntaxHighlighting/Definition>

#include <QApplication>
#include <QClipboard>
#include <QFontMetricsF>
#include <QScrollBar>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nestwright::code {

namespace {

constexpr int highlightSliceMs = 6;

} // namespace

CodeView::CodeView(const QString &name, std::shared_ptr<const Languages> languages, QWidget *parent)
    : QAbstractScrollArea(parent)
    , m_languages(languages ? std::move(languages) : std::make_shared<Languages>())
    , m_highlighter(std::make_unique<LineHighlighter>())
    , m_layouts(400)
    , m_findBar(new FindBar(this))
{
    setFrameShape(QFrame::NoFrame);
    installCodeAccessibility();
    setAccessibleName(name);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    viewport()->setCursor(Qt::IBeamCursor);
    m_fillTimer.setInterval(0);
    m_autoScroll.setInterval(30);
    connect(&m_fillTimer, &QTimer::timeout, this, &CodeView::continueHighlighting);
    connect(&m_autoScroll, &QTimer::timeout, this, &CodeView::scrollWhileSelecting);
    connect(m_findBar, &FindBar::changed, viewport(), qOverload<>(&QWidget::update));
    connect(m_findBar, &FindBar::found, this, &CodeView::showFind);
    connect(m_findBar, &FindBar::lineWanted, this, &CodeView::goToLine);
    connect(m_findBar, &FindBar::closed, this, [this] { setFocus(Qt::OtherFocusReason); });
    m_highlighter->reset(&m_text, {});
    updateMetrics();
}

CodeView::~CodeView() = default;

void CodeView::setSource(Source source)
{
    const bool sameText = source.text == m_source.text && source.language == m_source.language;
    m_source = std::move(source);
    std::ranges::stable_sort(m_source.colors, {},
                             [](const ColorSpan &span) { return std::pair(span.line, span.column); });
    std::ranges::stable_sort(m_source.emphasis, {}, &TextSpan::line);
    if (!sameText) {
        m_text = CodeText(m_source.text);
        m_highlighter->reset(&m_text, m_languages->definition(m_source.language));
        m_cursor = m_anchor = m_text.clamped(m_cursor);
        m_findBar->setText(m_text.text());
        tellText(*this);
    }
    indexSpans();
    invalidateLayouts();
    updateMetrics();
    setHovered({});
    setHighlighted(std::vector(m_highlighted));
}

LineMark CodeView::markOf(int line) const
{
    return m_source.marks.empty() ? LineMark::None : m_source.marks[static_cast<std::size_t>(line)];
}

QString CodeView::numberOf(int line) const
{
    const int number = m_source.numbers.empty() ? line + 1 : m_source.numbers[static_cast<std::size_t>(line)];
    return number > 0                          ? QString::number(number)
           : markOf(line) == LineMark::Removed ? QStringLiteral("−")
                                               : QString();
}

void CodeView::indexSpans()
{
    m_innermost.assign(static_cast<std::size_t>(m_text.lineCount()), -1);
    // Longer spans first, so that the shorter ones inside overwrite them; of equal ones the later is the
    // inner one.
    std::vector<int> order(m_source.spans.size());
    std::iota(order.begin(), order.end(), 0);
    const auto length = [this](int i) {
        const Span &span = m_source.spans[static_cast<std::size_t>(i)];
        return span.lastLine - span.firstLine;
    };
    std::ranges::stable_sort(order, std::greater(), length);
    for (const int i : order) {
        const Span &span = m_source.spans[static_cast<std::size_t>(i)];
        const int last = std::min(span.lastLine, m_text.lineCount() - 1);
        for (int line = std::max(0, span.firstLine); line <= last; ++line)
            m_innermost[static_cast<std::size_t>(line)] = i;
    }
}

void CodeView::setEmptyText(const QString &title, const QString &hint)
{
    m_emptyTitle = title;
    m_emptyHint = hint;
    viewport()->update();
}

std::vector<CodeView::Lines> CodeView::linesOf(StmtId id) const
{
    std::vector<Lines> lines;
    if (!id)
        return lines;
    for (const Span &span : m_source.spans) {
        if (span.id == id)
            lines.push_back(
                {std::max(0, span.firstLine), std::min(span.lastLine, m_text.lineCount() - 1), span.axis});
    }
    return lines;
}

void CodeView::setHighlighted(const std::vector<StmtId> &ids)
{
    m_highlighted = ids;
    m_linked.clear();
    m_isLinked.assign(static_cast<std::size_t>(m_text.lineCount()), 0);
    for (const StmtId id : ids) {
        for (const Lines &lines : linesOf(id)) {
            m_linked.push_back(lines);
            for (int line = lines.first; line <= lines.last; ++line)
                m_isLinked[static_cast<std::size_t>(line)] = 1;
        }
    }
    viewport()->update();
}

void CodeView::setHovered(StmtId id)
{
    m_hoveredLines = linesOf(id);
    viewport()->update();
}

void CodeView::scrollToLine(int line, int lastLine)
{
    line = std::clamp(line, 0, m_text.lineCount() - 1);
    if (line >= firstVisibleLine() && line <= lastVisibleLine())
        return;
    // A third from the top, or so that the last line fits too.
    const double height = viewport()->height();
    double top = lineTop(line) + verticalScrollBar()->value() - height / 3;
    if (lastLine > line && (lastLine - line + 1) * m_lineHeight < height)
        top = std::max(top, lineTop(lastLine) + verticalScrollBar()->value() + m_lineHeight * 2 - height);
    verticalScrollBar()->setValue(static_cast<int>(std::max(0.0, top)));
}

void CodeView::scrollTo(StmtId id)
{
    const std::vector<Lines> lines = linesOf(id);
    const bool seen = std::ranges::any_of(lines, [this](const Lines &some) {
        return some.first <= lastVisibleLine() && some.last >= firstVisibleLine()
               && some.first >= firstVisibleLine();
    });
    if (!lines.empty() && !seen)
        scrollToLine(lines.front().first, lines.front().last);
}

void CodeView::goTo(Position position)
{
    moveCursor(position, false);
    scrollToLine(m_cursor.line);
    ensureCursorVisible();
}

std::pair<Position, Position> CodeView::selection() const { return std::minmax({m_cursor, m_anchor}); }

QString CodeView::selectedText() const
{
    const auto [from, to] = selection();
    const qsizetype start = m_text.offsetOf(from);
    return m_text.text().mid(start, m_text.offsetOf(to) - start);
}

void CodeView::copy()
{
    QString text = selectedText();
    if (text.isEmpty() && !m_text.isEmpty())
        text = m_text.line(m_cursor.line).toString() + u'\n'; // nothing selected: the line
    QApplication::clipboard()->setText(text);
}

void CodeView::selectAll()
{
    m_anchor = {0, 0};
    m_cursor = m_text.clamped({m_text.lineCount(), 0});
    m_cursor = m_text.clamped({m_cursor.line, static_cast<int>(m_text.line(m_cursor.line).size())});
    viewport()->update();
}

void CodeView::openFind()
{
    const QString selected = selectedText();
    m_findBar->setText(m_text.text());
    m_findBar->open(selected.contains(u'\n') ? QString() : selected);
    placeFindBar();
}

void CodeView::openGoToLine()
{
    m_findBar->open(QStringLiteral(":"));
    placeFindBar();
}

void CodeView::showFind(qsizetype offset, int length)
{
    select(m_text.positionOf(offset), m_text.positionOf(offset + length));
}

void CodeView::select(Position from, Position to)
{
    m_anchor = m_text.clamped(from);
    m_cursor = m_text.clamped(to);
    scrollToLine(m_anchor.line);
    ensureCursorVisible();
    viewport()->update();
    tellCursor(*this);
}

StmtId CodeView::stmtAt(Position position) const
{
    // A variable means its own loop: that tells the loops of one T.grid apart.
    const auto from = std::ranges::lower_bound(m_source.colors, position.line, {}, &ColorSpan::line);
    for (auto it = from; it != m_source.colors.end() && it->line == position.line; ++it) {
        if (it->id && position.column >= it->column && position.column < it->column + it->length)
            return it->id;
    }
    if (position.line < 0 || position.line >= static_cast<int>(m_innermost.size()))
        return {};
    const int span = m_innermost[static_cast<std::size_t>(position.line)];
    return span < 0 ? StmtId() : m_source.spans[static_cast<std::size_t>(span)].id;
}

void CodeView::setZoom(double zoom)
{
    zoom = std::clamp(zoom, 0.5, 3.0);
    if (zoom == m_zoom)
        return;
    const int first = firstVisibleLine();
    m_zoom = zoom;
    invalidateLayouts();
    updateMetrics();
    verticalScrollBar()->setValue(static_cast<int>(first * m_lineHeight));
    Q_EMIT zoomChanged(zoom);
}

void CodeView::updateMetrics()
{
    const QFontMetricsF metrics(look::codeFont(fontPixels * m_zoom), this);
    m_lineHeight = lineHeight(m_zoom, this);
    m_charWidth = metrics.horizontalAdvance(u'0');
    m_gutterWidth = gutterWidth(m_zoom, m_text.lineCount(), this);
    updateScrollBars();
    viewport()->update();
}

void CodeView::updateScrollBars()
{
    const QSize size = viewport()->size();
    const int height = m_text.isEmpty() ? 0 : static_cast<int>(m_text.lineCount() * m_lineHeight + 16);
    verticalScrollBar()->setRange(0, std::max(0, height - size.height()));
    verticalScrollBar()->setPageStep(size.height());
    verticalScrollBar()->setSingleStep(static_cast<int>(m_lineHeight));
    const int width = static_cast<int>(m_gutterWidth + (m_text.longestLine() + 2) * m_charWidth);
    horizontalScrollBar()->setRange(0, m_text.isEmpty() ? 0 : std::max(0, width - size.width()));
    horizontalScrollBar()->setPageStep(size.width());
    horizontalScrollBar()->setSingleStep(static_cast<int>(m_charWidth * 4));
}

void CodeView::invalidateLayouts()
{
    m_layouts.clear();
    m_inexact.clear();
}

void CodeView::placeFindBar()
{
    m_findBar->adjustSize();
    const int bar = verticalScrollBar()->isVisible() ? verticalScrollBar()->width() : 0;
    const int width = std::min(m_findBar->width(), this->width() - bar - 16);
    m_findBar->setGeometry(this->width() - bar - width - 8, 6, width, m_findBar->height());
}

void CodeView::continueHighlighting()
{
    const int last = lastVisibleLine();
    if (!m_highlighter->advance(last, highlightSliceMs))
        return;
    m_fillTimer.stop();
    for (const int line : m_inexact)
        m_layouts.remove(line);
    m_inexact.clear();
    viewport()->update();
}

} // namespace nestwright::code
