// SPDX-License-Identifier: GPL-3.0-or-later
/// The actions that the bar has no room for: a grid under headings of their groups, which pops up below a
/// button.
#pragma once

#include "core/schedule/primitive.h"
#include "widgets/forms/floating_card.h"

#include <optional>
#include <vector>

class QGridLayout;
class QLabel;

namespace nestwright::forms {

class ActionPanel : public FloatingCard {
    Q_OBJECT
public:
    explicit ActionPanel(QWidget *parent);

    /// The parent of what is added.
    QWidget *inside() const { return m_inside; }
    /// Follows what was added before; a new group gets a heading.
    void add(QWidget *button, schedule::Group group);
    /// Takes everything out of the grid; buttons stay children.
    void clear();
    /// Takes the height that all buttons need, once they are there.
    void fitHeight();
    /// Shows the panel below `opener`, within its window.
    void openBelow(const QWidget *opener);

private:
    QWidget *m_inside;
    QGridLayout *m_grid;
    int m_row = -1, m_column;
    std::optional<schedule::Group> m_group; ///< of the last one
    std::vector<QLabel *> m_headings;
};

} // namespace nestwright::forms
