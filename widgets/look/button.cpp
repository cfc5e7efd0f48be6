// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/button.h"

#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QFocusEvent>
#include <QFontMetrics>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QStyle>

namespace nestwright::look {

namespace {

constexpr int sidePadding = 11, compactPadding = 7;
constexpr int usualHeight = 28, smallHeight = 22;
constexpr int buttonGap = 8;
constexpr int arrowWidth = 8;
constexpr double buttonRadius = 6;

QFont labelFont() { return interfaceFont(12.5, QFont::Medium); }
QFont keyFont() { return interfaceFont(11, QFont::Medium); }

/// Bare text of a label such as "&Open".
QString withoutMnemonic(QString text) { return text.remove(QLatin1Char('&')); }

} // namespace

struct Button::Colors {
    QColor fill, border, label, caption, key, keyFill;
};

Button::Button(const QString &text, QWidget *parent, Kind kind)
    : QPushButton(text, parent)
    , m_kind(kind)
    , m_padding(sidePadding)
    , m_leastHeight(usualHeight)
{
    setFont(labelFont());
    setCursor(Qt::ArrowCursor);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAccessibleName(withoutMnemonic(text));
    setAutoDefault(false);
}

void Button::setKey(const QString &key)
{
    m_key = key;
    updateGeometry();
    update();
}

void Button::setCompact()
{
    m_padding = compactPadding;
    setFont(interfaceFont(11.5, QFont::Medium));
    updateGeometry();
}

void Button::setSmall()
{
    setCompact();
    m_leastHeight = smallHeight;
    setProperty("small", true); // the style sheet's word for it
    setFixedHeight(smallHeight);
}

void Button::setCaption(const QString &caption)
{
    m_caption = caption;
    setAccessibleName(QStringLiteral("%1 %2").arg(caption, withoutMnemonic(text())));
    updateGeometry();
    update();
}

void Button::setKind(Kind kind)
{
    m_kind = kind;
    update();
}

void Button::setUnavailable(const QString &reason)
{
    if (m_reason.isEmpty())
        m_toolTipBefore = toolTip();
    m_reason = reason;
    setToolTip(reason.isEmpty() ? m_toolTipBefore : reason);
    setAccessibleDescription(reason);
    update();
}

int Button::keyWidth() const
{
    if (m_key.isEmpty())
        return 0;
    const int text = QFontMetrics(keyFont()).horizontalAdvance(m_key);
    return m_kind == Kind::Primary ? std::max(16, text + 6) : text;
}

QSize Button::sizeHint() const
{
    const QFontMetrics metrics(font());
    int width = m_padding * 2 + metrics.horizontalAdvance(withoutMnemonic(text()));
    if (!icon().isNull())
        width += iconSize().width() + (text().isEmpty() ? 0 : 6);
    if (!m_caption.isEmpty())
        width += metrics.horizontalAdvance(m_caption) + buttonGap;
    if (!m_key.isEmpty())
        width += keyWidth() + buttonGap * 2;
    if (menu())
        width += arrowWidth + buttonGap;
    return {width, std::max(m_leastHeight, metrics.height() + m_leastHeight - 16)};
}

QSize Button::minimumSizeHint() const
{
    return {std::min(sizeHint().width(), m_padding * 2 + keyWidth() + 24), sizeHint().height()};
}

Button::Colors Button::colors() const
{
    const Tokens &t = tokens(this);
    if (!available()) {
        const QColor fill = m_kind == Kind::Quiet ? QColor(Qt::transparent) : t.ground;
        return {fill, m_kind == Kind::Quiet ? fill : t.hairline, t.faint, t.faint, t.faint, fill};
    }
    const bool over = underMouse();
    if (m_kind == Kind::Primary) {
        const QColor fill = isDown() ? t.accentPressed : over ? t.accentHover : t.accent;
        return {fill, fill, t.onAccent, t.onAccent, t.onAccent, t.keyBadge};
    }
    if (isChecked())
        return {t.selectionFill, t.selectionBorder, t.link, t.secondary, t.secondary, {}};
    const QColor rest = m_kind == Kind::Quiet ? QColor(Qt::transparent) : t.pane;
    const QColor fill = isDown() ? t.chip : over ? t.hover : rest;
    const QColor border = m_kind == Kind::Quiet ? fill : over ? t.nodeBorder : t.hairline;
    return {fill, border, t.text, t.secondary, mixed(t.faint, t.secondary, 0.5), {}};
}

void Button::paintFrame(QPainter &painter, const Colors &c) const
{
    const QRectF frame = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setPen(QPen(c.border, 1));
    painter.setBrush(c.fill);
    painter.drawRoundedRect(frame, buttonRadius, buttonRadius);
    if (!hasFocus() || !m_showFocus)
        return;
    const Tokens &t = tokens(this);
    const bool primary = m_kind == Kind::Primary;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(primary ? t.onAccent : t.accent, 1.5));
    const double inset = primary ? 2.5 : 0.5;
    painter.drawRoundedRect(frame.adjusted(inset, inset, -inset, -inset), buttonRadius - inset,
                            buttonRadius - inset);
}

