// SPDX-License-Identifier: GPL-3.0-or-later
/// All keys on one sheet.
#pragma once

#include "app/window/help/key_list.h"

#include <QDialog>

class QLineEdit;
class QTextBrowser;

namespace nestwright::app {

/// Stays open beside the window. As many columns as the width holds; typing leaves matching rows.
class KeySheet : public QDialog {
    Q_OBJECT
public:
    KeySheet(const document::CommandRegistry &commands, QWidget *parent);

    /// Shows all of it, ready to be searched.
    void open() override;
    QLineEdit *field() const { return m_field; }
    QTextBrowser *sheet() const { return m_sheet; }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void fill();
    QList<KeyGroup> shown() const;

    QList<KeyGroup> m_groups;
    QLineEdit *m_field;
    QTextBrowser *m_sheet;
};

} // namespace nestwright::app
