// SPDX-License-Identifier: GPL-3.0-or-later
/// The colours of a grid with their classes.
#pragma once

#include "widgets/look/accessible_items.h"

#include <QStringList>
#include <QWidget>

namespace nestwright::player {

class ReuseLegend : public QWidget, public look::AccessibleItems {
    Q_OBJECT
public:
    explicit ReuseLegend(const QStringList &classes, QWidget *parent = nullptr);

    QSize sizeHint() const override;
    QString accessibleSummary() const override;
    QSize minimumSizeHint() const override { return {100, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QStringList m_classes;
};

} // namespace nestwright::player
