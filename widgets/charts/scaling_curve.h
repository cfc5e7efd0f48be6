// SPDX-License-Identifier: GPL-3.0-or-later
/// Rates of one kernel over numbers of threads, below the ideal and the machine's roof.
#pragma once

#include "widgets/charts/chart_pane.h"

#include <vector>

class QLineSeries;
class QValueAxis;

namespace nestwright::charts {

/// Rates are in units of the axis; 0: not known.
struct ScalingItem {
    int threads = 1;
    double low = 0, median = 0, high = 0;
    double ideal = 0, roof = 0;
    QString limit{}; ///< or why there is no rate
};

/// Numbers of threads stand evenly apart, rates on a linear axis.
class ScalingCurve : public ChartPane {
    Q_OBJECT
public:
    explicit ScalingCurve(QWidget *parent = nullptr);

    /// `unit`: "GFLOPS".
    void setItems(std::vector<ScalingItem> items, const QString &unit);
    const std::vector<ScalingItem> &items() const { return m_items; }

protected:
    int itemCount() const override { return static_cast<int>(m_items.size()); }
    int idOf(int index) const override { return index; }
    int currentIndex() const override { return -1; }
    QString toolTipOf(int index) const override;
    int itemAt(const QPointF &where) const override;
    QPointF anchorOf(int index) const override;
    void arrange(const look::Tokens &tokens) override;
    void paintData(QPainter &painter, const look::Tokens &tokens) const override;

private:
    QPointF at(int index, double rate) const;
    void paintLine(QPainter &painter, double ScalingItem::*rate) const;
    void paintMeasured(QPainter &painter, const look::Tokens &tokens) const;

    std::vector<ScalingItem> m_items;
    QString m_unit;
    QLineSeries *m_anchor; // Qt Charts maps places through a series only
    QValueAxis *m_x;
    QValueAxis *m_y;
};

} // namespace nestwright::charts
