// SPDX-License-Identifier: GPL-3.0-or-later
/// Exports: asking where, writing as a job, and the version of TVM that scripts are written for.
#pragma once

#include "app/window/controllers/export_processor.h"
#include "core/script/dialect.h"

#include <QObject>

class QMenu;
class QWidget;

namespace nestwright::canvas {
class GraphCanvas;
}
namespace nestwright::document {
class CommandRegistry;
class Document;
class Measuring;
class Model;
class PeerMeasuring;
} // namespace nestwright::document
namespace nestwright::look {
class Theme;
}

namespace nestwright::app {

class Banner;
class NestPane;
class WindowSettings;
class WorkLine;

class ExportController : public QObject {
    Q_OBJECT
public:
    /// `window` owns the dialogs.
    ExportController(document::Document &document, document::Model &model, document::Measuring &measuring,
                     document::PeerMeasuring &peer, document::CommandRegistry &commands,
                     WindowSettings &settings, look::Theme &theme, canvas::GraphCanvas &graph,
                     NestPane &nestPane, Banner &banner, WorkLine &workLine, QWidget *window);

    void addExportCommands();
    void addDialectCommands();
    void addProcessorCommands() { m_processor.addCommands(); }
    void fillMenu(QMenu *menu);

    /// Asks where, and writes an export (an id of exports.h).
    void choose(const QString &id);
    void exportTo(const QString &id, const QString &path);
    /// The dialect of scripts and exported programs.
    script::Dialect dialect() const { return m_dialect; }

Q_SIGNALS:
    void written(const QString &path);

private:
    document::Document &m_document;
    document::Model &m_model;
    document::Measuring &m_measuring;
    document::PeerMeasuring &m_peer;
    document::CommandRegistry &m_commands;
    WindowSettings &m_settings;
    look::Theme &m_theme;
    canvas::GraphCanvas &m_graph;
    NestPane &m_nestPane;
    Banner &m_banner;
    WorkLine &m_workLine;
    QWidget *m_window;
    script::Dialect m_dialect = script::Dialect::Tvm023;
    ExportProcessor m_processor;
};

} // namespace nestwright::app
