// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/search_box.h"

#include "widgets/canvas/scene/graph_data.h"
#include "widgets/look/fonts.h"
#include "widgets/look/icons.h"
#include "widgets/look/tokens.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QToolButton>

#include <algorithm>

namespace nestwright::canvas {

SearchBox::SearchBox(QWidget *parent)
    : QWidget(parent)
    , m_edit(new QLineEdit(this))
    , m_count(new QLabel(this))
    , m_before(new QToolButton(this))
    , m_next(new QToolButton(this))
{
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(6, 5, 5, 5);
    layout->setSpacing(5);
    m_edit->setPlaceholderText(tr("Find nodes, or /regex/"));
    m_edit->setAccessibleName(tr("Find nodes"));
    m_edit->setToolTip(
        tr("Finds in names, operators, attributes and shapes.\n"
           "name:layer1, op:conv, attr:strides=[2, 2] look in one of them; /^conv\\d/ is a regular "
           "expression."));
    m_edit->setFont(look::interfaceFont(12));
    m_edit->setMinimumWidth(56); // beside the rest in a narrow pane
    m_count->setFont(look::interfaceFont(11.5));
    m_count->setProperty("role", "secondary");
    auto *shut = new QToolButton(this);
    const auto dress = [](QToolButton *button, const QString &icon, const QString &name, const QString &key) {
        button->setIcon(look::icon(icon));
        button->setIconSize(QSize(14, 14));
        button->setFixedWidth(22);
        button->setAccessibleName(name);
        button->setToolTip(QStringLiteral("%1 (%2)").arg(name, key));
    };
    dress(m_before, QStringLiteral("chevron-up"), tr("Previous"), tr("Shift+Enter"));
    dress(m_next, QStringLiteral("chevron-down"), tr("Next"), tr("Enter"));
    dress(shut, QStringLiteral("close"), tr("Close"), tr("Esc"));
    layout->addWidget(m_edit, 1);
    layout->addWidget(m_count);
    layout->addWidget(m_before);
    layout->addWidget(m_next);
    layout->addWidget(shut);
    connect(m_before, &QToolButton::clicked, this, [this] { step(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { step(1); });
    m_edit->installEventFilter(this);
    connect(m_edit, &QLineEdit::textChanged, this, &SearchBox::typed);
    connect(shut, &QToolButton::clicked, this, &SearchBox::close);
    hide();
}

void SearchBox::open()
{
    show();
    raise();
    m_edit->setFocus(Qt::ShortcutFocusReason);
    m_edit->selectAll();
    typed();
}

void SearchBox::setGraph(const GraphData *graph, const FrameTree *tree)
{
    m_graph = graph;
    m_tree = tree;
    const Hit before = current();
    search();
    // The same hit stays the current one where the graph has it still.
    const auto again = std::ranges::find(m_found.hits, before);
    if (m_searching && again != m_found.hits.end())
        m_at = static_cast<int>(again - m_found.hits.begin());
    say();
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
    m_found = {};
    m_at = -1;
    QString problem;
    if (m_searching) {
        if (const auto query = NodeQuery::parse(wanted))
            m_found = findNodes(*m_graph, *m_tree, *query);
        else
            problem = query.error();
        m_found.nodes.resize(m_graph->nodes.size(), 0);
    }
    say(problem);
    Q_EMIT changed();
}

void SearchBox::typed()
{
    search();
    if (!m_found.hits.empty())
        goTo(0, false);
}

void SearchBox::step(int by)
{
    const int count = static_cast<int>(m_found.hits.size());
    if (count > 0)
        goTo(m_hidden ? m_at : (std::max(m_at, 0) + by + count) % count, true);
}

void SearchBox::goTo(int at, bool asked)
{
    m_at = at;
    m_hidden = false;
    say();
    Q_EMIT currentChanged(asked);
}

void SearchBox::say(const QString &problem)
{
    const bool any = m_searching && !m_found.hits.empty();
    m_before->setEnabled(any);
    m_next->setEnabled(any);
    m_count->setToolTip(problem);
    if (!problem.isEmpty())
        m_count->setText(tr("no regex"));
    else if (!m_searching)
        m_count->clear();
    else if (!any)
        m_count->setText(tr("no match"));
    else
        m_count->setText(tr("%1 of %2").arg(std::max(m_at, 0) + 1).arg(m_found.hits.size()));
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
