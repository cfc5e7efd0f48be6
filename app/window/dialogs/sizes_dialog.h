// SPDX-License-Identifier: GPL-3.0-or-later
/// Asks how large the symbolic dimensions of a model are.
#pragma once

#include "core/session/model/model.h"

#include <QDialog>

class QSpinBox;

namespace nestwright::app {

class SizesDialog : public QDialog {
    Q_OBJECT
public:
    SizesDialog(const QStringList &names, const frontend::Sizes &proposed, QWidget *parent);

    frontend::Sizes sizes() const;

private:
    std::vector<std::pair<std::string, QSpinBox *>> m_boxes;
};

} // namespace nestwright::app
