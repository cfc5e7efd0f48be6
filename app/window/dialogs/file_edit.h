// SPDX-License-Identifier: GPL-3.0-or-later
/// A field for the path of a file, which can also be dropped on it.
#pragma once

#include <QLineEdit>

class QDropEvent;

namespace nestwright::app {

/// The local files that are dragged.
QStringList filesOf(const QDropEvent &event);

class FileEdit : public QLineEdit {
    Q_OBJECT
public:
    using QLineEdit::QLineEdit;

protected:
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;
};

} // namespace nestwright::app
