// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry and painting of CodeView.
#include "widgets/code/code_view.h"

#include "widgets/code/find_bar.h"
#include "widgets/code/line_highlighter.h"
#include "widgets/code/line_layout.h"
#include "widgets/look/axis.h"
#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QPainter>
#include <QScrollBar>
#include <QTextOption>

#include <algorithm>
#include <cmath>

namespace nestwright::code {

namespace {

constexpr double barWidth = 3;
constexpr double diffWidth = 2.5;
constexpr qsizetype longestShown = 20'000; // characters of one line that are laid out
// Columns that tabs of assembly lead to: the longest names of vector instructions fit between them.
constexpr int mnemonicColumn = 2, operandColumn = 16;

QTextCharFormat format(const QColor &color, QFont::Weight weight)
{
    QTextCharFormat format;
    format.setForeground(color);
    format.setFontWeight(weight);
    return format;
}

/// Colours of the line's ground and of the bar beside it.
std::pair<QColor, QColor> markColors(LineMark mark, const look::Tokens &t)
{
    switch (mark) {
    case LineMark::None: break;
    case LineMark::Added: return {t.goodFill, t.good};
    case LineMark::Removed: return {look::mixed(t.pane, t.bad, 0.16), t.bad};
    case LineMark::Missing: return {t.ground, t.ground};
    }
    return {t.pane, t.pane};
}

} // namespace

double CodeView::lineTop(int line) const
{
    return topPadding + line * m_lineHeight - verticalScrollBar()->value();
}

int CodeView::lineAt(double y) const
{
    return static_cast<int>(std::floor((y - topPadding + verticalScrollBar()->value()) / m_lineHeight));
}

double CodeView::textLeft() const { return m_gutterWidth - horizontalScrollBar()->value(); }

int CodeView::firstVisibleLine() const
{
    return std::clamp(lineAt(m_lineHeight / 2), 0, m_text.lineCount() - 1);
}

int CodeView::lastVisibleLine() const
{
    return std::clamp(lineAt(viewport()->height() - m_lineHeight / 2), 0, m_text.lineCount() - 1);
}

LineLayout *CodeView::layoutOf(int line)
{
    if (LineLayout *known = m_layouts.object(line))
        return known;
    const look::Tokens &t = look::tokens(this);
    QList<QTextLayout::FormatRange> formats;
    for (const InkRun &run : m_highlighter->runs(line)) {
        formats.append({run.start, run.length,
                        format(inkColor(run.ink, t), isStrong(run.ink) ? QFont::Medium : QFont::Normal)});
    }
    const auto from = std::ranges::lower_bound(m_source.colors, line, {}, &ColorSpan::line);
    for (auto it = from; it != m_source.colors.end() && it->line == line; ++it)
        formats.append({it->column, it->length, format(look::axisColor(it->axis, t), QFont::DemiBold)});
    if (!m_highlighter->isExact(line)) {
        m_inexact.insert(line);
        m_fillTimer.start();
    }

    auto *made = new LineLayout;
    QTextOption option;
    option.setWrapMode(QTextOption::NoWrap);
    option.setTabStopDistance(m_charWidth * 8);
    if (m_source.language == Language::Assembly || m_source.language == Language::Ptx)
        option.setTabArray({m_charWidth * mnemonicColumn, m_charWidth * operandColumn});
    made->layout.setTextOption(option);
    made->layout.setFont(look::codeFont(fontPixels * m_zoom));
    made->layout.setText(m_text.line(line).left(longestShown).toString());
    made->layout.setFormats(formats);
    made->layout.setCacheEnabled(true);
    made->layout.beginLayout();
    QTextLine shown = made->layout.createLine();
    shown.setLineWidth(1e7);
    made->layout.endLayout();
    m_layouts.insert(line, made); // which deletes it only if one alone were too many
    return made;                  // NOLINT(clang-analyzer-cplusplus.NewDelete)
}

QRectF CodeView::rectOf(Position position, int length)
{
    position = m_text.clamped(position);
    const LineLayout *layout = layoutOf(position.line);
    const double from = layout->x(position.column);
    return {textLeft() + from, lineTop(position.line), layout->x(position.column + length) - from,
            m_lineHeight};
}

Position CodeView::positionAt(const QPointF &point)
{
    const int line = std::clamp(lineAt(point.y()), 0, m_text.lineCount() - 1);
    return {line, layoutOf(line)->columnAt(point.x() - textLeft())};
}

void CodeView::paintEvent(QPaintEvent *event)
{
    QPainter painter(viewport());
    const look::Tokens &t = look::tokens(this);
    painter.fillRect(event->rect(), t.pane);
    if (m_text.isEmpty()) {
        painter.setFont(look::interfaceFont(13, QFont::DemiBold));
        painter.setPen(t.text);
        const QRect box = viewport()->rect().adjusted(16, 0, -16, -24);
        QRect used;
        painter.drawText(box, Qt::AlignCenter | Qt::TextWordWrap, m_emptyTitle, &used);
        painter.setFont(look::interfaceFont(12));
        painter.setPen(t.secondary);
        painter.drawText(box.adjusted(0, used.bottom() - box.top() + 6, 0, 40),
                         Qt::AlignHCenter | Qt::TextWordWrap, m_emptyHint);
        return;
    }
    const int first = std::clamp(lineAt(event->rect().top()), 0, m_text.lineCount() - 1);
    const int last = std::clamp(lineAt(event->rect().bottom()), 0, m_text.lineCount() - 1);
    for (int line = first; line <= last; ++line)
        paintLineGround(painter, line, t);
    painter.save();
    painter.setClipRect(QRectF(m_gutterWidth - 1, 0, viewport()->width(), viewport()->height()));
    for (int line = first; line <= last; ++line) {
        paintSpots(painter, line, t);
        LineLayout *layout = layoutOf(line);
        painter.setPen(t.text);
        const double height = layout->layout.lineAt(0).height();
        layout->layout.draw(&painter,
                            QPointF(textLeft(), lineTop(line) + std::floor((m_lineHeight - height) / 2)));
    }
    paintCaret(painter, t);
    painter.restore();
    painter.setRenderHint(QPainter::Antialiasing);
    for (int line = first; line <= last; ++line)
        paintGutter(painter, line, t);
    if (m_showFocus && hasFocus()) {
        painter.setPen(QPen(t.accent, 1.5));
        painter.drawRoundedRect(QRectF(viewport()->rect()).adjusted(0.75, 0.75, -0.75, -0.75), 4, 4);
    }
}

void CodeView::paintLineGround(QPainter &painter, int line, const look::Tokens &t) const
{
    const QRectF row(0, lineTop(line), viewport()->width(), m_lineHeight);
    const auto hasLine = [line](const Lines &lines) { return line >= lines.first && line <= lines.last; };
    if (m_isLinked[static_cast<std::size_t>(line)])
        painter.fillRect(row, t.selectionFill);
    else if (std::ranges::any_of(m_hoveredLines, hasLine))
        painter.fillRect(row, t.hover);
    const LineMark mark = markOf(line);
    if (mark != LineMark::None) {
        const auto [ground, bar] = markColors(mark, t);
        painter.fillRect(row, look::mixed(t.pane, ground, 0.75));
        if (mark != LineMark::Missing)
            painter.fillRect(QRectF(m_gutterWidth - 6, row.top(), diffWidth, m_lineHeight), bar);
    }
    // The innermost linked construct that holds the line gives the colour.
    const Lines *innermost = nullptr;
    for (const Lines &lines : m_linked) {
        if (hasLine(lines) && (!innermost || lines.last - lines.first <= innermost->last - innermost->first))
            innermost = &lines;
    }
    if (innermost) {
        const QColor color = innermost->axis == look::noAxis ? t.accent : look::axisColor(innermost->axis, t);
        painter.fillRect(QRectF(0, row.top(), barWidth, m_lineHeight), color);
    }
}

void CodeView::paintGutter(QPainter &painter, int line, const look::Tokens &t) const
{
    const bool current = hasFocus() && line == m_cursor.line;
    painter.setFont(look::codeFont(numberPixels * m_zoom));
    painter.setPen(current ? t.text : m_isLinked[static_cast<std::size_t>(line)] ? t.secondary : t.faint);
    painter.drawText(QRectF(0, lineTop(line), m_gutterWidth - numberGap, m_lineHeight),
                     Qt::AlignRight | Qt::AlignVCenter, numberOf(line));
}

void CodeView::paintSpots(QPainter &painter, int line, const look::Tokens &t)
{
    const double top = lineTop(line);
    const auto fill = [&](int from, int to, const QColor &color, double beyond) {
        const LineLayout *layout = layoutOf(line);
        const double x = layout->x(from);
        painter.fillRect(QRectF(textLeft() + x, top, layout->x(to) - x + beyond, m_lineHeight), color);
    };
    const auto words = std::ranges::equal_range(m_source.emphasis, line, {}, &TextSpan::line);
    for (const TextSpan &some : words) {
        QColor color = markColors(markOf(line), t).second;
        color.setAlphaF(t.dark ? 0.30F : 0.20F);
        fill(some.column, some.column + some.length, color, 0);
    }
    const std::vector<qsizetype> &matches = m_findBar->matches();
    const int length = m_findBar->matchLength();
    const qsizetype start = m_text.offsetOf({line, 0});
    const qsizetype end = start + m_text.line(line).size();
    for (auto it = std::ranges::lower_bound(matches, start - length + 1); it != matches.end() && *it < end;
         ++it) {
        QColor color = t.warn;
        const bool current = it - matches.begin() == m_findBar->current();
        color.setAlphaF(current ? 0.55F : 0.22F);
        fill(static_cast<int>(std::max<qsizetype>(0, *it - start)), static_cast<int>(*it - start + length),
             color, 0);
    }
    const auto [from, to] = selection();
    if (m_findBar->current() >= 0
        && m_text.offsetOf(from) == matches[static_cast<std::size_t>(m_findBar->current())])
        return; // the match selected by find is marked already
    if (from == to || line < from.line || line > to.line)
        return;
    QColor color = t.accent;
    color.setAlphaF(t.dark ? 0.38F : 0.24F);
    const int left = line == from.line ? from.column : 0;
    const bool whole = line < to.line;
    fill(left, whole ? static_cast<int>(m_text.line(line).size()) : to.column, color,
         whole ? m_charWidth : 0);
}

void CodeView::paintCaret(QPainter &painter, const look::Tokens &t)
{
    if (!hasFocus())
        return;
    const QRectF place = rectOf(m_cursor, 0);
    painter.fillRect(QRectF(place.left() - 0.5, place.top() + 2, 1.5, place.height() - 4), t.accent);
}

} // namespace nestwright::code
