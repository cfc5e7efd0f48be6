// SPDX-License-Identifier: GPL-3.0-or-later
/// Shows pages in Markdown: code on a ground of its own, headings that keep their distance.
#pragma once

#include <QTextBrowser>

namespace nestwright::app {

class PageView : public QTextBrowser {
    Q_OBJECT
public:
    explicit PageView(QWidget *parent);

    /// Removes frame, margins and ground; links are its owner's to follow.
    void makePlain();

    /// Dresses the page that is shown now. `codeSize` is in pixels of look.md.
    void dress(double codeSize = 12);

protected:
    void paintEvent(QPaintEvent *event) override;
};

} // namespace nestwright::app
