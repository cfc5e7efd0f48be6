// SPDX-License-Identifier: GPL-3.0-or-later
/// Asks for a target as text; a fault is named below the field while it is typed.
#pragma once

#include "core/target/target.h"

#include <QDialog>

class QLabel;
class QLineEdit;
class QPushButton;

namespace nestwright::app {

class TargetDialog : public QDialog {
    Q_OBJECT
public:
    explicit TargetDialog(const target::Target &target, QWidget *parent = nullptr);

    /// The target of an accepted dialog.
    const target::Target &target() const { return m_target; }
    QLineEdit *field() const { return m_field; }
    /// The fault in the target; empty where there is none.
    QString problem() const;

private:
    void check();

    target::Target m_target;
    QLineEdit *m_field;
    QLabel *m_problem;
    QPushButton *m_use;
};

} // namespace nestwright::app
