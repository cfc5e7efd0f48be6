// SPDX-License-Identifier: GPL-3.0-or-later
/// Ratios over shapes and targets, or over the values of two numbers, as a map: green above 1, red below,
/// hatched where noise hides them.
#pragma once

#include "widgets/charts/chart_pane.h"

#include <QString>
#include <QStringList>

#include <vector>

namespace nestwright::charts {

struct RatioCell {
    double ratio = 0, low = 0, high = 0; ///< 0: there is none
    bool isSignificant = false;
    QString detail{};  ///< below the ratio: "45.1 GFLOPS"
    QString refused{}; ///< why there is no ratio
    bool isDone = false;
    QString text{};        ///< in place of the ratio: "0.87"
    QString explanation{}; ///< in place of that of the ratio
    bool isBest = false;   ///< a star stands before the text
    bool isTied = false;   ///< hatched over its colour, with ≈ before the text
};

struct RatioData {
    QString title{};
    QStringList rows{}, columns{};
    std::vector<RatioCell> cells{}; ///< row by row
    QString hatched{};              ///< meaning of the hatching; empty: "not significant"
};

/// Items are cells, row by row.
class RatioMap : public ChartPane {
    Q_OBJECT
public:
    explicit RatioMap(QWidget *parent = nullptr);

    void setData(RatioData data);
    const RatioData &data() const { return m_data; }
    void setCurrent(int cell);
    int current() const { return m_current; }
    /// A click on a cell only selects it: `activated` is of the keys then.
    void setOpensOnClick(bool opens) { m_opensOnClick = opens; }
    /// Large enough for every cell to be read.
    QSize fullSize() const;

Q_SIGNALS:
    /// A cell was clicked, or Enter pressed on it.
    void activated(int cell);

protected:
    int itemCount() const override { return static_cast<int>(m_data.cells.size()); }
    int idOf(int index) const override { return index; }
    int currentIndex() const override { return m_current; }
    QString toolTipOf(int index) const override;
    int itemAt(const QPointF &point) const override;
    QPointF anchorOf(int index) const override { return cellRect(index).center(); }
    void arrange(const look::Tokens & /*tokens*/) override {}
    void paintData(QPainter &painter, const look::Tokens &tokens) const override;
    bool eventFilter(QObject *watched, QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    int columnCount() const { return static_cast<int>(m_data.columns.size()); }
    QRectF plot() const;
    QRectF cellRect(int index) const;
    void paintLabels(QPainter &painter, const look::Tokens &tokens) const;
    void paintCell(QPainter &painter, const look::Tokens &tokens, int index) const;
    void paintText(QPainter &painter, const look::Tokens &tokens, const RatioCell &cell,
                   const QRectF &inside) const;
    QString hatchedText() const;
    void paintScale(QPainter &painter, const look::Tokens &tokens) const;

    RatioData m_data;
    int m_current = -1;
    int m_pressed = -1; ///< cell of the press at work
    bool m_opensOnClick = true;
};

/// The fill of a cell with this ratio, from red over none at 1 to green; the darkest at 8 and an eighth.
QColor ratioColor(double ratio, const look::Tokens &tokens);

} // namespace nestwright::charts
