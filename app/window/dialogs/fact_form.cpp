// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dialogs/fact_form.h"

#include <QClipboard>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>

namespace nestwright::app {

namespace {
constexpr int betweenGroups = 16; ///< beside the spacing of rows
}

FactForm::FactForm(const std::vector<measure::MachineFact> &facts, QWidget *parent) : QWidget(parent)
{
    auto *form = new QFormLayout(this);
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(24);
    form->setVerticalSpacing(8);
    QString group;
    for (const measure::MachineFact &fact : facts) {
        if (const QString next = QString::fromStdString(fact.group); next != group) {
            group = next;
            auto *heading = new QLabel(group, this);
            heading->setProperty("role", "title");
            heading->setContentsMargins(0, form->rowCount() > 0 ? betweenGroups : 0, 0, 0);
            form->addRow(heading);
        }
        auto *title = new QLabel(QString::fromStdString(fact.title), this);
        title->setProperty("role", "secondary");
        auto *value = new QLabel(QString::fromStdString(fact.value), this);
        value->setObjectName(QStringLiteral("fact.") + QString::fromStdString(fact.name));
        value->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        form->addRow(title, value);
    }
}

QDialogButtonBox *copyAndClose(QDialog *dialog, const QString &text)
{
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
    QPushButton *copy = buttons->addButton(QDialog::tr("Copy"), QDialogButtonBox::ActionRole);
    buttons->button(QDialogButtonBox::Close)->setDefault(true);
    QObject::connect(copy, &QPushButton::clicked, dialog,
                     [text] { QGuiApplication::clipboard()->setText(text); });
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    return buttons;
}

} // namespace nestwright::app
