// SPDX-License-Identifier: GPL-3.0-or-later
/// Help, the sheet of keys, and the pages about program and machine.
#pragma once

#include <QObject>

class QPoint;
class QWidget;

namespace nestwright::document {
class CommandRegistry;
class Document;
} // namespace nestwright::document
namespace nestwright::forms {
class ActionStrip;
}

namespace nestwright::app {

class HelpWindow;
class KeySheet;
class TermPopup;
class WhatIsThis;
class WindowSettings;

class HelpController : public QObject {
    Q_OBJECT
public:
    /// The page of a primitive is that of the one at hand in `strip`. `window` owns the dialogs.
    HelpController(const document::Document &document, document::CommandRegistry &commands,
                   WindowSettings &settings, forms::ActionStrip &strip, QWidget *window);

    void addCommands();
    HelpWindow *help() const { return m_help; } ///< null until first asked for
    /// Shows the page of the address in a small window below `at`, a place of the screen.
    void explain(const QString &address, const QPoint &at);
    TermPopup *popup() const { return m_popup; } ///< null until first asked for

private:
    void addAboutCommands();
    void openHelp(const QString &address);
    void explainAtHand();

    const document::Document &m_document;
    document::CommandRegistry &m_commands;
    WindowSettings &m_settings;
    forms::ActionStrip &m_strip;
    QWidget *m_window;
    WhatIsThis *m_what;
    TermPopup *m_popup = nullptr;
    HelpWindow *m_help = nullptr;
    KeySheet *m_keys = nullptr;
};

} // namespace nestwright::app