void Button::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Colors c = colors();
    paintFrame(painter, c);

    QRect inner = rect().adjusted(m_padding, 0, -m_padding, 0);
    const bool centred = m_padding == sidePadding && m_key.isEmpty() && m_caption.isEmpty() && !menu()
                         && icon().isNull() && width() <= sizeHint().width() + 8;
    if (menu()) {
        const QPointF middle(inner.right() - arrowWidth / 2.0 + 0.5, inner.center().y() + 1.0);
        painter.setPen(QPen(c.caption, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.drawPolyline(QPolygonF{middle + QPointF(-3.5, -1.75), middle + QPointF(0, 1.75),
                                       middle + QPointF(3.5, -1.75)});
        inner.setRight(inner.right() - arrowWidth - buttonGap);
    }
    if (!m_key.isEmpty()) {
        QRect box(inner.right() - keyWidth() + 1, inner.top(), keyWidth(), inner.height());
        painter.setFont(keyFont());
        if (m_kind == Kind::Primary && available()) {
            box.translate(3, 0);
            const QRectF badge(box.left(), box.center().y() - 7.5, box.width(), 16);
            painter.setPen(Qt::NoPen);
            painter.setBrush(c.keyFill);
            painter.drawRoundedRect(badge, 3, 3);
        }
        painter.setPen(c.key);
        painter.drawText(box, Qt::AlignCenter, m_key);
        inner.setRight(inner.right() - keyWidth() - buttonGap);
    }
    if (!icon().isNull()) {
        const QRect place = text().isEmpty() ? rect() : inner;
        const QRect box = QStyle::alignedRect(
            Qt::LeftToRight, text().isEmpty() ? Qt::AlignCenter : Qt::AlignLeft | Qt::AlignVCenter,
            iconSize(), place);
        icon().paint(&painter, box, Qt::AlignCenter, available() ? QIcon::Normal : QIcon::Disabled);
        inner.setLeft(box.right() + 7);
    }
    painter.setFont(font());
    if (!m_caption.isEmpty()) {
        painter.setPen(c.caption);
        painter.setFont(interfaceFont(12.5));
        painter.drawText(inner, Qt::AlignLeft | Qt::AlignVCenter, m_caption);
        inner.setLeft(inner.left() + painter.fontMetrics().horizontalAdvance(m_caption) + buttonGap);
        painter.setFont(font());
    }
    painter.setPen(c.label);
    const QString label =
        painter.fontMetrics().elidedText(withoutMnemonic(text()), Qt::ElideRight, inner.width() + 1);
    painter.drawText(inner, (centred ? Qt::AlignHCenter : Qt::AlignLeft) | Qt::AlignVCenter, label);
}

void Button::enterEvent(QEnterEvent *event)
{
    QPushButton::enterEvent(event);
    update();
}

void Button::leaveEvent(QEvent *event)
{
    QPushButton::leaveEvent(event);
    update();
}

void Button::mousePressEvent(QMouseEvent *event)
{
    if (m_reason.isEmpty())
        return QPushButton::mousePressEvent(event);
    if (event->button() == Qt::LeftButton)
        Q_EMIT refused(m_reason);
}

void Button::focusInEvent(QFocusEvent *event)
{
    const Qt::FocusReason reason = event->reason();
    m_showFocus =
        reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason || reason == Qt::ShortcutFocusReason;
    QPushButton::focusInEvent(event);
}

void Button::keyPressEvent(QKeyEvent *event)
{
    const bool acts =
        event->key() == Qt::Key_Space || event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (!acts)
        return QPushButton::keyPressEvent(event);
    if (!m_reason.isEmpty())
        Q_EMIT refused(m_reason);
    else if (event->key() == Qt::Key_Space)
        QPushButton::keyPressEvent(event);
    else
        menu() ? showMenu() : click();
}

} // namespace nestwright::look
