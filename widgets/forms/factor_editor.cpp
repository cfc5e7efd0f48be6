// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/factor_editor.h"

#include "core/schedule/script/values.h"
#include "widgets/look/button.h"
#include "widgets/look/fonts.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpressionValidator>

#include <algorithm>
#include <optional>

namespace nestwright::forms {

using schedule::ArgList;
using schedule::ArgValue;

namespace {

constexpr std::int64_t largest = 999'999'999;

/// The typed factor, None where there is none; nothing for text that is neither a number nor a formula.
std::optional<ArgValue> factorIn(const QLineEdit *box)
{
    const QString text = box->text().trimmed();
    if (text.isEmpty())
        return ArgValue();
    auto typed = schedule::readValue(text.toStdString());
    const auto *number = typed ? typed->as<std::int64_t>() : nullptr;
    const bool fits = number ? *number <= largest : typed && typed->as<schedule::Formula>();
    return fits ? std::optional(*std::move(typed)) : std::nullopt;
}

} // namespace

FactorEditor::FactorEditor(const schedule::Field &field, const ArgValue &proposed,
                           const EditorContext &context, QWidget *parent)
    : FieldEditor(parent)
    , m_takesFormulas(field.form == schedule::FieldForm::AcceptsFormulas)
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
            addFactor(factor.isNone() ? QString() : QString::fromStdString(schedule::str(factor)));
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
    if (!m_takesFormulas)
        box->setValidator(
            new QRegularExpressionValidator(QRegularExpression(QStringLiteral("[0-9]{0,9}")), box));
    const auto fit = [box](const QString &typed) { // a formula is longer than any number
        box->setMinimumWidth(typed.size() > 9 ? 120 : 44);
        box->setMaximumWidth(typed.size() > 9 ? 200 : 72);
    };
    fit(text);
    connect(box, &QLineEdit::textChanged, this, fit);
    box->setAccessibleName(tr("Factor %1").arg(m_boxes.size() + 1));
    box->setToolTip(m_takesFormulas ? tr("Iterations of this loop, a number or a formula like 4 * "
                                         "T.vscale(); empty: worked out from the others")
                                    : tr("Iterations of this loop; empty: worked out from the others"));
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
        list.push_back(factorIn(box).value_or(ArgValue()));
    return list;
}

QString FactorEditor::problem() const
{
    int open = 0;
    for (const QLineEdit *box : m_boxes) {
        const auto factor = factorIn(box);
        if (!factor)
            return tr("“%1” is neither a number nor a formula like 4 * T.vscale()").arg(box->text());
        open += factor->isNone() ? 1 : 0;
    }
    return open > 1 ? tr("Only one factor can be left to be worked out") : QString();
}

QString FactorEditor::remark() const
{
    if (m_context.iterations < 0)
        return tr("%1 has a symbolic number of iterations").arg(m_context.loopName);
    std::int64_t product = 1;
    bool open = false;
    for (const QLineEdit *box : m_boxes) {
        const ArgValue factor = factorIn(box).value_or(ArgValue());
        const auto *number = factor.as<std::int64_t>();
        if (factor.as<schedule::Formula>())
            return tr("The machine that runs it knows how many iterations that makes");
        open = open || !number;
        product *= std::max<std::int64_t>(1, number ? *number : 1);
        if (product > (std::int64_t{1} << 32))
            return tr("The factors are far more than the %1 iterations").arg(m_context.iterations);
    }
    const std::int64_t rest = open ? (m_context.iterations + product - 1) / product : 1;
    QStringList parts;
    for (const QLineEdit *box : m_boxes)
        parts << (box->text().trimmed().isEmpty() ? QString::number(rest) : box->text());
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
