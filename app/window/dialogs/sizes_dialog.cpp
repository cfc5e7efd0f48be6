// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dialogs/sizes_dialog.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <limits>

namespace nestwright::app {

SizesDialog::SizesDialog(const QStringList &names, const frontend::Sizes &proposed, QWidget *parent)
    : QDialog(parent)
{
    setWindowTitle(tr("Sizes of the model"));
    auto *layout = new QVBoxLayout(this);
    layout->setSpacing(12);
    auto *text =
        new QLabel(tr("The model leaves these sizes open. Its kernels are made for the sizes given here, "
                      "which are remembered for this file."),
                   this);
    text->setWordWrap(true);
    layout->addWidget(text);
    auto *form = new QFormLayout;
    for (const QString &name : names) {
        auto *box = new QSpinBox(this);
        box->setRange(1, std::numeric_limits<int>::max());
        if (const auto known = proposed.find(name.toStdString()); known != proposed.end())
            box->setValue(static_cast<int>(known->second));
        box->setAccessibleName(name);
        form->addRow(name, box);
        m_boxes.emplace_back(name.toStdString(), box);
    }
    layout->addLayout(form);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);
    if (!m_boxes.empty())
        m_boxes.front().second->selectAll();
}

frontend::Sizes SizesDialog::sizes() const
{
    frontend::Sizes sizes;
    for (const auto &[name, box] : m_boxes)
        sizes[name] = box->value();
    return sizes;
}

} // namespace nestwright::app
