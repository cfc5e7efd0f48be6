// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/machine_dialog.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace nestwright::app {

namespace {
constexpr int betweenGroups = 16; ///< beside the spacing of rows
}

MachineDialog::MachineDialog(const std::vector<measure::MachineFact> &facts, QWidget *parent)
    : QDialog(parent)
{
    setWindowTitle(tr("About this machine"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 16, 16, 16);
    layout->setSpacing(16);
    auto *form = new QFormLayout;
    form->setHorizontalSpacing(24);
    form->setVerticalSpacing(8);
    QString text, group;
    for (const measure::MachineFact &fact : facts) {
        const QString title = QString::fromStdString(fact.title), value = QString::fromStdString(fact.value);
        if (const QString next = QString::fromStdString(fact.group); next != group) {
            group = next;
            auto *heading = new QLabel(group, this);
            heading->setProperty("role", "title");
            heading->setContentsMargins(0, form->rowCount() > 0 ? betweenGroups : 0, 0, 0);
            form->addRow(heading);
            text += group + u'\n';
        }
        auto *name = new QLabel(title, this);
        name->setProperty("role", "secondary");
        auto *label = new QLabel(value, this);
        label->setObjectName(QStringLiteral("fact.") + QString::fromStdString(fact.name));
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        form->addRow(name, label);
        text += title + QStringLiteral(": ") + value + u'\n';
    }
    layout->addLayout(form);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    QPushButton *copy = buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole);
    buttons->button(QDialogButtonBox::Close)->setDefault(true);
    connect(copy, &QPushButton::clicked, this, [text] { QGuiApplication::clipboard()->setText(text); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);
}

} // namespace nestwright::app
