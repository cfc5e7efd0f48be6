// SPDX-License-Identifier: GPL-3.0-or-later
/// Facts as a form: titles at the left, values that can be selected at the right.
#pragma once

#include "core/measure/machine/machine_facts.h"

#include <QWidget>

#include <vector>

class QDialog;
class QDialogButtonBox;

namespace nestwright::app {

/// The label of a value is named "fact." and the fact's name.
class FactForm : public QWidget {
    Q_OBJECT
public:
    FactForm(const std::vector<measure::MachineFact> &facts, QWidget *parent);
};

/// The buttons below facts: Copy gives the clipboard `text`, Close is the default.
QDialogButtonBox *copyAndClose(QDialog *dialog, const QString &text);

} // namespace nestwright::app
