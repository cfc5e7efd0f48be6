// SPDX-License-Identifier: GPL-3.0-or-later
/// The window: panes in docks, wired to one document.
#pragma once

#include "core/script/dialect.h"
#include "core/session/variant_tree.h"

#include <QMainWindow>
#include <QStringList>

#include <memory>

class QMenu;
class QSettings;
class QStackedWidget;
class QTimer;

namespace nestwright::canvas {
class GraphCanvas;
struct GraphData;
} // namespace nestwright::canvas
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
class FileWatch;
struct LeftBehind;
class Measuring;
class Model;
class ModelMeasuring;
class ModelResults;
class OpenDocuments;
class PeerMeasuring;
class TargetSource;
} // namespace nestwright::document
namespace nestwright::history {
class HistoryView;
class KernelsView;
class ProblemsView;
} // namespace nestwright::history
namespace nestwright::jobs {
class JobRunner;
}
namespace nestwright::look {
class CardDock;
class Theme;
} // namespace nestwright::look
namespace nestwright::models {
class KernelsModel;
class VariantsModel;
} // namespace nestwright::models

namespace nestwright::app {

class Banner;
class CommandPalette;
class DockArrangement;
class HelpWindow;
class LoopPane;
class NestPane;
class NodePanel;
class SourcePane;
class StartPage;
class TopBar;

/// Where the window keeps what outlives it.
struct WindowFolders {
    QString settings; ///< an INI file; empty: the user's own settings
    QString autosave; ///< empty: Autosave::defaultFolder()
};

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    /// With `fresh` the layout is the default one and nothing is remembered.
    MainWindow(look::Theme &theme, const WindowFolders &folders = {}, bool fresh = false,
               QWidget *parent = nullptr);
    ~MainWindow() override;

    document::Document &document() const { return *m_document; }
    document::OpenDocuments &documents() const { return *m_documents; }
    document::Model &model() const { return *m_model; }
    document::ModelMeasuring &modelMeasuring() const { return *m_modelMeasuring; }
    document::ModelResults &modelResults() const { return *m_modelResults; }
    history::KernelsView *kernelsView() const { return m_kernelsView; }
    canvas::GraphCanvas *graphCanvas() const { return m_graph; }
    document::Measuring &measuring() const { return *m_measuring; }
    document::CommandRegistry &commands() const { return *m_commands; }
    document::ActionList &actions() const { return *m_actions; }
    NodePanel *nodePanel() const { return m_nodePanel; }
    LoopPane *loopPane() const { return m_loopPane; }
    NestPane *nestPane() const { return m_nestPane; }
    SourcePane *sourcePane() const { return m_sourcePane; }
    history::HistoryView *historyView() const { return m_history; }
    charts::VariantBars *bars() const { return m_bars; }
    charts::Roofline *roofline() const { return m_roofline; }
    Banner *banner() const { return m_banner; }
    CommandPalette *commandPalette() const { return m_palette; }
    HelpWindow *help() const { return m_help; } ///< null until first asked for

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
    void connectDocument();
    void showWindowTitle();
    void showChartsSoon();
    void showCharts();
    void showHistoryHeader();
    /// "llvm · 2 threads"
    QString targetText() const;
    void showTarget();
    void documentOpened();

    // window_panes.cpp
    void makePanes();
    void connectPanes();

    // window_model.cpp
    void connectModel();
    void connectNodes();
    void showCanvas(canvas::GraphData graph, int kernels);
    /// The graph of the open kernel as the current variant has it.
    void showStages();
    void showModel();
    void showModelTime();
    void showModelPhase();
    void showNodePanel(bool shown);
    void showKernels();
    void showGraph();
    void showReapplied(int schedules, const QStringList &left);

    // window_commands.cpp
    void addCommands();
    void addFileCommands();
    void addScheduleCommands();
    void addMeasureCommands();
    void addViewCommands();
    void addMotionCommand();
    void addDialectCommands();
    void addPaneCommands();
    void addGraphCommands();
    void installActions();
    bool takesLetters(bool isStep) const;

    // window_help.cpp
    void addHelpCommands();
    void addAboutCommands();

