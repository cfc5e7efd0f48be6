// SPDX-License-Identifier: GPL-3.0-or-later
/// Lists the sessions that earlier runs left behind, each with its name and time, to be restored or
/// discarded.
#pragma once

#include "widgets/document/files/autosave.h"

#include <QDialog>

#include <vector>

class QVBoxLayout;

namespace nestwright::app {

/// "kept today at 14:03"
QString keptWhen(const document::LeftBehind &left);

class RecoveryDialog : public QDialog {
    Q_OBJECT
public:
    RecoveryDialog(const std::vector<document::LeftBehind> &left, QWidget *parent);

Q_SIGNALS:
    void restoreWanted(const nestwright::document::LeftBehind &left);

private:
    QWidget *row(const document::LeftBehind &left);

    QVBoxLayout *m_rows;
    int m_left; ///< rows
};

} // namespace nestwright::app
