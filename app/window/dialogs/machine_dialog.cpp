// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dialogs/machine_dialog.h"

#include "app/window/controllers/program_facts.h"
#include "app/window/dialogs/fact_form.h"

#include <QDialogButtonBox>
#include <QVBoxLayout>

namespace nestwright::app {

MachineDialog::MachineDialog(const std::vector<measure::MachineFact> &facts, QWidget *parent)
    : QDialog(parent)
{
    setWindowTitle(tr("About this machine"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 16, 16, 16);
    layout->setSpacing(16);
    layout->addWidget(new FactForm(facts, this));
    layout->addWidget(copyAndClose(this, QString::fromStdString(factsText(facts))));
}

} // namespace nestwright::app
