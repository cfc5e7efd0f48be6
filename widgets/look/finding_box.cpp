// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/finding_box.h"

#include "widgets/look/fonts.h"
#include "widgets/look/link_button.h"
#include "widgets/look/tokens.h"

#include <QLabel>
#include <QPainter>
#include <QStyle>
#include <QVBoxLayout>

namespace nestwright::look {

namespace {

struct BoxColors {
    QColor fill, border;
};

BoxColors colorsOf(FindingBox::Kind kind, const Tokens &t)
{
    switch (kind) {
    case FindingBox::Kind::Bad: return {t.badFill, t.badBorder};
    case FindingBox::Kind::Warn: return {t.warnFill, t.warnBorder};
    case FindingBox::Kind::Good: return {mixed(t.pane, t.goodFill, 0.5), t.goodBorder};
    case FindingBox::Kind::Info: return {mixed(t.pane, t.infoFill, 0.6), t.infoBorder};
    }
    return {};
}

} // namespace

FindingBox::FindingBox(Kind kind, QWidget *parent)
    : QFrame(parent)
    , m_kind(kind)
    , m_title(new QLabel(this))
    , m_text(new QLabel(this))
    , m_action(new LinkButton({}, this))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 9, 12, 9);
    layout->setSpacing(3);
    m_title->setFont(interfaceFont(12.5, QFont::DemiBold));
    m_text->setFont(interfaceFont(12));
    for (QLabel *label : {m_title, m_text}) {
        label->setWordWrap(true);
        label->setContentsMargins(2, 0, 0, 0);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        layout->addWidget(label);
    }
    // Level with the labels: the link keeps 2 px for its focus ring.
    auto *row = new QHBoxLayout;
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_action);
    row->addStretch(1);
    layout->addLayout(row);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    connect(m_action, &QAbstractButton::clicked, this, &FindingBox::actionTriggered);
    setContent({}, {}, {});
    recolor();
}

void FindingBox::setContent(const QString &title, const QString &text, const QString &action)
{
    m_title->setText(title);
    m_text->setText(text);
    m_action->setText(action);
    m_title->setVisible(!title.isEmpty());
    m_text->setVisible(!text.isEmpty());
    m_action->setVisible(!action.isEmpty());
    setAccessibleName(title);
    setAccessibleDescription(text);
    updateGeometry();
}

void FindingBox::setKind(Kind kind)
{
    m_kind = kind;
    recolor();
    update();
}

QString FindingBox::title() const { return m_title->text(); }

/// Sets the title's role for the style sheet, whose colours follow the theme; a palette of its own would keep
/// the colours of the former theme.
void FindingBox::recolor()
{
    const QString role = m_kind == Kind::Bad    ? QStringLiteral("bad")
                         : m_kind == Kind::Good ? QStringLiteral("good")
                                                : QStringLiteral("title");
    if (m_title->property("role").toString() == role)
        return;
    m_title->setProperty("role", role);
    m_title->style()->unpolish(m_title);
    m_title->style()->polish(m_title);
}

void FindingBox::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const BoxColors c = colorsOf(m_kind, tokens(this));
    painter.setPen(QPen(c.border, 1));
    painter.setBrush(c.fill);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

} // namespace nestwright::look
