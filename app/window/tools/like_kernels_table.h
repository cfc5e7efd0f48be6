// SPDX-License-Identifier: GPL-3.0-or-later
/// The kernels of a model under a schedule that is tried on all of them: a row each, ticked where it is kept.
#pragma once

#include "core/session/model/like_kernels.h"

#include <QTreeWidget>

#include <map>

namespace nestwright::app {

class LikeKernelsTable : public QTreeWidget {
    Q_OBJECT
public:
    explicit LikeKernelsTable(QWidget *parent);

    /// Shows what was found so far; ticks that a person set stay.
    void show(const session::LikeKernels &found, session::Keep keep);
    void clearAll();
    /// Ticks by the rule, whatever a person ticked.
    void tick(session::Keep keep);
    /// Places of the ticked kernels.
    std::vector<int> ticked() const;

Q_SIGNALS:
    void ticksChanged();
    void kernelChosen(int place);

protected:
    void changeEvent(QEvent *event) override;

private:
    void fillRow(QTreeWidgetItem &item, const session::LikeKernel &kernel);

    session::LikeKernels m_found;
    session::Keep m_keep = session::Keep::Faster;
    std::map<int, bool> m_set; ///< by a person, by place
    bool m_filling = false;
};

} // namespace nestwright::app
