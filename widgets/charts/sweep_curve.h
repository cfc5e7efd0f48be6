// SPDX-License-Identifier: GPL-3.0-or-later
/// Times of one kernel over the values of a number in its schedule: predicted as a dashed line, measured as
/// dots with their intervals, over bands that say what limits each.
#pragma once

#include "widgets/charts/chart_pane.h"

#include <vector>

namespace nestwright::charts {

struct SweepItem {
    qint64 value = 0;
    double predicted = 0;                 ///< seconds; 0: not known
    double low = 0, median = 0, high = 0; ///< seconds; 0: not measured
    QString limit{};                      ///< of the prediction: "L2"
    QString refused{};                    ///< why there is no program; empty where there is one
};

/// Values stand evenly apart, times on a logarithmic axis.
class SweepCurve : public ChartPane {
    Q_OBJECT
public:
    explicit SweepCurve(QWidget *parent = nullptr);

    void setItems(std::vector<SweepItem> items, int current);
    void setCurrent(int current);
    const std::vector<SweepItem> &items() const { return m_items; }

protected:
    int itemCount() const override { return static_cast<int>(m_items.size()); }
    int idOf(int index) const override { return index; }
    int currentIndex() const override { return m_current; }
    QString toolTipOf(int index) const override;
    int itemAt(const QPointF &where) const override;
    QPointF anchorOf(int index) const override;
    void arrange(const look::Tokens &tokens) override;
    void paintData(QPainter &painter, const look::Tokens &tokens) const override;

private:
    const SweepItem &item(int index) const { return m_items[static_cast<std::size_t>(index)]; }
    QRectF plot() const;
    double x(int index) const;
    double y(double seconds) const;
    void paintBands(QPainter &painter, const look::Tokens &tokens) const;
    void paintAxes(QPainter &painter, const look::Tokens &tokens) const;
    void paintPredicted(QPainter &painter, const look::Tokens &tokens) const;
    void paintMeasured(QPainter &painter, const look::Tokens &tokens) const;

    std::vector<SweepItem> m_items;
    int m_current = -1;
    double m_least = 1e-6, m_most = 1e-3; ///< seconds at the ends of the axis
};

} // namespace nestwright::charts
