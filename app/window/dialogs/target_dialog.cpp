// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dialogs/target_dialog.h"

#include "core/backend/backend.h"
#include "widgets/document/text.h"
#include "widgets/look/fonts.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

namespace nestwright::app {

namespace {
constexpr int targetDialogWidth = 520;
}

TargetDialog::TargetDialog(const target::Target &target, QWidget *parent)
    : QDialog(parent)
    , m_target(target)
    , m_field(new QLineEdit(QString::fromStdString(target.str()), this))
    , m_problem(new QLabel(this))
{
    setWindowTitle(tr("Target"));
    setMinimumWidth(targetDialogWidth);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 16, 16, 16);
    layout->setSpacing(8);
    auto *label = new QLabel(tr("Target of the code, as in TVM"), this);
    label->setProperty("role", "title");
    m_field->setFont(look::codeFont(13));
    m_field->setAccessibleName(tr("Target"));
    label->setBuddy(m_field);
    auto *examples = new QLabel(tr("llvm -mcpu=skylake-avx512 -num-cores=4\n"
                                   "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72 (to read its code)\n"
                                   "c -num-cores=1"),
                                this);
    examples->setProperty("role", "secondary");
    examples->setFont(look::codeFont(11.5));
    examples->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_problem->setProperty("role", "bad");
    m_problem->setWordWrap(true);
    m_problem->setTextFormat(Qt::PlainText);
    m_problem->setMinimumHeight(2 * m_problem->fontMetrics().lineSpacing()); // nothing moves when it speaks
    m_problem->setAlignment(Qt::AlignTop);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_use = buttons->addButton(tr("Use"), QDialogButtonBox::AcceptRole);
    m_use->setDefault(true);
    layout->addWidget(label);
    layout->addWidget(m_field);
    layout->addWidget(m_problem);
    layout->addWidget(examples);
    layout->addWidget(buttons);
    connect(m_field, &QLineEdit::textChanged, this, &TargetDialog::check);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    m_field->selectAll();
    check();
}

QString TargetDialog::problem() const { return m_problem->text(); }

void TargetDialog::check()
{
    const auto parsed = target::parseTarget(m_field->text().toStdString());
    const auto checked = parsed ? backend::checkTarget(*parsed) : support::fail(parsed.error());
    if (checked)
        m_target = *parsed;
    QString text;
    if (!checked) {
        text = document::sentence(checked.error().message);
        if (!checked.error().hint.empty())
            text += u'\n' + document::sentence(checked.error().hint);
    }
    m_problem->setText(text);
    m_field->setProperty("wrong", !checked.has_value());
    m_field->style()->unpolish(m_field);
    m_field->style()->polish(m_field);
    m_field->setAccessibleDescription(text);
    m_use->setEnabled(checked.has_value());
}

} // namespace nestwright::app