    // window_code.cpp
    void addSourceCommands();
    void addNestCommands();

    // window_menus.cpp
    void makeMenus();
    void fillMenu(QMenu *menu, const QStringList &ids);
    void fillOpenMenu(QMenu *menu);
    void fillExamplesMenu(QMenu *menu);
    void fillTargetMenu(QMenu *menu);
    void fillExportMenu(QMenu *menu);
    void fillMainMenu(QMenu *menu);
    void showVariantMenu(int variant, const QPoint &at);

    // window_results.cpp
    void connectResults();
    void addResultCommands();
    void askForInputs();
    void askForKernelInputs();
    void showChartHeaders();
    void chooseResultFile(const QString &node);

    // window_files.cpp
    void chooseFile();
    void askForSizes(const QString &path, const QStringList &names);
    void save();
    void saveAs();
    void chooseExport(const QString &id);
    void remember(const QString &path);
    void tellWritten(const QString &done, const QString &path);
    QStringList recent() const;
    QString folderOfFile() const;
    void askAboutChangedFile(const QString &path);
    /// Opens it as it is on disk, whatever was kept of it.
    void openFile(const QString &path);
    /// Opens the file of what is open anew and applies its steps again.
    void reopenWithSteps();
    void closeDocument(int i);
    void showBroughtBack();
    void offerChangedFile();
    void offerRecovery();
    void showRecovery();
    void restore(const document::LeftBehind &left);
    QString newCrashReport();
    void offerCrashReport(const QString &report);

    look::Theme &m_theme;
    std::unique_ptr<QSettings> m_settings;
    bool m_fresh;
    std::unique_ptr<jobs::JobRunner> m_jobs;
    document::Document *m_document;
    document::Model *m_model;
    document::ActionList *m_actions;
    document::Measuring *m_measuring;
    document::PeerMeasuring *m_peer;
    document::ModelMeasuring *m_modelMeasuring;
    document::ModelResults *m_modelResults;
    document::TargetSource *m_source;
    document::CommandRegistry *m_commands;
    document::Autosave *m_autosave;
    document::OpenDocuments *m_documents;
    document::FileWatch *m_fileWatch; ///< of the file that what is open came from
    std::shared_ptr<const code::Languages> m_languages;

    TopBar *m_topBar;
    QMainWindow *m_docks; ///< holds the docks below the bar
    StartPage *m_startPage;
    Banner *m_banner;
    CommandPalette *m_palette;
    HelpWindow *m_help = nullptr; ///< made when first asked for
    look::CardDock *m_graphDock = nullptr, *m_loopDock = nullptr, *m_nestDock = nullptr,
                   *m_sourceDock = nullptr, *m_barsDock = nullptr, *m_rooflineDock = nullptr,
                   *m_historyDock = nullptr;
    canvas::GraphCanvas *m_graph = nullptr;
    NodePanel *m_nodePanel = nullptr;
    LoopPane *m_loopPane = nullptr;
    NestPane *m_nestPane = nullptr;
    SourcePane *m_sourcePane = nullptr;
    charts::VariantBars *m_bars = nullptr;
    charts::Roofline *m_roofline = nullptr;
    models::VariantsModel *m_variants = nullptr;
    QStackedWidget *m_historyPages = nullptr;
    history::HistoryView *m_history = nullptr;
    history::ProblemsView *m_problems = nullptr;
    models::KernelsModel *m_kernels = nullptr;
    history::KernelsView *m_kernelsView = nullptr;
    QTimer *m_chartsWait; ///< measurements report often; the charts follow at the pace of the eye
    std::unique_ptr<DockArrangement> m_arrangement;
    bool m_arranged = false;
    bool m_reducedMotion = false;
    script::Dialect m_dialect = script::Dialect::Tvm023; ///< of scripts and exported programs
    bool m_wasMeasuring = false;
    bool m_measureModelToo = true; ///< once a kernel of it was measured
    QString m_opening;             ///< the file being opened
    QString m_broughtBack;         ///< when what is being opened was kept, for people
};

} // namespace nestwright::app
