// SPDX-License-Identifier: GPL-3.0-or-later
/// The order of loops: a row of names to drag, or to move with Alt and an arrow key.
#pragma once

#include "widgets/forms/field_editor.h"

class QListWidget;

namespace nestwright::forms {

class OrderEditor : public FieldEditor {
    Q_OBJECT
public:
    /// Shows all `choices`; those of `proposed` stand in its order.
    OrderEditor(const std::vector<suggest::Choice> &choices, const schedule::ArgValue &proposed,
                QWidget *parent);

    schedule::ArgValue value() const override;
    QString remark() const override;
    QWidget *focusTarget() override;
    /// Moves the current loop by `places` (negative: outwards).
    void moveCurrent(int places);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QListWidget *m_list;
};

} // namespace nestwright::forms
