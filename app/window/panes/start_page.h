// SPDX-License-Identifier: GPL-3.0-or-later
/// The page shown while nothing is open: the ways in, the examples, the files opened last.
#pragma once

#include <QList>
#include <QStringList>
#include <QWidget>

class QGridLayout;
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
    /// Emitted when it covers the panes (`on`) and when it no longer does.
    void covers(bool on);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    QWidget *makeWays();
    QWidget *makeExamples();
    void arrange(int columns);

    QGridLayout *m_examples;
    QList<QWidget *> m_cards; ///< of examples
    int m_columns = 0;
    QVBoxLayout *m_recent;
};

} // namespace nestwright::app
