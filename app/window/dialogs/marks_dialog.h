// SPDX-License-Identifier: GPL-3.0-or-later
/// Asks for the name, tags, colour and note of a variant.
#pragma once

#include "core/session/history/variant_tree.h"

#include <QDialog>

class QButtonGroup;
class QCheckBox;
class QLineEdit;
class QPlainTextEdit;

namespace nestwright::app {

class MarksDialog : public QDialog {
    Q_OBJECT
public:
    MarksDialog(const session::Variant &variant, QWidget *parent);

    QString name() const;
    session::VariantMarks marks() const;

private:
    QWidget *colorRow(int chosen);

    QLineEdit *m_name, *m_tags;
    QCheckBox *m_star;
    QButtonGroup *m_colors;
    QPlainTextEdit *m_note;
};

} // namespace nestwright::app
