// SPDX-License-Identifier: GPL-3.0-or-later
/// The time of each token that a model generated, in their order.
#pragma once

#include "widgets/charts/chart_pane.h"

#include <vector>

class QLineSeries;
class QValueAxis;

namespace nestwright::charts {

class TokenTimes : public ChartPane {
    Q_OBJECT
public:
    explicit TokenTimes(QWidget *parent = nullptr);

    /// Seconds of each token; `expected`: how many there will be.
    void setTimes(std::vector<double> seconds, int expected);
    const std::vector<double> &times() const { return m_seconds; }

protected:
    int itemCount() const override { return static_cast<int>(m_seconds.size()); }
    int idOf(int index) const override { return index; }
    int currentIndex() const override { return -1; }
    QString toolTipOf(int index) const override;
    int itemAt(const QPointF &where) const override;
    QPointF anchorOf(int index) const override;
    void arrange(const look::Tokens &tokens) override;
    void paintData(QPainter &painter, const look::Tokens &tokens) const override;

private:
    double milliseconds(int index) const { return m_seconds[static_cast<std::size_t>(index)] * 1e3; }

    std::vector<double> m_seconds;
    int m_expected = 0;
    QLineSeries *m_anchor; // Qt Charts maps places through a series only
    QValueAxis *m_x;
    QValueAxis *m_y;
};

} // namespace nestwright::charts
