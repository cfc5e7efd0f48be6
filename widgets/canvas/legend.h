// SPDX-License-Identifier: GPL-3.0-or-later
/// The colours of an overlay, with the numbers at their ends.
#pragma once

#include "widgets/look/accessible_items.h"

#include <QWidget>

namespace nestwright::canvas {

class Legend : public QWidget, public look::AccessibleItems {
    Q_OBJECT
public:
    explicit Legend(QWidget *parent);
    void setEnds(const QString &low, const QString &high);
    QSize sizeHint() const override;
    /// The colours, between the numbers; narrower where the widget is.
    QRect bar() const;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_low, m_high;
};

} // namespace nestwright::canvas
