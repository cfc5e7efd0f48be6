// SPDX-License-Identifier: GPL-3.0-or-later
/// The processor that exports are made for: that of the target, one with a name, or another; remembered.
#pragma once

#include "core/target/target.h"

#include <QObject>

class QMenu;
class QWidget;

namespace nestwright::document {
class CommandRegistry;
}

namespace nestwright::app {

class WindowSettings;

class ExportProcessor : public QObject {
    Q_OBJECT
public:
    /// `window` owns the dialog of other processors.
    ExportProcessor(WindowSettings &settings, document::CommandRegistry &commands, QWidget *window);

    void addCommands();
    void fillMenu(QMenu *menu);

    /// "haswell"; "this processor" where none was chosen.
    QString name() const;
    /// `target` with the chosen processor in place of its own, where it is for processors.
    target::Target appliedTo(target::Target target) const;

private:
    void choose(const target::Target &processor);
    void askForAnother();
    bool isNamed() const;

    WindowSettings &m_settings;
    document::CommandRegistry &m_commands;
    QWidget *m_window;
    target::Target m_processor; ///< its processor, features and system alone count
};

} // namespace nestwright::app
