// SPDX-License-Identifier: GPL-3.0-or-later
/// The table of a model's kernels, sorted by the gain of a better schedule; a click opens a kernel.
#pragma once

#include <QWidget>

class QSortFilterProxyModel;
class QTableView;

namespace nestwright::models {
class KernelsModel;
}

namespace nestwright::history {

class KernelsView : public QWidget {
    Q_OBJECT
public:
    explicit KernelsView(models::KernelsModel &model, QWidget *parent = nullptr);

    /// Marks the row of the kernel that is worked on.
    void setCurrent(int kernel);
    QTableView *table() const { return m_table; }

    /// The order of the table, for another run of the program; a state that is none of these leaves it as it
    /// is.
    QByteArray saveOrder() const;
    void restoreOrder(const QByteArray &state);

Q_SIGNALS:
    void kernelChosen(int kernel);
    /// For the kernel that is worked on; at a place of the screen.
    void menuRequested(const QPoint &at);

private:
    QSortFilterProxyModel *m_sorted;
    QTableView *m_table;
};

} // namespace nestwright::history
