// SPDX-License-Identifier: GPL-3.0-or-later
/// The open model and the canvas that shows it or a kernel: its kernels, its nodes and their values, its
/// times.
#pragma once

#include "core/support/stmt_id.h"

#include <QObject>
#include <QStringList>

class QWidget;

namespace nestwright::canvas {
class GraphCanvas;
struct GraphData;
} // namespace nestwright::canvas
namespace nestwright::document {
class CommandRegistry;
class Document;
class Model;
class ModelMeasuring;
class ModelResults;
} // namespace nestwright::document
namespace nestwright::look {
class CardHeader;
}

namespace nestwright::app {

class Banner;
class NodePanel;
class WindowSettings;
class WorkLine;

class ModelController : public QObject {
    Q_OBJECT
public:
    struct Panes {
        canvas::GraphCanvas &graph;
        look::CardHeader &graphHeader;
        NodePanel &nodePanel;
    };

    /// `window` owns the dialogs.
    ModelController(document::Document &document, document::Model &model,
                    document::ModelMeasuring &modelMeasuring, document::ModelResults &modelResults,
                    document::CommandRegistry &commands, WindowSettings &settings, const Panes &panes,
                    Banner &banner, WorkLine &workLine, QWidget *window);

    void addViewCommands();
    /// Commands for the values of nodes.
    void addResultCommands();

Q_SIGNALS:
    /// The values of a node are in a file.
    void written(const QString &path);

private:
    void connectModel();
    void connectNodes();
    /// Shows the node of the model and opens its kernel.
    void openNode(int node);
    /// Selects the block of a stage of the open kernel.
    void selectStage(support::StmtId block);
    void askForInputs();
    void chooseResultFile(const QString &node);
    void showCanvas(canvas::GraphData graph, int kernels);
    /// The graph of the open kernel as the current variant has it.
    void showStages();
    void showModelTime();
    void showNodePanel(bool shown);
    void showGraph();
    void showReapplied(int schedules, const QStringList &left);

    document::Document &m_document;
    document::Model &m_model;
    document::ModelMeasuring &m_modelMeasuring;
    document::ModelResults &m_modelResults;
    document::CommandRegistry &m_commands;
    WindowSettings &m_settings;
    Panes m_panes;
    Banner &m_banner;
    WorkLine &m_workLine;
    QWidget *m_window;
};

} // namespace nestwright::app
