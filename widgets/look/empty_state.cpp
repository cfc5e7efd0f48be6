// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/empty_state.h"

#include "widgets/look/button.h"
#include "widgets/look/fonts.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace nestwright::look {

EmptyState::EmptyState(const QString &title, const QString &hint, QWidget *parent)
    : QWidget(parent)
    , m_title(new QLabel(this))
    , m_hint(new QLabel(this))
    , m_buttons(new QHBoxLayout)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 16, 16, 16);
    layout->setSpacing(6);
    layout->addStretch(2);
    m_title->setFont(interfaceFont(13, QFont::DemiBold));
    m_hint->setFont(interfaceFont(12));
    m_hint->setProperty("role", "secondary");
    for (QLabel *label : {m_title, m_hint}) {
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(true);
        layout->addWidget(label);
    }
    m_buttons->setSpacing(8);
    m_buttons->addStretch(1);
    m_buttons->addStretch(1);
    layout->addSpacing(6);
    layout->addLayout(m_buttons);
    layout->addStretch(3);
    setText(title, hint);
}

void EmptyState::setText(const QString &title, const QString &hint)
{
    m_title->setText(title);
    m_hint->setText(hint);
    m_title->setVisible(!title.isEmpty());
    m_hint->setVisible(!hint.isEmpty());
    setAccessibleName(title);
}

Button *EmptyState::addButton(const QString &text, bool primary)
{
    auto *button = new Button(text, this, primary ? Button::Kind::Primary : Button::Kind::Plain);
    m_buttons->insertWidget(m_buttons->count() - 1, button);
    return button;
}

} // namespace nestwright::look
