// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panes/script_line.h"

#include "widgets/document/text.h"
#include "widgets/look/button.h"
#include "widgets/look/fonts.h"
#include "widgets/look/label.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStyle>
#include <QVBoxLayout>

namespace nestwright::app {

namespace {
constexpr double reasonPixels = 12;
constexpr int reasonLines = 4; // always kept free: nothing moves when a line becomes illegal
} // namespace

ScriptLine::ScriptLine(QWidget *parent)
    : QWidget(parent)
    , m_title(look::plainLabel({}, look::interfaceFont(reasonPixels, QFont::DemiBold), "secondary", this))
    , m_text(look::plainLabel({}, look::interfaceFont(reasonPixels), "secondary", this))
    , m_button(new look::Button({}, this))
{
    m_title->setMinimumWidth(0);
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_text->setFixedHeight(reasonLines * QFontMetrics(m_text->font()).lineSpacing());
    m_button->setCompact();
    m_button->setObjectName(QStringLiteral("script.edit"));
    auto *row = new QHBoxLayout;
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_title, 1);
    row->addWidget(m_button);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 6, 8, 6);
    layout->setSpacing(2);
    layout->addLayout(row);
    layout->addWidget(m_text);
    connect(m_button, &QPushButton::clicked, this, &ScriptLine::toggled);
    setEditing(false);
}

void ScriptLine::setEditing(bool on)
{
    m_button->setText(on ? tr("Leave") : tr("Edit"));
    m_button->setKey(on ? QStringLiteral("Esc") : QStringLiteral("F4"));
    m_text->setVisible(on);
    if (!on)
        show(tr("Type to edit it"), {}, false);
}

void ScriptLine::showLegal(int steps)
{
    show(steps == 1 ? tr("1 step, legal") : tr("%1, all legal").arg(document::counted(steps, tr("step"))),
         tr("A line counts when the cursor leaves it, or after a moment."), false);
}

void ScriptLine::showFault(int steps, int line, const support::Diagnostic &fault)
{
    show(line > 0 ? tr("Line %1 is not legal").arg(line)
                  : tr("Not legal behind %1").arg(document::counted(steps, tr("step"))),
         document::explanation(fault), true);
}

void ScriptLine::showNote(const QString &title, const QString &text) { show(title, text, false); }

QString ScriptLine::title() const { return m_title->text(); }

QString ScriptLine::text() const { return m_text->text(); }

void ScriptLine::show(const QString &title, const QString &text, bool isBad)
{
    m_title->setText(title);
    m_text->setText(text);
    m_text->setToolTip(text); // where it is longer than its room
    m_title->setProperty("role", isBad ? "bad" : "secondary");
    m_title->style()->unpolish(m_title);
    m_title->style()->polish(m_title);
}

} // namespace nestwright::app
