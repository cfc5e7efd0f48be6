// SPDX-License-Identifier: GPL-3.0-or-later
/// Chooses a schedule, shapes in a table, threads and targets to measure it on.
#pragma once

#include "core/session/reuse/transfer.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QPushButton;
class QTableWidget;

namespace nestwright::app {

class TransferSettings : public QWidget {
    Q_OBJECT
public:
    explicit TransferSettings(QWidget *parent);

    /// `steps` names those of the current variant.
    void setSchedules(const QString &steps, const QStringList &recipes);
    /// A row of the sizes that the program has, and one of their halves; a row without any where there are
    /// none.
    void setSizes(const session::KernelSizes &sizes);

    /// Empty: the steps of the current variant.
    QString recipe() const;
    std::vector<session::KernelSizes> shapes() const;
    std::vector<target::Target> targets() const;
    /// Why nothing can be measured yet; empty where it can.
    QString whyNot() const;

    /// For tests.
    QTableWidget *shapeTable() const { return m_shapes; }

Q_SIGNALS:
    void changed();

private:
    void addShape(const session::KernelSizes &sizes);
    void removeShape();
    void showRemove();

    std::vector<std::pair<QCheckBox *, int>> m_threads;
    std::vector<std::pair<QCheckBox *, std::string>> m_targets;
    QComboBox *m_schedules;
    QTableWidget *m_shapes;
    QPushButton *m_add, *m_remove;
};

} // namespace nestwright::app
