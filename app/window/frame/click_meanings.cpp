// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/frame/click_meanings.h"

#include "app/window/frame/document_tabs.h"
#include "app/window/frame/held_input.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/charts/chart_pane.h"
#include "widgets/code/code_view.h"
#include "widgets/document/document.h"
#include "widgets/document/files/open_documents.h"
#include "widgets/document/selection.h"
#include "widgets/history/history_view.h"
#include "widgets/look/card.h"
#include "widgets/looptree/loop_tree.h"
#include "widgets/models/nest_model.h"

#include <QAbstractItemView>
#include <QMouseEvent>
#include <QPersistentModelIndex>
#include <QPointer>

#include <optional>

namespace nestwright::app {

using document::Document;

namespace {

using Act = std::function<void()>;

/// A click as the user makes it, with the button and the keys that were held.
struct Click {
    QEvent::Type type; ///< of its press: the second one of a double click is another
    Qt::MouseButton button;
    Qt::KeyboardModifiers modifiers;

    explicit Click(const QMouseEvent &press)
        : type(press.type())
        , button(press.button())
        , modifiers(press.modifiers())
    {
    }

    void make(QWidget &widget, const QPointF &at) const
    {
        if (!widget.isVisible())
            return;
        const QPointer<QWidget> there(&widget);
        const QPointF onScreen = widget.mapToGlobal(at);
        QMouseEvent press(type, at, onScreen, button, button, modifiers);
        QCoreApplication::sendEvent(&widget, &press);
        if (!there)
            return;
        QMouseEvent release(QEvent::MouseButtonRelease, at, onScreen, button, Qt::NoButton, modifiers);
        QCoreApplication::sendEvent(there, &release);
    }
};

/// Whether the program that is open now still is when it is asked later.
std::function<bool()> isSameProgram(const Document &document)
{
    return [&document, count = document.openedCount()] { return document.openedCount() == count; };
}

/// The document's place now; it was `tab`.
int placeOf(const document::OpenDocuments &documents, int tab, const QString &origin)
{
    return tab < documents.count() && documents.at(tab).origin == origin ? tab : documents.indexOf(origin);
}

} // namespace

void holdClicks(HeldInput &held, Document &document, looptree::LoopTree &tree)
{
    held.setMeaning(tree.viewport(), [&](const QMouseEvent &event) -> Act {
        if (event.button() != Qt::LeftButton)
            return {};
        const QPointF at = event.position();
        const support::StmtId id = tree.idAt(at.toPoint());
        return [&, id, click = Click(event), x = at.x(), seen = document.currentId(),
                isSame = isSameProgram(document)] {
            const support::StmtId now = id && isSame() ? document.follow(id, seen) : support::StmtId();
            if (!id && isSame())
                document.selection().clear();
            if (!now)
                return;
            tree.scrollTo(tree.nestModel()->indexOf(now));
            if (const QRect row = tree.rowRect(now); !row.isNull())
                click.make(*tree.viewport(), QPointF(x, row.center().y()));
            else
                document.selection().select(now);
        };
    });
}

void holdClicks(HeldInput &held, Document &document, code::CodeView &nest)
{
    held.setMeaning(nest.viewport(), [&](const QMouseEvent &event) -> Act {
        const support::StmtId id = nest.stmtAt(nest.positionAt(event.position()));
        if (!id || event.button() != Qt::LeftButton)
            return {};
        return [&, id, seen = document.currentId(), isSame = isSameProgram(document)] {
            nest.setFocus(Qt::MouseFocusReason);
            if (const support::StmtId now = isSame() ? document.follow(id, seen) : support::StmtId())
                document.selection().select(now);
        };
    });
}

void holdClicks(HeldInput &held, history::HistoryView &history)
{
    held.setMeaning(history.viewport(), [&](const QMouseEvent &event) -> Act {
        const auto variant = history.variantAt(event.position().toPoint());
        if (!variant || event.button() != Qt::LeftButton)
            return {};
        return [&, id = *variant, click = Click(event), x = event.position().x()] {
            const QPointF at(x, history.rowRect(id).center().y());
            if (history.variantAt(at.toPoint()) == id && history.viewport()->rect().contains(at.toPoint()))
                click.make(*history.viewport(), at);
            else
                history.choose(id);
        };
    });
}

void holdClicks(HeldInput &held, charts::ChartPane &chart)
{
    held.setMeaning(&chart, [&](const QMouseEvent &event) -> Act {
        const std::optional<int> id = chart.idAt(event.position());
        if (!id || event.button() != Qt::LeftButton)
            return {};
        return [&chart, id = *id] {
            chart.setFocus(Qt::MouseFocusReason);
            chart.choose(id);
        };
    });
}

void holdClicks(HeldInput &held, canvas::GraphCanvas &graph)
{
    held.setMeaning(&graph, [&](const QMouseEvent &event) -> Act {
        const QPointF at = event.position();
        if (event.button() != Qt::LeftButton || graph.childAt(at.toPoint()))
            return {};
        const std::optional<int> id = graph.idAt(at);
        if (!id)
            return {};
        return [&graph, id = *id, click = Click(event)] {
            graph.setFocus(Qt::MouseFocusReason);
            if (click.type == QEvent::MouseButtonDblClick)
                return graph.activate(id);
            graph.choose(id);
            if (click.modifiers & Qt::AltModifier)
                graph.setTrace(canvas::Trace::Both);
        };
    });
}

void holdClicks(HeldInput &held, document::OpenDocuments &documents, DocumentTabs &tabs)
{
    held.setMeaning(&tabs, [&](const QMouseEvent &event) -> Act {
        const QPoint at = event.position().toPoint();
        const int tab = tabs.tabAt(at);
        if (tab < 0 || event.button() == Qt::RightButton)
            return {};
        const QWidget *cross = tabs.tabButton(tab, QTabBar::RightSide);
        return [&, tab, origin = documents.at(tab).origin, click = Click(event),
                isOnCross = cross && cross->geometry().contains(at), in = at - tabs.tabRect(tab).topLeft()] {
            const int now = placeOf(documents, tab, origin);
            if (now < 0)
                return;
            if (QWidget *there = tabs.tabButton(now, QTabBar::RightSide); there && isOnCross)
                click.make(*there, there->rect().center());
            else if (!isOnCross)
                click.make(tabs, tabs.tabRect(now).topLeft() + in);
        };
    });
}

void holdClicks(HeldInput &held, look::CardHeader &header)
{
    held.setMeaning(&header, [&](const QMouseEvent &event) -> Act {
        if (event.type() != QEvent::MouseButtonDblClick || header.childAt(event.position().toPoint()))
            return {};
        return [&header, click = Click(event), at = event.position()] { click.make(header, at); };
    });
}

void holdClicks(HeldInput &held, QAbstractItemView &list)
{
    held.setMeaning(list.viewport(), [&](const QMouseEvent &event) -> Act {
        const QModelIndex index = list.indexAt(event.position().toPoint());
        if (!index.isValid() || event.button() != Qt::LeftButton)
            return {};
        return [&, index = QPersistentModelIndex(index), click = Click(event)] {
            if (!index.isValid())
                return;
            list.scrollTo(index);
            click.make(*list.viewport(), list.visualRect(index).center());
        };
    });
}

} // namespace nestwright::app
