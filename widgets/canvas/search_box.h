// SPDX-License-Identifier: GPL-3.0-or-later
/// Finds nodes by name, kind or attribute: a text, or a regular expression between slashes.
#pragma once

#include <QWidget>

#include <vector>

class QLabel;
class QLineEdit;

namespace nestwright::canvas {

struct GraphData;

class SearchBox : public QWidget {
    Q_OBJECT
public:
    explicit SearchBox(QWidget *parent);

    void open();
    /// Looks through this graph from now on; it must outlive its use here.
    void setGraph(const GraphData *graph);

    /// Per node whether it was found; null where nothing is searched for.
    const std::vector<char> *found() const { return m_searching ? &m_found : nullptr; }
    int current() const { return m_current; } ///< index of a node, or -1

public Q_SLOTS:
    void close();

Q_SIGNALS:
    void changed();
    void currentChanged(int node);
    void closed();

protected:
    void paintEvent(QPaintEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void search();
    void step(int by);
    void say(const QString &problem = {});

    const GraphData *m_graph = nullptr;
    std::vector<char> m_found;
    std::vector<int> m_matches;
    int m_current = -1;
    int m_at = -1; // in m_matches
    bool m_searching = false;
    QLineEdit *m_edit;
    QLabel *m_count;
};

} // namespace nestwright::canvas
