// SPDX-License-Identifier: GPL-3.0-or-later
/// The factors of a split: boxes with × between them; one may be left open and is worked out.
#pragma once

#include "widgets/forms/field_editor.h"

class QHBoxLayout;
class QLineEdit;

namespace nestwright::look {
class Button;
}

namespace nestwright::forms {

class FactorEditor : public FieldEditor {
    Q_OBJECT
public:
    FactorEditor(const schedule::Field &field, const schedule::ArgValue &proposed,
                 const EditorContext &context, QWidget *parent);

    schedule::ArgValue value() const override;
    QString problem() const override;
    /// "32 × 32 = 1024 iterations", or the remainder.
    QString remark() const override;
    QWidget *focusTarget() override;

    const std::vector<QLineEdit *> &boxes() const { return m_boxes; }
    void addFactor(const QString &text = QStringLiteral("2"));
    void removeFactor();

private:
    void rebuild();

    bool m_takesFormulas;
    EditorContext m_context;
    QHBoxLayout *m_row;
    look::Button *m_more;
    look::Button *m_fewer;
    std::vector<QLineEdit *> m_boxes;
};

} // namespace nestwright::forms
