// SPDX-License-Identifier: GPL-3.0-or-later
/// The contributions of steps as floating bars, each from the level without the step to the level with it.
#pragma once

#include "widgets/charts/chart_data.h"
#include "widgets/charts/chart_pane.h"

class QScrollBar;

namespace nestwright::charts {

/// Green is faster, red is slower, pale is not significant. Arrow keys move the focus from bar to bar.
class Waterfall : public ChartPane {
    Q_OBJECT
public:
    explicit Waterfall(QWidget *parent = nullptr);

    void setData(WaterfallData data);
    const WaterfallData &data() const { return m_data; }
    /// The bar with the focus; -1 for none.
    int focusedBar() const { return m_focused; }
    void setFocusedBar(int index);
    /// Pixels that all bars take with their names, for a picture.
    int fullWidth() const;

Q_SIGNALS:
    void focusedBarChanged(int index);
    /// Enter was pressed on the bar with the focus.
    void activated(int index);

protected:
    int itemCount() const override { return static_cast<int>(m_data.bars.size()); }
    int idOf(int index) const override { return index; }
    int currentIndex() const override { return m_focused; }
    QString toolTipOf(int index) const override;
    int itemAt(const QPointF &point) const override;
    QPointF anchorOf(int index) const override;
    void arrange(const look::Tokens &tokens) override;
    void paintData(QPainter &painter, const look::Tokens &tokens) const override;
    void keyPressEvent(QKeyEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;

private:
    const WaterfallBar &bar(int index) const { return m_data.bars[static_cast<std::size_t>(index)]; }
    QRectF plot() const;
    double slotLeft(int index) const;
    double y(double level) const;
    QRectF barRect(int index) const;
    void paintGrid(QPainter &painter, const look::Tokens &tokens) const;
    void paintBridge(QPainter &painter, int index, const look::Tokens &tokens) const;
    void paintBar(QPainter &painter, int index, const look::Tokens &tokens) const;
    void paintInterval(QPainter &painter, int index, const look::Tokens &tokens) const;
    void paintGain(QPainter &painter, int index, const look::Tokens &tokens) const;
    void paintName(QPainter &painter, int index, const look::Tokens &tokens) const;

    WaterfallData m_data;
    QScrollBar *m_scroll;
    int m_focused = -1;
    double m_top = 1, m_step = 1; ///< of the axis
    double m_left = 48, m_slotWidth = 48;
};

} // namespace nestwright::charts
