// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dialogs/file_edit.h"

#include <QDragEnterEvent>
#include <QMimeData>
#include <QUrl>

namespace nestwright::app {

QStringList filesOf(const QDropEvent &event)
{
    QStringList files;
    for (const QUrl &url : event.mimeData()->urls()) {
        if (url.isLocalFile())
            files << url.toLocalFile();
    }
    return files;
}

void FileEdit::dragEnterEvent(QDragEnterEvent *event)
{
    if (filesOf(*event).size() == 1)
        event->acceptProposedAction();
    else
        event->ignore(); // the dialog may know what to do with several
}

void FileEdit::dropEvent(QDropEvent *event)
{
    setText(filesOf(*event).value(0));
    setFocus();
    event->acceptProposedAction();
}

} // namespace nestwright::app
