// SPDX-License-Identifier: GPL-3.0-or-later
/// Asks for the shared libraries whose functions the open program may call.
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

private:
    void add();

    QString m_folder;
    QListWidget *m_list = nullptr;
};

} // namespace nestwright::app
