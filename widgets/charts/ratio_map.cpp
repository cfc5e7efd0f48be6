// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/ratio_map.h"

#include "widgets/charts/scale.h"
#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace nestwright::charts {

namespace {

constexpr double titleHeight = 24, headHeight = 26, scaleHeight = 44, mapMargin = 10, cellGap = 3;
constexpr double leastCellWidth = 120, leastCellHeight = 48, mostCellHeight = 96;
constexpr double denseWidth = 70, denseHeight = 38;    ///< within a cell: less has room for one line
constexpr double widestGutter = 0.36;                  ///< of the width, for names of rows
constexpr double strongestFill = 0.55, wholeScale = 3; ///< of powers of two

/// The length scaled with the text size.
double withText(double length) { return length * look::textScale(); }

QString ratioText(double ratio)
{
    return QString::number(ratio, 'f', ratio < 10 ? 2 : ratio < 100 ? 1 : 0) + u'×';
}

double gutterWidth(const QStringList &rows, double width)
{
    const QFontMetricsF metrics(look::interfaceFont(11.5));
    double widest = 40;
    for (const QString &row : rows)
        widest = std::max(widest, metrics.horizontalAdvance(row));
    return std::min(widest + 14, width * widestGutter);
}

} // namespace

QColor ratioColor(double ratio, const look::Tokens &t)
{
    const double power = std::clamp(std::log2(ratio) / wholeScale, -1.0, 1.0);
    return look::mixed(t.pane, power < 0 ? t.bad : t.good, std::abs(power) * strongestFill);
}

RatioMap::RatioMap(QWidget *parent) : ChartPane(tr("Ratios over shapes and targets"), parent)
{
    setEmptyText(tr("Nothing is measured yet"), tr("Choose shapes and targets, then press Measure"));
    connect(this, &ChartPane::selected, this, [this](int cell) { m_pressed = cell; });
}

void RatioMap::setData(RatioData data)
{
    m_data = std::move(data);
    if (m_current >= itemCount())
        m_current = -1;
    setAccessibleDescription(m_data.title);
    refresh();
}

void RatioMap::setCurrent(int cell)
{
    const int before = std::exchange(m_current, cell);
    for (const int each : {before, cell}) { // a slider that is dragged changes these two alone
        if (each >= 0 && each < itemCount())
            repaintData(cellRect(each).adjusted(-2, -2, 2, 2));
    }
}

QSize RatioMap::fullSize() const
{
    const double rows = static_cast<double>(m_data.rows.size()), columns = columnCount();
    return QSizeF(2 * mapMargin + gutterWidth(m_data.rows, 1200) + columns * withText(leastCellWidth),
                  withText(titleHeight) + withText(headHeight) + rows * withText(leastCellHeight)
                      + withText(scaleHeight) + mapMargin)
        .toSize();
}

QString RatioMap::toolTipOf(int index) const
{
    const RatioCell &cell = m_data.cells[static_cast<std::size_t>(index)];
    QString text = QStringLiteral("<b>%1 · %2</b><br>")
                       .arg(m_data.rows[index / columnCount()].toHtmlEscaped(),
                            m_data.columns[index % columnCount()].toHtmlEscaped());
    if (!cell.refused.isEmpty())
        return text + cell.refused.toHtmlEscaped();
    if (!cell.explanation.isEmpty())
        return text + cell.explanation.toHtmlEscaped().replace(u'\n', QStringLiteral("<br>"));
    if (cell.ratio <= 0)
        return text + tr("not measured yet");
    text += tr("%1 (%2 … %3)").arg(ratioText(cell.ratio), ratioText(cell.low), ratioText(cell.high));
    if (!cell.isSignificant)
        text += tr("<br>not significant: no further from 1 than the noise");
    return text + (cell.detail.isEmpty() ? QString() : QStringLiteral("<br>") + cell.detail);
}

QRectF RatioMap::plot() const
{
    const QRectF all = chartRect();
    const double left = mapMargin + gutterWidth(m_data.rows, all.width()),
                 top = withText(titleHeight) + withText(headHeight);
    const double rows = std::max<double>(1, static_cast<double>(m_data.rows.size()));
    const double room = std::max(20.0, all.height() - top - withText(scaleHeight));
    return {left, top, std::max(20.0, all.width() - left - mapMargin),
            std::min(room, rows * withText(mostCellHeight))};
}

