// SPDX-License-Identifier: GPL-3.0-or-later
/// The page shown while nothing is open: the examples, the files opened last, and a button to open one.
#pragma once

#include <QStringList>
#include <QWidget>

class QVBoxLayout;

namespace nestwright::app {

class StartPage : public QWidget {
    Q_OBJECT
public:
    explicit StartPage(QWidget *parent = nullptr);
    void setRecent(const QStringList &paths);

Q_SIGNALS:
    void openRequested();
    void courseRequested();
    void fileChosen(const QString &path);
    /// It covers the panes, or no more.
    void covers(bool on);

protected:
    void paintEvent(QPaintEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    QWidget *makeExamples();
    QVBoxLayout *m_recent;
};

} // namespace nestwright::app
