// SPDX-License-Identifier: GPL-3.0-or-later
/// Finds nodes by name, operator or attribute (node_query.h says how), counts them and goes from one to the
/// next.
#pragma once

#include "widgets/canvas/scene/node_query.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace nestwright::canvas {

class SearchBox : public QWidget {
    Q_OBJECT
public:
    explicit SearchBox(QWidget *parent);

    void open();
    /// Looks through this graph from now on; it must outlive its use here.
    void setGraph(const GraphData *graph, const FrameTree *tree);

    /// Null where nothing is searched for.
    const Found *found() const { return m_searching ? &m_found : nullptr; }
    Hit current() const { return m_at < 0 ? Hit() : m_found.hits[static_cast<std::size_t>(m_at)]; }
    /// The current hit lies in a collapsed frame: the next step shows it before it goes on.
    void setCurrentHidden(bool hidden) { m_hidden = hidden; }
    /// Moves to the next hit (1) or the one before (-1), round the ends.
    void step(int by);

public Q_SLOTS:
    void close();

Q_SIGNALS:
    void changed();
    /// Emitted when another hit is the current one; `asked`: the user went there, else it is the first one
    /// found while typing.
    void currentChanged(bool asked);
    void closed();

protected:
    void paintEvent(QPaintEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void search();
    void typed();
    void goTo(int at, bool asked);
    void say(const QString &problem = {});

    const GraphData *m_graph = nullptr;
    const FrameTree *m_tree = nullptr;
    Found m_found;
    int m_at = -1; // in m_found.hits
    bool m_searching = false;
    bool m_hidden = false;
    QLineEdit *m_edit;
    QLabel *m_count;
    QToolButton *m_before, *m_next;
};

} // namespace nestwright::canvas
