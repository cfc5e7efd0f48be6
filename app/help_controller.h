// SPDX-License-Identifier: GPL-3.0-or-later
/// Help, the sheet of keys, and the pages about program and machine.
#pragma once

#include <QObject>

class QWidget;

namespace nestwright::document {
class CommandRegistry;
}
namespace nestwright::forms {
class ActionStrip;
}

namespace nestwright::app {

class HelpWindow;
class KeySheet;
class WindowSettings;

class HelpController : public QObject {
    Q_OBJECT
public:
    /// The page of a primitive is that of the one at hand in `strip`. `window` owns the dialogs.
    HelpController(document::CommandRegistry &commands, WindowSettings &settings, forms::ActionStrip &strip,
                   QWidget *window);

    void addCommands();
    HelpWindow *help() const { return m_help; } ///< null until first asked for

private:
    void addAboutCommands();
    void openHelp(const QString &address);

    document::CommandRegistry &m_commands;
    WindowSettings &m_settings;
    forms::ActionStrip &m_strip;
    QWidget *m_window;
    HelpWindow *m_help = nullptr;
    KeySheet *m_keys = nullptr;
};

} // namespace nestwright::app
