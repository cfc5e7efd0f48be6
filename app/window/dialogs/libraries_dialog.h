// SPDX-License-Identifier: GPL-3.0-or-later
/// Asks for the shared libraries whose functions the open program may call: chosen, or dropped.
#pragma once

#include <QDialog>

#include <string>
#include <vector>

class QListWidget;

namespace nestwright::app {

class LibrariesDialog : public QDialog {
    Q_OBJECT
public:
    LibrariesDialog(const std::vector<std::string> &libraries, const QString &folder, QWidget *parent);

    std::vector<std::string> libraries() const;

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;

private:
    void choose();
    void add(const QStringList &paths);
    void removeSelected();

    QString m_folder;
    QListWidget *m_list;
};

} // namespace nestwright::app