QRectF RatioMap::cellRect(int index) const
{
    if (columnCount() == 0 || m_data.rows.isEmpty())
        return {};
    const QRectF area = plot();
    const double width = area.width() / columnCount(),
                 height = area.height() / static_cast<double>(m_data.rows.size());
    const int row = index / columnCount(), column = index % columnCount();
    return QRectF(area.left() + column * width, area.top() + row * height, width, height)
        .adjusted(0, 0, -cellGap, -cellGap);
}

int RatioMap::itemAt(const QPointF &point) const
{
    for (int i = 0; i < itemCount(); ++i) {
        if (cellRect(i).contains(point))
            return i;
    }
    return -1;
}

void RatioMap::paintLabels(QPainter &painter, const look::Tokens &t) const
{
    const QRectF area = plot();
    painter.setPen(t.secondary);
    painter.setFont(look::interfaceFont(11.5));
    const QFontMetricsF metrics(painter.font());
    painter.drawText(QRectF(mapMargin, 2, chartRect().width() - 2 * mapMargin, withText(titleHeight)),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(m_data.title, Qt::ElideRight, chartRect().width() - 2 * mapMargin));
    painter.setPen(t.text);
    for (int column = 0; column < columnCount(); ++column) {
        const QRectF cell = cellRect(column);
        painter.drawText(QRectF(cell.left(), withText(titleHeight), cell.width(), withText(headHeight)),
                         Qt::AlignCenter,
                         metrics.elidedText(m_data.columns[column], Qt::ElideRight, cell.width()));
    }
    for (int row = 0; row < m_data.rows.size(); ++row) {
        const QRectF cell = cellRect(row * columnCount());
        const QRectF label(mapMargin, cell.top(), area.left() - mapMargin - 8, cell.height());
        QString text = m_data.rows[row];
        if (metrics.horizontalAdvance(text) > label.width()) // over two lines where that is enough
            text.replace(QStringLiteral(", "), QStringLiteral(",\n"));
        painter.save();
        painter.setClipRect(label);
        painter.drawText(label, Qt::AlignLeft | Qt::AlignVCenter, text);
        painter.restore();
    }
}

void RatioMap::paintCell(QPainter &painter, const look::Tokens &t, int index) const
{
    const RatioCell &cell = m_data.cells[static_cast<std::size_t>(index)];
    const QRectF rect = cellRect(index);
    const bool hasRatio = cell.ratio > 0;
    painter.setPen(QPen(index == m_current || index == hovered() ? t.selectionBorder : t.hairline,
                        index == m_current ? 2 : 1, hasRatio || !cell.isDone ? Qt::SolidLine : Qt::DashLine));
    painter.setBrush(hasRatio && cell.isSignificant ? ratioColor(cell.ratio, t) : t.pane);
    painter.drawRoundedRect(rect, 4, 4);
    if (hasRatio && (!cell.isSignificant || cell.isTied)) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(
            QBrush(look::mixed(t.pane, t.secondary, cell.isTied ? 0.7 : 0.35), Qt::BDiagPattern));
        painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 4, 4);
    }
    paintText(painter, t, cell, rect.adjusted(6, 3, -6, -3));
}

