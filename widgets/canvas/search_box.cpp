// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/search_box.h"

#include "widgets/canvas/graph_data.h"
#include "widgets/look/fonts.h"
#include "widgets/look/icons.h"
#include "widgets/look/tokens.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QRegularExpression>
#include <QToolButton>

namespace nestwright::canvas {

SearchBox::SearchBox(QWidget *parent)
    : QWidget(parent)
    , m_edit(new QLineEdit(this))
    , m_count(new QLabel(this))
{
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(6, 5, 5, 5);
    layout->setSpacing(4);
    m_edit->setPlaceholderText(tr("Find node, or /regex/"));
    m_edit->setAccessibleName(tr("Find node"));
    m_edit->setFont(look::interfaceFont(12));
    m_edit->setMinimumWidth(110);
    m_count->setFont(look::interfaceFont(11.5));
    m_count->setProperty("role", "secondary");
    auto *shut = new QToolButton(this);
    shut->setIcon(look::icon(QStringLiteral("close")));
    shut->setIconSize(QSize(14, 14));
    shut->setAccessibleName(tr("Close"));
    shut->setToolTip(tr("Close (Esc)"));
    layout->addWidget(m_edit, 1);
    layout->addWidget(m_count);
    layout->addWidget(shut);
    m_edit->installEventFilter(this);
    connect(m_edit, &QLineEdit::textChanged, this, &SearchBox::search);
    connect(shut, &QToolButton::clicked, this, &SearchBox::close);
    hide();
}

void SearchBox::open()
{
    show();
    raise();
    m_edit->setFocus(Qt::ShortcutFocusReason);
    m_edit->selectAll();
    search();
}

void SearchBox::setGraph(const GraphData *graph)
{
    m_graph = graph;
    m_current = m_at = -1;
    search();
}

void SearchBox::close()
{
    hide();
    m_searching = false;
    Q_EMIT changed();
    Q_EMIT closed();
}

void SearchBox::search()
{
    const QString wanted = m_edit->text();
    m_searching = isVisible() && !wanted.isEmpty() && m_graph;
    m_matches.clear();
    m_at = -1;
    QString problem;
    if (m_searching) {
        const bool isRegex = wanted.size() > 2 && wanted.startsWith(u'/') && wanted.endsWith(u'/');
        const QRegularExpression regex(isRegex ? wanted.mid(1, wanted.size() - 2)
                                               : QRegularExpression::escape(wanted),
                                       QRegularExpression::CaseInsensitiveOption);
        if (!regex.isValid())
            problem = tr("no regex");
        m_found.assign(m_graph->nodes.size(), 0);
        for (std::size_t i = 0; i < m_graph->nodes.size() && regex.isValid(); ++i) {
            const GraphNode &node = m_graph->nodes[i];
            if (regex.match(node.title).hasMatch() || regex.match(node.subtitle).hasMatch()
                || regex.match(node.detail).hasMatch()) {
                m_found[i] = 1;
                m_matches.push_back(static_cast<int>(i));
            }
        }
    }
    say(problem);
    Q_EMIT changed();
    if (!m_matches.empty())
        step(1);
}

void SearchBox::step(int by)
{
    if (m_matches.empty())
        return;
    const int count = static_cast<int>(m_matches.size());
    m_at = (m_at + by + count) % count;
    m_current = m_matches[static_cast<std::size_t>(m_at)];
    say();
    Q_EMIT currentChanged(m_current);
}

void SearchBox::say(const QString &problem)
{
    if (!problem.isEmpty())
        m_count->setText(problem);
    else if (!m_searching)
        m_count->clear();
    else if (m_matches.empty())
        m_count->setText(tr("no match"));
    else
        m_count->setText(tr("%1 of %2").arg(m_at + 1).arg(m_matches.size()));
}

void SearchBox::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const look::Tokens &t = look::tokens(this);
    painter.setPen(QPen(t.nodeBorder, 1));
    painter.setBrush(t.pane);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

bool SearchBox::eventFilter(QObject *watched, QEvent *event)
{
    if (watched != m_edit || event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    const auto *key = static_cast<QKeyEvent *>(event);
    switch (key->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter: step(key->modifiers() & Qt::ShiftModifier ? -1 : 1); return true;
    case Qt::Key_Down: step(1); return true;
    case Qt::Key_Up: step(-1); return true;
    case Qt::Key_Escape: close(); return true;
    default: return false;
    }
}

} // namespace nestwright::canvas
