// SPDX-License-Identifier: GPL-3.0-or-later
/// The variants as bars: median, confidence interval, and the lines to compare with.
#pragma once

#include "widgets/charts/chart_data.h"
#include "widgets/charts/chart_pane.h"

#include <QHash>

class QLineSeries;
class QScrollBar;
class QValueAxis;
class QVariantAnimation;

namespace nestwright::charts {

/// The current variant in the accent, failed ones red. More bars than fit scroll; the current one is always
/// brought into view. Bars that were there already grow from their former height.
class VariantBars : public ChartPane {
    Q_OBJECT
public:
    explicit VariantBars(QWidget *parent = nullptr);
    ~VariantBars() override;

    void setData(BarData data);
    const BarData &data() const { return m_data; }

    /// Scrolls to the bar of this variant, and keeps it in view until another variant is current.
    void reveal(int id);

    /// The rectangle of a bar, in the chart's coordinates; empty while it is scrolled out of view.
    QRectF barRect(int index) const;
    /// The narrowest chart that shows all bars without scrolling.
    int fullWidth() const;

protected:
    int itemCount() const override { return static_cast<int>(m_data.bars.size()); }
    int idOf(int index) const override;
    int currentIndex() const override;
    QString toolTipOf(int index) const override;
    int itemAt(const QPointF &point) const override;
    QPointF anchorOf(int index) const override;
    void arrange(const look::Tokens &tokens) override;
    void paintData(QPainter &painter, const look::Tokens &tokens) const override;
    void wheelEvent(QWheelEvent *event) override;

private:
    const Bar &bar(int index) const { return m_data.bars[static_cast<std::size_t>(index)]; }
    double shownValue(int index) const;
    double slotLeft(int index) const;
    double yOf(double value) const;
    double maximum() const;
    bool isFree(const QRectF &place) const;
    void paintReferences(QPainter &painter, const look::Tokens &tokens) const;
    void paintBar(QPainter &painter, int index, const look::Tokens &tokens) const;
    static QString failureOf(const Bar &shown);
    void paintName(QPainter &painter, int index, const look::Tokens &tokens) const;
    void startMoving();
    void scrollToKept();

    BarData m_data;
    QHash<int, double> m_before; // shown value per id when the data last changed
    QVariantAnimation *m_animation;
    QLineSeries *m_anchor; // Qt Charts maps places through a series only
    QValueAxis *m_x;
    QValueAxis *m_y;
    QScrollBar *m_scroll;
    int m_revealed = -1;    // id; -1: the current one is kept in view
    double m_top = 1;       // value at the upper edge
    double m_slotWidth = 1; // pixels from bar to bar
};

} // namespace nestwright::charts
