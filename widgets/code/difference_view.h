// SPDX-License-Identifier: GPL-3.0-or-later
/// A program, or the difference between two, in one text or in two that scroll as one.
#pragma once

#include "widgets/code/difference.h"

#include <QWidget>

#include <memory>
#include <optional>

class QSplitter;

namespace nestwright::code {

class CodeView;
class DifferenceBar;
class Languages;

class DifferenceView : public QWidget {
    Q_OBJECT
public:
    /// `name` is that of the program, for screen readers.
    DifferenceView(const QString &name, std::shared_ptr<const Languages> languages,
                   QWidget *parent = nullptr);

    /// The program; the newer of two where they stand side by side.
    CodeView *view() const { return m_newer; }
    /// The older program, seen where they stand side by side.
    CodeView *olderView() const { return m_older; }

    void showSource(Source source);
    /// `title` names the two programs, above the difference.
    void showDifference(Difference difference, const QString &title);
    /// A difference for the moment, below the title that is there or without any.
    void showPreview(Difference difference);

    void setSideBySide(bool on);
    bool isSideBySide() const { return m_isSideBySide; }

    int changeCount() const { return static_cast<int>(m_changes.size()); }
    /// The change that the cursor is in; -1 where it is in none.
    int currentChange() const;
    /// Moves to the next or previous change, from the last on to the first and back, too.
    void goToNextChange();
    void goToPreviousChange();

Q_SIGNALS:
    void sideBySideChanged(bool on);

private:
    void linkScrolling();
    void render();
    void goToChange(std::size_t change);
    void showPlace();

    DifferenceBar *m_bar;
    CodeView *m_older;
    CodeView *m_newer;
    std::optional<Difference> m_difference;
    std::vector<Change> m_changes; ///< of the form that is shown
    bool m_isSideBySide = false;
    bool m_isScrolling = false;
};

} // namespace nestwright::code
