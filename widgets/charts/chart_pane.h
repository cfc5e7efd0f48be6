// SPDX-License-Identifier: GPL-3.0-or-later
/// The base of bars and roofline: a Qt chart for axes and grid, our own painting of the data on it, choosing
/// by mouse and key.
#pragma once

#include "widgets/look/accessible_items.h"

#include <QRectF>
#include <QWidget>

#include <optional>

class QChart;
class QChartView;

namespace nestwright::look {
struct Tokens;
}

namespace nestwright::charts {

class DataLayer;

/// The items of a chart are numbered from 0 in the order of the data.
class ChartPane : public QWidget, public look::AccessibleItems {
    Q_OBJECT
public:
    ChartPane(const QString &name, QWidget *parent);

    /// Sets the text shown while there are no data.
    void setEmptyText(const QString &title, const QString &hint = {});
    const QString &emptyTitle() const { return m_emptyTitle; }

    /// Paints the chart as it is, without ground, at the painter's origin.
    void paintOn(QPainter &painter);

    /// Position of an item on this widget (for tests and hints).
    QPointF positionOfItem(int index) const;
    /// The id of the item at a place of this widget; none beside them.
    std::optional<int> idAt(const QPointF &at) const;
    /// Selects an item that is still there, as a click on it does.
    void choose(int id);

    int accessibleCount() const override { return itemCount(); }
    QString accessibleText(int index) const override;
    QRect accessibleRect(int index) const override;
    int accessibleCurrent() const override { return currentIndex(); }
    void chooseAccessible(int index) override;
    QString accessibleSummary() const override;

Q_SIGNALS:
    /// An item was clicked, or chosen by the arrow keys.
    void selected(int id);

protected:
    virtual int itemCount() const = 0;
    /// Nothing to draw: the text for that is shown.
    virtual bool isEmpty() const { return itemCount() == 0; }
    virtual int idOf(int index) const = 0;
    virtual int currentIndex() const = 0;
    virtual QString toolTipOf(int index) const = 0;
    /// Places in the chart's own coordinates.
    virtual int itemAt(const QPointF &point) const = 0;
    virtual QPointF anchorOf(int index) const = 0;
    /// Plot area, ranges and colours of the axes.
    virtual void arrange(const look::Tokens &tokens) = 0;
    virtual void paintData(QPainter &painter, const look::Tokens &tokens) const = 0;

    QChart *chart() const { return m_chart; }
    QRectF chartRect() const;
    int hovered() const { return m_hovered; }
    /// Lays out and paints again, after the data changed.
    void refresh();
    void repaintData();
    /// Paints a part of it again, in the chart's own coordinates.
    void repaintData(const QRectF &part);
    /// The part that is to be painted, while it is.
    const QRectF &exposed() const { return m_exposed; }
    QWidget *view() const;

    void changeEvent(QEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    friend class DataLayer;
    void paintLayer(QPainter &painter) const;
    void setHovered(int index);
    void tellCurrent();

    QChart *m_chart;
    QChartView *m_view;
    DataLayer *m_layer;
    QString m_emptyTitle, m_emptyHint;
    QRectF m_exposed;
    int m_hovered = -1;
    int m_told = -1; ///< the current item, as it was told to screen readers
    bool m_arranging = false;
    bool m_showFocus = false; ///< a ring, where the focus came by key
};

} // namespace nestwright::charts