void RatioMap::paintText(QPainter &painter, const look::Tokens &t, const RatioCell &cell,
                         const QRectF &inside) const
{
    const bool isDense = inside.height() < withText(denseHeight) || inside.width() < withText(denseWidth);
    const bool hasRatio = cell.ratio > 0;
    if (!hasRatio) {
        painter.setFont(look::interfaceFont(11));
        painter.setPen(cell.refused.isEmpty() ? t.faint : t.secondary);
        painter.save();
        painter.setClipRect(inside);
        const QString dense = QStringLiteral("–");
        painter.drawText(inside, Qt::AlignCenter | Qt::TextWordWrap,
                         !cell.isDone ? QStringLiteral("…")
                         : isDense    ? dense
                                      : cell.refused);
        painter.restore();
        return;
    }
    const auto write = [&](const QRectF &where, const QString &text, double px, QFont::Weight weight) {
        painter.setFont(look::interfaceFont(px, weight));
        const double wide = QFontMetricsF(painter.font()).horizontalAdvance(text);
        if (wide > where.width() + 10) // the colour says enough
            return;
        if (!cell.isSignificant || cell.isTied) { // the hatching ends around letters
            const double width = std::min(wide + 10, where.width() + 8);
            painter.fillRect(QRectF(where.center().x() - width / 2, where.top(), width, where.height()),
                             cell.isTied ? ratioColor(cell.ratio, t) : t.pane);
        }
        painter.setPen(t.text);
        painter.drawText(where, Qt::AlignCenter, text);
    };
    const QString text = (cell.isBest   ? QStringLiteral("★ ")
                          : cell.isTied ? QStringLiteral("≈ ")
                                        : QString())
                         + (cell.text.isEmpty() ? ratioText(cell.ratio) : cell.text);
    const double middle = inside.center().y();
    if (isDense) {
        const double height = std::min(inside.height() + 4, withText(18));
        write({inside.left() - 4, middle - height / 2, inside.width() + 8, height}, text, 11.5,
              cell.isBest ? QFont::DemiBold : QFont::Normal);
        return;
    }
    write({inside.left(), middle - withText(19), inside.width(), withText(20)}, text, 14, QFont::DemiBold);
    const QString below = cell.isSignificant ? cell.detail : tr("not significant");
    write({inside.left(), middle + 1, inside.width(), withText(16)}, below, 11, QFont::Normal);
}

QString RatioMap::hatchedText() const
{
    return m_data.hatched.isEmpty() ? tr("not significant") : m_data.hatched;
}

void RatioMap::paintScale(QPainter &painter, const look::Tokens &t) const
{
    constexpr double width = 180, height = 10;
    const double top = plot().bottom() + 14;
    const QRectF bar(plot().left(), top, width, height);
    for (int i = 0; i < static_cast<int>(width); ++i) {
        const double power = (i / width * 2 - 1) * wholeScale;
        painter.fillRect(QRectF(bar.left() + i, bar.top(), 1, height), ratioColor(std::exp2(power), t));
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(t.hairline, 1));
    painter.drawRect(bar);
    painter.setPen(t.secondary);
    painter.setFont(look::interfaceFont(11));
    for (const auto &[power, text] : {std::pair(-wholeScale, "⅛"), {0.0, "1"}, {wholeScale, "8×"}}) {
        const double x = bar.left() + (power / wholeScale + 1) / 2 * width;
        painter.drawText(QRectF(x - 20, bar.bottom() + 1, 40, withText(16)), Qt::AlignCenter,
                         QString::fromUtf8(text));
    }
    const QRectF sample(bar.right() + 28, bar.top() - 1, 22, height + 2);
    painter.setBrush(QBrush(look::mixed(t.pane, t.secondary, 0.35), Qt::BDiagPattern));
    painter.setPen(QPen(t.hairline, 1));
    painter.drawRect(sample);
    painter.setPen(t.secondary);
    painter.drawText(
        QRectF(sample.right() + 6, sample.top() - 3, plot().right() - sample.right(), withText(18)),
        Qt::AlignLeft | Qt::AlignVCenter, hatchedText());
}

void RatioMap::paintData(QPainter &painter, const look::Tokens &t) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    paintLabels(painter, t);
    for (int i = 0; i < itemCount(); ++i) {
        if (exposed().intersects(cellRect(i)))
            paintCell(painter, t, i);
    }
    paintScale(painter, t);
}

bool RatioMap::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::MouseButtonPress)
        m_pressed = -1; // until the press chooses a cell
    const bool done = ChartPane::eventFilter(watched, event);
    if (event->type() == QEvent::MouseButtonRelease && m_pressed >= 0 && m_opensOnClick)
        Q_EMIT activated(std::exchange(m_pressed, -1));
    return done;
}

void RatioMap::keyPressEvent(QKeyEvent *event)
{
    const int next = event->key() == Qt::Key_Up     ? m_current - columnCount()
                     : event->key() == Qt::Key_Down ? m_current + columnCount()
                                                    : -1;
    if (next >= 0 && next < itemCount() && m_current >= 0)
        Q_EMIT selected(next);
    else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && m_current >= 0)
        Q_EMIT activated(m_current);
    else
        ChartPane::keyPressEvent(event);
}

} // namespace nestwright::charts
