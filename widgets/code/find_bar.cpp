// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/code/find_bar.h"

#include "widgets/look/fonts.h"
#include "widgets/look/icons.h"
#include "widgets/look/tokens.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QStringMatcher>
#include <QToolButton>

#include <algorithm>

namespace nestwright::code {

namespace {

constexpr std::size_t mostMatches = 100'000;

QToolButton *makeButton(QWidget *parent, const QString &iconName, const QString &name, const QString &key)
{
    auto *button = new QToolButton(parent);
    button->setIcon(look::icon(iconName));
    button->setIconSize(QSize(14, 14));
    button->setAccessibleName(name);
    button->setToolTip(QStringLiteral("%1 (%2)").arg(name, key));
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

} // namespace

FindBar::FindBar(QWidget *parent) : QWidget(parent), m_edit(new QLineEdit(this)), m_count(new QLabel(this))
{
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(6, 5, 5, 5);
    layout->setSpacing(2);
    m_edit->setPlaceholderText(tr("Find, or :line"));
    m_edit->setAccessibleName(tr("Find in code"));
    m_edit->setFont(look::interfaceFont(12));
    m_edit->setMinimumWidth(130);
    m_count->setFont(look::interfaceFont(11.5));
    m_count->setProperty("role", "secondary");
    m_count->setMinimumWidth(m_count->fontMetrics().horizontalAdvance(QStringLiteral("99999 of 99999")));
    m_count->setAlignment(Qt::AlignCenter);
    m_previous =
        makeButton(this, QStringLiteral("chevron-up"), tr("Previous match"), QStringLiteral("Shift+F3"));
    m_next = makeButton(this, QStringLiteral("chevron-down"), tr("Next match"), QStringLiteral("F3"));
    QToolButton *shut = makeButton(this, QStringLiteral("close"), tr("Close"), QStringLiteral("Esc"));
    for (QWidget *widget :
         {static_cast<QWidget *>(m_edit), static_cast<QWidget *>(m_count), static_cast<QWidget *>(m_previous),
          static_cast<QWidget *>(m_next), static_cast<QWidget *>(shut)})
        layout->addWidget(widget);
    m_edit->installEventFilter(this);
    connect(m_edit, &QLineEdit::textChanged, this, [this] {
        search();
        if (m_current >= 0)
            Q_EMIT found(m_matches[static_cast<std::size_t>(m_current)], m_length);
    });
    connect(m_previous, &QToolButton::clicked, this, &FindBar::previous);
    connect(m_next, &QToolButton::clicked, this, &FindBar::next);
    connect(shut, &QToolButton::clicked, this, &FindBar::close);
    hide();
    say();
}

void FindBar::open(const QString &text)
{
    show();
    raise();
    if (!text.isEmpty())
        m_edit->setText(text);
    m_edit->setFocus(Qt::ShortcutFocusReason);
    if (text == QLatin1String(":"))
        m_edit->end(false);
    else
        m_edit->selectAll();
    search();
}

void FindBar::setText(const QString &code)
{
    m_code = code;
    if (isVisible())
        search();
}

void FindBar::close()
{
    hide();
    m_matches.clear();
    m_current = -1;
    Q_EMIT changed();
    Q_EMIT closed();
}

void FindBar::search()
{
    const QString wanted = m_edit->text();
    m_matches.clear();
    m_length = static_cast<int>(wanted.size());
    if (!wanted.isEmpty() && !wanted.startsWith(u':')) {
        const bool hasCapital = std::ranges::any_of(wanted, [](QChar c) { return c.isUpper(); });
        const QStringMatcher matcher(wanted, hasCapital ? Qt::CaseSensitive : Qt::CaseInsensitive);
        for (qsizetype at = matcher.indexIn(m_code); at >= 0 && m_matches.size() < mostMatches;
             at = matcher.indexIn(m_code, at + m_length))
            m_matches.push_back(at);
    }
    m_current = m_matches.empty() ? -1 : std::clamp(m_current, 0, static_cast<int>(m_matches.size()) - 1);
    say();
    Q_EMIT changed();
}

void FindBar::step(int by)
{
    const QString wanted = m_edit->text();
    if (wanted.startsWith(u':')) {
        bool isNumber = false;
        const int line = QStringView(wanted).mid(1).toInt(&isNumber);
        if (isNumber)
            Q_EMIT lineWanted(line - 1);
        return;
    }
    if (m_matches.empty())
        return;
    const int count = static_cast<int>(m_matches.size());
    m_current = (m_current + by + count) % count;
    say();
    Q_EMIT found(m_matches[static_cast<std::size_t>(m_current)], m_length);
}

void FindBar::say()
{
    const QString wanted = m_edit->text();
    const bool any = !m_matches.empty();
    if (wanted.isEmpty() || wanted.startsWith(u':'))
        m_count->setText(wanted.isEmpty() ? QString() : tr("go to line"));
    else if (any)
        m_count->setText(tr("%1 of %2").arg(m_current + 1).arg(m_matches.size()));
    else
        m_count->setText(tr("no match"));
    m_previous->setEnabled(any);
    m_next->setEnabled(any);
}

void FindBar::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const look::Tokens &t = look::tokens(this);
    painter.setPen(QPen(t.nodeBorder, 1));
    painter.setBrush(t.pane);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

void FindBar::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape)
        close();
    else
        QWidget::keyPressEvent(event);
}

bool FindBar::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_edit && event->type() == QEvent::KeyPress) {
        const auto *key = static_cast<QKeyEvent *>(event);
        switch (key->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_F3: step(key->modifiers() & Qt::ShiftModifier ? -1 : 1); return true;
        case Qt::Key_Down: step(1); return true;
        case Qt::Key_Up: step(-1); return true;
        default: break;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace nestwright::code
