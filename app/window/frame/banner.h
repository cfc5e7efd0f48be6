// SPDX-License-Identifier: GPL-3.0-or-later
/// One message that floats below the toolbar until it is closed: a file that could not be opened, a session
/// to recover.
#pragma once

#include "core/support/errors/diagnostic.h"

#include <QFrame>

#include <functional>
#include <vector>

class QHBoxLayout;
class QLabel;

namespace nestwright::app {

class Banner : public QFrame {
    Q_OBJECT
public:
    struct Button {
        QString text;
        std::function<void()> run;
    };

    explicit Banner(QWidget *window);

    /// Shows the error, with file, line and column where the diagnostic has them.
    void showError(const support::Diagnostic &diagnostic);
    /// Shows the problem in the same way, with buttons for remedies.
    void showProblem(const support::Diagnostic &diagnostic, const std::vector<Button> &buttons);
    void showInfo(const QString &title, const QString &text, const std::vector<Button> &buttons = {});
    QString text() const;
    /// Moves it to its place in the window.
    void place();

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void fill(const QString &title, const QString &text, const std::vector<Button> &buttons, bool bad);

    QLabel *m_title;
    QLabel *m_text;
    QHBoxLayout *m_buttons;
    bool m_bad = false;
};

} // namespace nestwright::app
