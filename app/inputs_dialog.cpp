// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/inputs_dialog.h"

#include "core/session/model.h"
#include "widgets/look/button.h"

#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace nestwright::app {

InputsDialog::InputsDialog(const session::Model &model, const document::ModelResults::Inputs &inputs,
                           QWidget *parent)
    : QDialog(parent)
    , m_folder(QFileInfo(QString::fromStdString(model.path)).absolutePath())
{
    setWindowTitle(tr("Inputs of the model"));
    setMinimumWidth(520);
    auto *layout = new QVBoxLayout(this);
    layout->setSpacing(12);
    auto *text =
        new QLabel(tr("The values of nodes are those for these inputs: NumPy's .npy files or ONNX's "
                      ".pb files. An input without a file holds random numbers, the same each time."),
                   this);
    text->setWordWrap(true);
    layout->addWidget(text);
    auto *form = new QFormLayout;
    const graph::Function &function = model.program.function;
    for (const int place : function.inputs()) {
        const graph::Node &input = function.at(place);
        const auto given = inputs.find(input.name);
        form->addRow(QStringLiteral("%1  %2").arg(
                         QString::fromStdString(input.name),
                         QString::fromStdString(te::shapeText(input.types[0].shape, input.types[0].dtype))),
                     fileRow(input.name, given == inputs.end() ? QString() : given->second));
    }
    layout->addLayout(form);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    buttons->addButton(tr("Run"), QDialogButtonBox::AcceptRole)->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);
}

QWidget *InputsDialog::fileRow(const std::string &name, const QString &file)
{
    auto *row = new QWidget(this);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    auto *edit = new QLineEdit(file, row);
    edit->setPlaceholderText(tr("random numbers"));
    edit->setClearButtonEnabled(true);
    edit->setAccessibleName(QString::fromStdString(name));
    layout->addWidget(edit, 1);
    auto *choose = new look::Button(tr("Choose…"), row);
    choose->setAutoDefault(false);
    layout->addWidget(choose);
    connect(choose, &QPushButton::clicked, this, [this, edit] {
        const QString path = QFileDialog::getOpenFileName(this, tr("The input's numbers"), m_folder,
                                                          tr("Arrays (*.npy *.pb);;All files (*)"));
        if (path.isEmpty())
            return;
        edit->setText(path);
        m_folder = QFileInfo(path).absolutePath();
    });
    m_files.emplace_back(name, edit);
    return row;
}

document::ModelResults::Inputs InputsDialog::inputs() const
{
    document::ModelResults::Inputs inputs;
    for (const auto &[name, edit] : m_files) {
        if (const QString file = edit->text().trimmed(); !file.isEmpty())
            inputs[name] = file;
    }
    return inputs;
}

} // namespace nestwright::app
