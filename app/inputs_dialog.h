// SPDX-License-Identifier: GPL-3.0-or-later
/// Asks for the files that hold the inputs of a model when its nodes' values are looked at.
#pragma once

#include "widgets/document/model_results.h"

#include <QDialog>

#include <utility>
#include <vector>

class QLineEdit;

namespace nestwright::session {
struct Model;
}

namespace nestwright::app {

class InputsDialog : public QDialog {
    Q_OBJECT
public:
    InputsDialog(const session::Model &model, const document::ModelResults::Inputs &inputs, QWidget *parent);

    /// Those for which a file is given.
    document::ModelResults::Inputs inputs() const;

private:
    QWidget *fileRow(const std::string &name, const QString &file);

    QString m_folder;
    std::vector<std::pair<std::string, QLineEdit *>> m_files;
};

} // namespace nestwright::app
