// SPDX-License-Identifier: GPL-3.0-or-later
/// *About Nestwright*: version, machine, licences of the program and its libraries.
#pragma once

#include <QDialog>

namespace nestwright::app {

class AboutDialog : public QDialog {
    Q_OBJECT
public:
    explicit AboutDialog(QWidget *parent);

private:
    QWidget *makeHeader();
    QWidget *makeLibraries();
    QWidget *makeLicence(const QString &licence);
};

} // namespace nestwright::app
