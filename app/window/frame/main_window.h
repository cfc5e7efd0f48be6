// SPDX-License-Identifier: GPL-3.0-or-later
/// The window: makes the panes, docks and controllers of one document and connects them.
#pragma once

#include "app/window/frame/window_settings.h"

#include <QMainWindow>

#include <memory>

class QSplitter;

namespace nestwright::canvas {
class GraphCanvas;
}
namespace nestwright::charts {
class Roofline;
class VariantBars;
} // namespace nestwright::charts
namespace nestwright::code {
class Languages;
}
namespace nestwright::document {
class ActionList;
class Autosave;
class CommandRegistry;
class Document;
class Measuring;
class Model;
class ModelMeasuring;
class ModelResults;
class OpenDocuments;
class PeerMeasuring;
class FindingList;
class MachineCode;
class StepSearching;
class TargetSource;
} // namespace nestwright::document
namespace nestwright::history {
class HistoryView;
class KernelsView;
} // namespace nestwright::history
namespace nestwright::jobs {
class JobRunner;
}
namespace nestwright::look {
class Card;
class CardDock;
class Theme;
} // namespace nestwright::look

namespace nestwright::app {

class Banner;
class CodeEditController;
class CodeEditPane;
class CommandPalette;
class CourseController;
class CoursePane;
class DockArrangement;
class ExportController;
class FileController;
class HeldInput;
class HelpController;
class HelpWindow;
class HistoryPane;
class LoopPane;
class MeasureController;
class ModelController;
class NestPane;
class NodePanel;
class ScriptEditController;
class SourcePane;
class StartPage;
class PlaceTrials;
class StepSearchCommands;
class TermPopup;
class TopBar;

/// Folders for files that outlive the window.
struct WindowFolders {
    QString settings; ///< an INI file; empty: the user's own settings
    QString autosave; ///< empty: Autosave::defaultFolder()
};

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    /// `fresh`: the layout is the default one and nothing is remembered.
    MainWindow(look::Theme &theme, const WindowFolders &folders = {}, bool fresh = false,
               QWidget *parent = nullptr);
    ~MainWindow() override;

    document::Document &document() const { return *m_document; }
    document::OpenDocuments &documents() const { return *m_documents; }
    document::Model &model() const { return *m_model; }
    document::ModelMeasuring &modelMeasuring() const { return *m_modelMeasuring; }
    document::ModelResults &modelResults() const { return *m_modelResults; }
    history::KernelsView *kernelsView() const;
    canvas::GraphCanvas *graphCanvas() const { return m_graph; }
    document::Measuring &measuring() const { return *m_measuring; }
    document::CommandRegistry &commands() const { return *m_commands; }
    document::ActionList &actions() const { return *m_actions; }
    NodePanel *nodePanel() const { return m_nodePanel; }
    LoopPane *loopPane() const { return m_loopPane; }
    NestPane *nestPane() const { return m_nestPane; }
    SourcePane *sourcePane() const { return m_sourcePane; }
    CodeEditPane *codeEditor() const { return m_codeEditor; }
    CodeEditController &codeEdits() const { return *m_codeEdits; }
    history::HistoryView *historyView() const;
    charts::VariantBars *bars() const { return m_bars; }
    charts::Roofline *roofline() const { return m_roofline; }
    Banner *banner() const { return m_banner; }
    CommandPalette *commandPalette() const { return m_palette; }
    HelpWindow *help() const;     ///< null until first asked for
    TermPopup *termPopup() const; ///< null until first asked for
    CoursePane *coursePane() const { return m_coursePane; }

    void open(const QString &path);
    /// Writes an export (an id of exports.h) without asking where.
    void exportTo(const QString &id, const QString &path);
    /// Whether nothing is being computed, measured or laid out.
    bool isSettled() const;

Q_SIGNALS:
    void exported(const QString &path);

protected:
    void closeEvent(QCloseEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;

private:
    void makePanes();
    void makeControllers();
    void makeMenus();
    void addCommands();
    void addGoCommands();
    void connectDocument();
    void connectPanes();
    void connectCourse();
    void showCourse(bool shown);
    void explainPanes();
    void documentOpened();
    void showWindowTitle();
    void holdInput();
    bool takesLetters(bool isStep) const;

    look::Theme &m_theme;
    WindowSettings m_settings;
    std::unique_ptr<jobs::JobRunner> m_jobs;
    document::Document *m_document;
    document::Model *m_model;
    document::ActionList *m_actions;
    document::Measuring *m_measuring;
    document::PeerMeasuring *m_peer;
    document::ModelMeasuring *m_modelMeasuring;
    document::ModelResults *m_modelResults;
    document::StepSearching *m_searching;
    document::TargetSource *m_source;
    document::MachineCode *m_code;
    document::FindingList *m_findings;
    document::CommandRegistry *m_commands;
    document::Autosave *m_autosave;
    document::OpenDocuments *m_documents;

    TopBar *m_topBar;
    QSplitter *m_sides; ///< below the bar: the course, where it is shown, and the docks
    look::Card *m_courseCard;
    QMainWindow *m_docks; ///< holds the docks
    StartPage *m_startPage = nullptr;
    Banner *m_banner;
    CommandPalette *m_palette;
    look::CardDock *m_graphDock = nullptr, *m_loopDock = nullptr, *m_historyDock = nullptr,
                   *m_nestDock = nullptr, *m_sourceDock = nullptr, *m_barsDock = nullptr,
                   *m_rooflineDock = nullptr;
    canvas::GraphCanvas *m_graph = nullptr;
    NodePanel *m_nodePanel = nullptr;
    LoopPane *m_loopPane = nullptr;
    NestPane *m_nestPane = nullptr;
    SourcePane *m_sourcePane = nullptr;
    CodeEditPane *m_codeEditor = nullptr;
    charts::VariantBars *m_bars = nullptr;
    charts::Roofline *m_roofline = nullptr;
    HistoryPane *m_historyPane = nullptr;
    CoursePane *m_coursePane = nullptr;
    std::shared_ptr<const code::Languages> m_languages; ///< of all panes of code
    std::unique_ptr<DockArrangement> m_arrangement;
    HeldInput *m_held = nullptr;
    bool m_arranged = false;

    // They hear from the objects above and use the panes: they go before these objects, after the panes.
    std::unique_ptr<FileController> m_files;
    std::unique_ptr<ExportController> m_exports;
    std::unique_ptr<MeasureController> m_measure;
    std::unique_ptr<ModelController> m_models;
    std::unique_ptr<StepSearchCommands> m_stepSearch;
    std::unique_ptr<PlaceTrials> m_placeTrials;
    std::unique_ptr<CodeEditController> m_codeEdits;
    std::unique_ptr<ScriptEditController> m_scripts;
    std::unique_ptr<HelpController> m_helpController;
    std::unique_ptr<CourseController> m_course;
};

} // namespace nestwright::app
