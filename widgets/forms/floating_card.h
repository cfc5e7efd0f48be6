// SPDX-License-Identifier: GPL-3.0-or-later
/// A card on the ground of a pane, with a frame.
#pragma once

#include <QFrame>

namespace nestwright::forms {

class FloatingCard : public QFrame {
public:
    using QFrame::QFrame;

protected:
    void paintEvent(QPaintEvent *event) override;
};

} // namespace nestwright::forms
