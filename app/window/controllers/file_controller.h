// SPDX-License-Identifier: GPL-3.0-or-later
/// Opening, saving and closing of files: dialogs, recent files, changes on disk.
#pragma once

#include "core/frontend/model_graph.h"

#include <QObject>
#include <QStringList>

#include <memory>
#include <vector>

class QMenu;
class QWidget;

namespace nestwright::document {
class Autosave;
class CommandRegistry;
class Document;
class FileWatch;
struct LeftBehind;
class Model;
class OpenDocuments;
} // namespace nestwright::document

namespace nestwright::app {

struct Example;

class Banner;
class ModelSizes;
class RecoveryController;
class StartPage;
class TopBar;
class WindowSettings;
class WorkLine;

class FileController : public QObject {
    Q_OBJECT
public:
    /// `window` owns the dialogs.
    FileController(document::OpenDocuments &documents, document::Document &document, document::Model &model,
                   document::Autosave &autosave, document::CommandRegistry &commands,
                   WindowSettings &settings, TopBar &topBar, StartPage &startPage, Banner &banner,
                   QWidget *window);
    ~FileController() override;

    void addFileCommands();
    /// Commands for the open documents and for the end of the program.
    void addDocumentCommands();
    void fillOpenMenu(QMenu *menu);
    void fillExamplesMenu(QMenu *menu);

    void open(const QString &path);
    void chooseFile();
    /// Offers sessions left by an earlier run.
    void offerRecovery();

private:
    void documentOpened();
    void save();
    void saveAs();
    void remember(const QString &path);
    QStringList recent() const;
    void askAboutChangedFile(const QString &path);
    /// Opens it as it is on disk, whatever was kept of it.
    void openFile(const QString &path);
    /// Opens the file of the open document anew and applies its steps again.
    void reopenWithSteps();
    void closeDocument(int i);
    void addExamples(QMenu *menu, const std::vector<Example> &examples);
    void showBroughtBack();
    void offerChangedFile();
    void restore(const document::LeftBehind &left);

    document::OpenDocuments &m_documents;
    document::Document &m_document;
    document::Model &m_model;
    document::Autosave &m_autosave;
    document::CommandRegistry &m_commands;
    WindowSettings &m_settings;
    StartPage &m_startPage;
    Banner &m_banner;
    WorkLine &m_workLine;
    QWidget *m_window;
    std::unique_ptr<document::FileWatch> m_fileWatch; ///< of the open document's file
    std::unique_ptr<RecoveryController> m_recovery;
    std::unique_ptr<ModelSizes> m_sizes;
    QString m_opening;     ///< the file being opened
    QString m_broughtBack; ///< when the session being opened was kept, for people
};

} // namespace nestwright::app
