// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/factor_editor.h"

#include "widgets/look/button.h"
#include "widgets/look/fonts.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpressionValidator>

#include <algorithm>

namespace nestwright::forms {

using schedule::ArgList;
using schedule::ArgValue;

FactorEditor::FactorEditor(const ArgValue &proposed, const EditorContext &context, QWidget *parent)
    : FieldEditor(parent)
    , m_context(context)
    , m_row(new QHBoxLayout(this))
    , m_more(new look::Button(QStringLiteral("+"), this, look::Button::Kind::Quiet))
    , m_fewer(new look::Button(QStringLiteral("−"), this, look::Button::Kind::Quiet))
{
    m_row->setContentsMargins(0, 0, 0, 0);
    m_row->setSpacing(4);
    m_more->setToolTip(tr("One more factor, innermost"));
    m_more->setAccessibleName(tr("Add a factor"));
    m_fewer->setToolTip(tr("Without the innermost factor"));
    m_fewer->setAccessibleName(tr("Remove a factor"));
    connect(m_more, &QPushButton::clicked, this, [this] {
        addFactor();
        Q_EMIT edited();
    });
    connect(m_fewer, &QPushButton::clicked, this, [this] {
        removeFactor();
        Q_EMIT edited();
    });
    if (const ArgList *list = proposed.as<ArgList>()) {
        for (const ArgValue &factor : *list) {
            const auto *number = factor.as<std::int64_t>();
            addFactor(number ? QString::number(*number) : QString());
        }
    }
    while (m_boxes.size() < 2)
        addFactor();
}

void FactorEditor::addFactor(const QString &text)
{
    auto *box = new QLineEdit(text, this);
    box->setFont(look::codeFont(12.5));
    box->setPlaceholderText(QStringLiteral("auto"));
    box->setAlignment(Qt::AlignCenter);
    box->setValidator(new QRegularExpressionValidator(QRegularExpression(QStringLiteral("[0-9]{0,9}")), box));
    box->setMinimumWidth(44);
    box->setMaximumWidth(72);
    box->setAccessibleName(tr("Factor %1").arg(m_boxes.size() + 1));
    box->setToolTip(tr("Iterations of this loop; empty: worked out from the others"));
    connect(box, &QLineEdit::textChanged, this, &FieldEditor::edited);
    m_boxes.push_back(box);
    rebuild();
}

void FactorEditor::removeFactor()
{
    if (m_boxes.size() <= 2)
        return;
    delete m_boxes.back();
    m_boxes.pop_back();
    rebuild();
}

void FactorEditor::rebuild()
{
    while (QLayoutItem *item = m_row->takeAt(0)) {
        delete qobject_cast<QLabel *>(item->widget()); // the boxes are used again
        delete item;
    }
    for (std::size_t i = 0; i < m_boxes.size(); ++i) {
        if (i > 0) {
            auto *times = new QLabel(QStringLiteral("×"), this);
            times->setProperty("role", "secondary");
            m_row->addWidget(times);
        }
        m_row->addWidget(m_boxes[i], 1);
        if (i > 0)
            setTabOrder(m_boxes[i - 1], m_boxes[i]);
    }
    m_row->addWidget(m_more);
    m_row->addWidget(m_fewer);
    m_row->addStretch(1);
    m_fewer->setUnavailable(m_boxes.size() > 2 ? QString() : tr("A split needs at least two factors"));
}

ArgValue FactorEditor::value() const
{
    ArgList list;
    for (const QLineEdit *box : m_boxes)
        list.push_back(box->text().isEmpty() ? ArgValue()
                                             : ArgValue(static_cast<std::int64_t>(box->text().toLongLong())));
    return list;
}

QString FactorEditor::problem() const
{
    const auto open =
        std::ranges::count_if(m_boxes, [](const QLineEdit *box) { return box->text().isEmpty(); });
    if (open > 1)
        return tr("Only one factor can be left to be worked out");
    return {};
}

QString FactorEditor::remark() const
{
    if (m_context.iterations < 0)
        return tr("%1 has a symbolic number of iterations").arg(m_context.loopName);
    std::int64_t product = 1;
    bool open = false;
    for (const QLineEdit *box : m_boxes) {
        if (box->text().isEmpty())
            open = true;
        else
            product *= std::max<std::int64_t>(1, box->text().toLongLong());
        if (product > (std::int64_t{1} << 40))
            return tr("The factors are far more than the %1 iterations").arg(m_context.iterations);
    }
    const std::int64_t rest = open ? (m_context.iterations + product - 1) / product : 1;
    QStringList parts;
    for (const QLineEdit *box : m_boxes)
        parts << (box->text().isEmpty() ? QString::number(rest) : box->text());
    const std::int64_t covered = product * rest;
    const QString sum = QStringLiteral("%1 = %2").arg(parts.join(QStringLiteral(" × "))).arg(covered);
    if (covered == m_context.iterations)
        return tr("%1, all of %2's iterations").arg(sum, m_context.loopName);
    if (covered > m_context.iterations)
        return tr("%1 covers the %2 iterations; a predicate guards the rest")
            .arg(sum)
            .arg(m_context.iterations);
    return tr("%1 is less than the %2 iterations").arg(sum).arg(m_context.iterations);
}

QWidget *FactorEditor::focusTarget()
{
    m_boxes.back()->selectAll();
    return m_boxes.back();
}

} // namespace nestwright::forms
