// SPDX-License-Identifier: GPL-3.0-or-later
/// Editors for the arguments of a primitive, one per kind of field.
#pragma once

#include "core/suggest/proposals.h"

#include <QWidget>

namespace nestwright::forms {

/// Facts about the selected loop for an editor.
struct EditorContext {
    std::int64_t iterations = -1; ///< of the selected loop; -1 where it is symbolic
    QString loopName;
};

class FieldEditor : public QWidget {
    Q_OBJECT
public:
    using QWidget::QWidget;

    virtual schedule::ArgValue value() const = 0;
    /// The fault in the typed value; empty where there is none.
    virtual QString problem() const { return {}; }
    /// The meaning of the value, for the line below the form: "32 × 32 = 1024".
    virtual QString remark() const { return {}; }
    /// The widget that takes the focus when the form opens.
    virtual QWidget *focusTarget() = 0;

Q_SIGNALS:
    void edited();
};

/// `choices` are those of the action; `proposed` is its initial value.
FieldEditor *makeEditor(const schedule::Field &field, const std::vector<suggest::Choice> &choices,
                        const schedule::ArgValue &proposed, const EditorContext &context, QWidget *parent);

/// A value as typed in for an annotation, as in a script: a number, True, None, a list; anything else is
/// text.
schedule::ArgValue parseAnnotation(const QString &text);

} // namespace nestwright::forms
