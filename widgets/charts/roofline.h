// SPDX-License-Identifier: GPL-3.0-or-later
/// The roofline (S. Williams, A. Waterman, D. Patterson, "Roofline", CACM 2009): the bounds of memory and
/// arithmetic, and the variants below them; for kernels that only move bytes, the bounds of the memories.
#pragma once

#include "widgets/charts/chart_data.h"
#include "widgets/charts/chart_pane.h"

class QLineSeries;
class QLogValueAxis;

namespace nestwright::charts {

/// Log–log: a slanted roof per level of memory and the flat one of the machine's peak, or the steps of the
/// memories by what they hold; below them the points of the variants, with arrows from each to the next that
/// bend to the left upwards and to the right downwards.
class Roofline : public ChartPane {
    Q_OBJECT
public:
    explicit Roofline(QWidget *parent = nullptr);

    void setData(RooflineData data);
    const RooflineData &data() const { return m_data; }

protected:
    int itemCount() const override { return static_cast<int>(m_data.points.size()); }
    bool isEmpty() const override { return m_data.points.empty() && !showsAwaited(); }
    int idOf(int index) const override;
    int currentIndex() const override;
    QString toolTipOf(int index) const override;
    int itemAt(const QPointF &where) const override;
    QPointF anchorOf(int index) const override;
    void arrange(const look::Tokens &tokens) override;
    void paintData(QPainter &painter, const look::Tokens &tokens) const override;

private:
    static constexpr double topMargin = 24;

    const RooflinePoint &point(int index) const { return m_data.points[static_cast<std::size_t>(index)]; }
    /// Whether to mark the bound of a program that has no point yet, under known roofs.
    bool showsAwaited() const;
    /// The memory that all of a call's bytes fit into; null where none is known.
    const Roof *holderOf(double bytes) const;
    double boundAt(double across) const;
    double acrossOfAll() const;
    /// "85.6 GFLOPS", in the unit of the axis.
    QString rateText(double rate) const;
    QString acrossText(double across) const;
    QPointF place(double across, double rate) const;
    void findRanges();
    void findRangesOfBytes();
    /// Returns where no names have room beside it.
    std::vector<QRectF> paintMemories(QPainter &painter, const look::Tokens &tokens) const;
    void paintRoofs(QPainter &painter, const look::Tokens &tokens) const;
    void paintFlatRoof(QPainter &painter, const look::Tokens &tokens, double gflops,
                       const QString &name) const;
    void paintAwaited(QPainter &painter, const look::Tokens &tokens) const;
    void paintRoofNames(QPainter &painter, const look::Tokens &tokens) const;
    QLineF lineOf(const Roof &roof) const;
    void paintPoints(QPainter &painter, const look::Tokens &tokens, const std::vector<QRectF> &taken) const;
    void paintWay(QPainter &painter, const look::Tokens &tokens) const;
    void paintWayNames(QPainter &painter, const look::Tokens &tokens, std::vector<QRectF> taken) const;

    RooflineData m_data;
    QLineSeries *m_anchor; // Qt Charts maps places through a series only
    QLogValueAxis *m_x;
    QLogValueAxis *m_y;
    bool m_areTera = false; ///< the axis has TFLOPS
    double m_left = 0.1, m_right = 100, m_bottom = 1, m_top = 1000;
};

} // namespace nestwright::charts
