// SPDX-License-Identifier: GPL-3.0-or-later
/// A picture of the window once it has nothing more to compute.
#pragma once

#include <QObject>
#include <QString>

class QTimer;

namespace nestwright::app {

class MainWindow;

/// Waits until the window is settled, saves the picture and ends the program: status 0, or 2 where the file
/// cannot be written.
class Screenshot : public QObject {
    Q_OBJECT
public:
    Screenshot(MainWindow &window, QString path);

private:
    void look();

    MainWindow &m_window;
    QString m_path;
    QTimer *m_timer;
    int m_quiet = 0; ///< times in a row that the window was settled
};

} // namespace nestwright::app
