// SPDX-License-Identifier: GPL-3.0-or-later
/// Sizes that models leave open: asked for once, then remembered with the file.
#pragma once

#include "core/session/model/model.h"

#include <QObject>
#include <QStringList>

class QWidget;

namespace nestwright::document {
class CommandRegistry;
class Model;
} // namespace nestwright::document

namespace nestwright::app {

class WindowSettings;
class WorkLine;

class ModelSizes : public QObject {
    Q_OBJECT
public:
    /// `window` owns the dialogs.
    ModelSizes(document::Model &model, WindowSettings &settings, WorkLine &workLine, QWidget *window);

    void addCommands(document::CommandRegistry &commands);

private:
    void open(const QString &path, const QStringList &names, const frontend::Sizes &proposed);
    void ask(const QString &path, const QStringList &names, const frontend::Sizes &proposed);
    frontend::Sizes remembered(const QString &path) const;
    void remember(const QString &path, const frontend::Sizes &sizes);

    document::Model &m_model;
    WindowSettings &m_settings;
    WorkLine &m_workLine;
    QWidget *m_window;
};

} // namespace nestwright::app
