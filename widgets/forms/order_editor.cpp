// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/order_editor.h"

#include "widgets/document/text.h"
#include "widgets/look/fonts.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QListWidget>

#include <algorithm>

namespace nestwright::forms {

using schedule::ArgList;
using schedule::ArgValue;
using support::StmtId;

namespace {
constexpr int idRole = Qt::UserRole;

/// All loops in their order now, those that are proposed in the places that these have.
std::vector<suggest::Choice> arranged(std::vector<suggest::Choice> choices, const ArgList &proposed)
{
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if (std::ranges::find(proposed, choices[i].value) != proposed.end())
            places.push_back(i);
    }
    const std::vector<suggest::Choice> before = choices;
    for (std::size_t i = 0; i < places.size() && i < proposed.size(); ++i) {
        const auto found = std::ranges::find(before, proposed[i], &suggest::Choice::value);
        if (found != before.end())
            choices[places[i]] = *found;
    }
    return choices;
}
} // namespace

OrderEditor::OrderEditor(const std::vector<suggest::Choice> &choices, const ArgValue &proposed,
                         QWidget *parent)
    : FieldEditor(parent)
    , m_list(new QListWidget(this))
{
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_list);
    m_list->setDragDropMode(QAbstractItemView::InternalMove);
    m_list->setFont(look::codeFont(12.5));
    m_list->setAccessibleName(tr("Order of the loops, outermost first"));
    m_list->setToolTip(tr("Drag a loop, or move it with Alt and the arrow keys"));
    const ArgList *order = proposed.as<ArgList>();
    for (const suggest::Choice &choice : arranged(choices, order ? *order : ArgList())) {
        auto *item = new QListWidgetItem(document::toQt(choice.label), m_list);
        item->setData(idRole, choice.value.as<StmtId>()->value);
        if (order && !order->empty() && choice.value == order->back())
            m_list->setCurrentItem(item);
    }
    const int rows = std::clamp(m_list->count(), 2, 6);
    m_list->setFixedHeight(rows * 27 + 4);
    m_list->installEventFilter(this);
    connect(m_list->model(), &QAbstractItemModel::rowsMoved, this, &FieldEditor::edited);
}

ArgValue OrderEditor::value() const
{
    ArgList list;
    for (int i = 0; i < m_list->count(); ++i)
        list.emplace_back(StmtId{m_list->item(i)->data(idRole).toUInt()});
    return list;
}

QString OrderEditor::remark() const
{
    QStringList names;
    for (int i = 0; i < m_list->count(); ++i)
        names << m_list->item(i)->text();
    return names.join(QStringLiteral(", "));
}

QWidget *OrderEditor::focusTarget() { return m_list; }

void OrderEditor::moveCurrent(int places)
{
    const int from = m_list->currentRow();
    const int to = from + places;
    if (from < 0 || to < 0 || to >= m_list->count())
        return;
    QListWidgetItem *item = m_list->takeItem(from);
    m_list->insertItem(to, item);
    m_list->setCurrentItem(item);
    Q_EMIT edited();
}

bool OrderEditor::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_list && event->type() == QEvent::KeyPress) {
        const auto *key = static_cast<QKeyEvent *>(event);
        if (key->modifiers() == Qt::AltModifier && (key->key() == Qt::Key_Up || key->key() == Qt::Key_Down)) {
            moveCurrent(key->key() == Qt::Key_Up ? -1 : 1);
            return true;
        }
    }
    return FieldEditor::eventFilter(watched, event);
}

} // namespace nestwright::forms
