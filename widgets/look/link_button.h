// SPDX-License-Identifier: GPL-3.0-or-later
/// Text that acts when clicked.
#pragma once

#include <QAbstractButton>

namespace nestwright::look {

class LinkButton : public QAbstractButton {
    Q_OBJECT
public:
    explicit LinkButton(const QString &text = {}, QWidget *parent = nullptr);
    /// Sets the secondary colour until pointed at, for actions that are seldom needed.
    void setQuiet(bool quiet);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void enterEvent(QEnterEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    bool m_quiet = false;
};

} // namespace nestwright::look
