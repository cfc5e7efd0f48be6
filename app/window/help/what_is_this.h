// SPDX-License-Identifier: GPL-3.0-or-later
/// "What is this?": the page of the help about what stands at a place of the window.
#pragma once

#include <QObject>
#include <QPoint>
#include <QString>

#include <functional>

class QWidget;

namespace nestwright::document {
class Document;
}
namespace nestwright::forms {
class ActionStrip;
}

namespace nestwright::app {

/// The widget and all within it are explained by that page, where nothing more precise is known.
void setHelpAddress(QWidget *widget, const QString &address);

class WhatIsThis : public QObject {
    Q_OBJECT
public:
    WhatIsThis(const document::Document &document, const forms::ActionStrip &strip,
               QObject *parent = nullptr);

    /// The address of the page about what is under `at`, a place of the screen in `widget`: the heads of
    /// tables, actions, kinds of loops, links to the help, panes. Empty where there is none.
    QString addressAt(QWidget *widget, const QPoint &at) const;
    /// Address of the link with the focus, or of the thing under the pointer or with the focus.
    QString addressAtHand() const;

    /// Waits for a click and tells the place; Esc gives up.
    void pick();
    bool isPicking() const { return m_picks; }

Q_SIGNALS:
    void picked(const QString &address, const QPoint &at);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void endPicking();

    const document::Document &m_document;
    const forms::ActionStrip &m_strip;
    bool m_picks = false;
};

} // namespace nestwright::app
