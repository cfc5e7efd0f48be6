// SPDX-License-Identifier: GPL-3.0-or-later
/// *About this machine*: the processor that runs kernels, and the sandbox that keeps them from everything but
/// computing.
#pragma once

#include "core/measure/machine/machine_facts.h"

#include <QDialog>

#include <vector>

namespace nestwright::app {

class MachineDialog : public QDialog {
    Q_OBJECT
public:
    MachineDialog(const std::vector<measure::MachineFact> &facts, QWidget *parent);
};

} // namespace nestwright::app
