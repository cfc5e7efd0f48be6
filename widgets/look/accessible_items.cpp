// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/accessible_items.h"

#include <QAccessibleWidget>
#include <QHash>
#include <QPointer>
#include <QTextDocumentFragment>
#include <QWidget>

namespace nestwright::look {

namespace {

/// One item. It is there as long as its widget's interface is, and valid while there are so many.
class ItemInterface final : public QAccessibleInterface, public QAccessibleActionInterface {
public:
    ItemInterface(QWidget *widget, AccessibleItems *items, int index)
        : m_widget(widget)
        , m_items(items)
        , m_index(index)
    {
    }

    bool isValid() const override { return m_widget && m_index < m_items->accessibleCount(); }
    QObject *object() const override { return nullptr; }
    QWindow *window() const override { return m_widget ? m_widget->window()->windowHandle() : nullptr; }
    QAccessibleInterface *childAt(int, int) const override { return nullptr; }
    QAccessibleInterface *parent() const override { return QAccessible::queryAccessibleInterface(m_widget); }
    QAccessibleInterface *child(int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface *) const override { return -1; }
    void setText(QAccessible::Text, const QString &) override {}
    QString text(QAccessible::Text kind) const override
    {
        return kind == QAccessible::Name && isValid() ? m_items->accessibleText(m_index) : QString();
    }
    QRect rect() const override
    {
        if (!isValid())
            return {};
        const QRect inWidget = m_items->accessibleRect(m_index);
        return {m_widget->mapToGlobal(inWidget.topLeft()), inWidget.size()};
    }
    QAccessible::Role role() const override { return m_items->accessibleItemRole(); }
    QAccessible::State state() const override
    {
        QAccessible::State state;
        if (!isValid()) {
            state.invalid = state.invisible = true;
            return state;
        }
        state.selectable = state.focusable = m_widget->focusPolicy() != Qt::NoFocus;
        state.selected = m_index == m_items->accessibleCurrent();
        state.focused = state.selected && m_widget->hasFocus();
        state.disabled = !m_items->isAccessibleEnabled(m_index);
        state.invisible = !m_widget->isVisible();
        state.offscreen = !m_widget->rect().intersects(m_items->accessibleRect(m_index));
        return state;
    }
    void *interface_cast(QAccessible::InterfaceType type) override
    {
        return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface *>(this)
                                                    : nullptr;
    }
    QStringList actionNames() const override { return {pressAction()}; }
    void doAction(const QString &name) override
    {
        if (name == pressAction() && isValid() && m_items->isAccessibleEnabled(m_index))
            m_items->chooseAccessible(m_index);
    }
    QStringList keyBindingsForAction(const QString &) const override { return {}; }

private:
    QPointer<QWidget> m_widget;
    AccessibleItems *m_items; ///< the widget
    int m_index;
};

/// The widget: items first, then the widgets in it.
class ItemsInterface final : public QAccessibleWidget {
public:
    ItemsInterface(QWidget *widget, AccessibleItems *items)
        : QAccessibleWidget(widget, items->accessibleRole())
        , m_items(items)
    {
    }
    ~ItemsInterface() override
    {
        for (const QAccessible::Id id : m_children)
            QAccessible::deleteAccessibleInterface(id);
    }

    int childCount() const override { return itemCount() + QAccessibleWidget::childCount(); }
    QAccessibleInterface *child(int index) const override
    {
        const int count = itemCount();
        if (index < 0 || index >= count)
            return index < 0 ? nullptr : QAccessibleWidget::child(index - count);
        if (const auto known = m_children.constFind(index); known != m_children.constEnd())
            return QAccessible::accessibleInterface(*known);
        auto *made = new ItemInterface(widget(), m_items, index);
        m_children.insert(index, QAccessible::registerAccessibleInterface(made));
        return made;
    }
    int indexOfChild(const QAccessibleInterface *child) const override
    {
        for (auto each = m_children.constBegin(); each != m_children.constEnd(); ++each) {
            if (QAccessible::accessibleInterface(each.value()) == child)
                return each.key();
        }
        const int inside = QAccessibleWidget::indexOfChild(child);
        return inside < 0 ? -1 : inside + itemCount();
    }
    QAccessibleInterface *childAt(int x, int y) const override
    {
        if (QAccessibleInterface *inside = QAccessibleWidget::childAt(x, y))
            return inside;
        const QPoint point = widget()->mapFromGlobal(QPoint(x, y));
        for (int i = 0; i < itemCount(); ++i) {
            if (m_items->accessibleRect(i).contains(point))
                return child(i);
        }
        return nullptr;
    }
    QAccessibleInterface *focusChild() const override
    {
        const int current = widget()->hasFocus() ? m_items->accessibleCurrent() : -1;
        return current >= 0 ? child(current) : QAccessibleWidget::focusChild();
    }
    QString text(QAccessible::Text kind) const override
    {
        const QString summary = kind == QAccessible::Description ? m_items->accessibleSummary() : QString();
        return summary.isEmpty() ? QAccessibleWidget::text(kind) : summary;
    }

private:
    int itemCount() const { return m_items->accessibleCount(); }

    AccessibleItems *m_items;
    mutable QHash<int, QAccessible::Id> m_children; ///< those that were asked for, by index
};

QAccessibleInterface *makeItemsInterface(const QString &, QObject *object)
{
    auto *widget = qobject_cast<QWidget *>(object);
    auto *items = dynamic_cast<AccessibleItems *>(object);
    return widget && items ? new ItemsInterface(widget, items) : nullptr;
}

} // namespace

AccessibleItems::AccessibleItems(QAccessible::Role role, QAccessible::Role itemRole)
    : m_role(role)
    , m_itemRole(itemRole)
{
    QAccessible::installFactory(makeItemsInterface); // once: it knows those that it has
}

void tellChosenItem(QWidget &widget, int index)
{
    if (!QAccessible::isActive() || index < 0)
        return;
    for (const QAccessible::Event kind : {QAccessible::Selection, QAccessible::Focus}) {
        if (kind == QAccessible::Focus && !widget.hasFocus())
            continue;
        QAccessibleEvent event(&widget, kind);
        event.setChild(index);
        QAccessible::updateAccessibility(&event);
    }
}

QString plainLine(const QString &tip)
{
    const QString plain = Qt::mightBeRichText(tip) ? QTextDocumentFragment::fromHtml(tip).toPlainText() : tip;
    return plain.simplified() == plain
               ? plain
               : plain.split(u'\n', Qt::SkipEmptyParts).join(QStringLiteral(", ")).simplified();
}

} // namespace nestwright::look
