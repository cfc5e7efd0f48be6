// SPDX-License-Identifier: GPL-3.0-or-later
/// The parameters of one primitive, generated from its field descriptors.
#pragma once

#include "core/suggest/actions.h"

#include <QWidget>

class QFormLayout;
class QLabel;
class QTimer;

namespace nestwright::look {
class Button;
}

namespace nestwright::forms {

class FieldEditor;

/// Enter applies what is legal, once that is known; Esc closes. Every change is offered for a preview.
class PrimitiveForm : public QWidget {
    Q_OBJECT
public:
    PrimitiveForm(const suggest::Action &action, const suggest::LoopNest &nest, support::StmtId selected,
                  QWidget *parent = nullptr);

    const schedule::Primitive &primitive() const { return *m_primitive; }
    /// With the arguments as they stand now.
    schedule::Step step() const;
    /// Says whether the step as it stands is legal: an empty sentence where it is.
    void setVerdict(const QString &refusal);
    /// Whether it was entered and waits for the verdict.
    bool isEntered() const { return m_isEntered; }
    void takeFocus();
    const std::vector<FieldEditor *> &editors() const { return m_editors; }

Q_SIGNALS:
    void previewWanted(const nestwright::schedule::Step &step);
    void accepted(const nestwright::schedule::Step &step);
    void closed();

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    void addFields(const suggest::Action &action, const suggest::LoopNest &nest, support::StmtId selected);
    void edited();
    void showVerdict(const QString &refusal);
    void accept();

    const schedule::Primitive *m_primitive;
    schedule::Args m_args;
    std::vector<FieldEditor *> m_editors; ///< null where a field is not edited
    QFormLayout *m_fields;
    QLabel *m_remark;
    QLabel *m_verdict;
    look::Button *m_apply;
    QTimer *m_wait;
    bool m_isJudged = false; ///< the verdict is about the step as it stands
    bool m_isEntered = false;
};

} // namespace nestwright::forms
