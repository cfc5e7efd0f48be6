// SPDX-License-Identifier: GPL-3.0-or-later
/// The open model as the window sees it. The document works on one of its kernels at a time.
#pragma once

#include "core/graph/program/compile.h"
#include "core/session/model/model_project.h"
#include "widgets/document/document.h"

#include <QObject>
#include <QStringList>

#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace nestwright::document {

/// A model that is open while another document is worked on.
struct ParkedModel {
    std::shared_ptr<const session::Model> model;
    std::string hash;                             ///< of the model's file
    std::map<int, session::Session> sessions;     ///< of kernels worked on before
    std::map<std::string, session::Session> left; ///< of kernels that the model no longer has
    std::vector<session::ModelTimes> times;       ///< of the model, the older ones first
};

class Model : public QObject {
    Q_OBJECT
public:
    explicit Model(Document &document, QObject *parent = nullptr);

    bool isOpen() const { return m_model != nullptr; }
    /// Only while open.
    const session::Model &model() const { return *m_model; }
    std::shared_ptr<const session::Model> shared() const { return m_model; }
    /// The kernel that the document works on; -1 while it is none of the model's.
    int kernel() const { return m_kernel; }
    /// The kernel that computes a node; -1 for inputs and constants.
    int kernelOf(graph::NodeId node) const;

    /// Reads a model and opens the kernel that computes most, or a session on a model with the kernel that
    /// was open. Ends with `opened`, with `sizesNeeded`, or with the document's `openFailed`.
    void open(const QString &path, const frontend::ModelSettings &settings = session::settingsFor());
    /// The open model made anew; work on kernels that are the same stays.
    void reopen(const frontend::ModelSettings &settings);
    /// A session on a model that an earlier run left behind, which belonged to another file or to none.
    void recover(const QString &autosavedPath, const SessionOrigin &origin);
    /// The open model, without the session of the kernel that the document works on; nothing where it works
    /// on none.
    std::optional<ParkedModel> park() const;
    /// Continues with the parked model, `document` with its kernel.
    void resume(const ParkedModel &parked, const Parked &document);
    /// Lets the document work on another kernel; the work on the one before is kept.
    void openKernel(int kernel);

    /// The schedules of all kernels that were worked on, by the kernel's name: as scripts, and as their
    /// results.
    std::map<std::string, std::string> schedules() const;
    graph::Schedules states() const;
    /// The sessions of kernels that were worked on, by place.
    std::map<int, session::Session> sessions() const;
    /// Times of the model, the older ones first: those of its session, and those taken since.
    const std::vector<session::ModelTimes> &times() const { return m_times; }
    /// They are saved with the session.
    void keepTimes(session::ModelTimes times);
    /// Takes these for kernels that the document does not work on.
    void replaceSessions(const std::map<int, session::Session> &sessions);

Q_SIGNALS:
    /// Emitted when another model is open, or none any more.
    void opened();
    /// `isFirst`: it is the one that the model was opened with.
    void kernelChanged(bool isFirst);
    /// The file of the model is another than when the session was saved: so many schedules were applied to it
    /// again; of these kernels it has none any more.
    void reapplied(int schedules, const QStringList &left);
    /// The model at `path` cannot be opened before these sizes are known; others are a proposal.
    void sizesNeeded(const QString &path, const QStringList &names, const frontend::Sizes &proposed);

private:
    void
    eachSession(const std::function<void(const std::string &kernel, const session::Session &)> &visit) const;
    struct Opened;
    struct Loaded;
    void openWith(const QString &name, const std::function<support::Result<Loaded>()> &load);
    void adopt(const Opened &opened);
    void startKernel(int kernel, SessionOrigin origin);
    void documentOpened();
    void keepSession();
    session::ModelWork work() const;

    Document &m_document;
    std::shared_ptr<const session::Model> m_model;
    std::string m_hash;                             ///< of the model's file
    std::map<int, session::Session> m_sessions;     ///< of kernels worked on before
    std::map<std::string, session::Session> m_left; ///< of kernels that the model no longer has; saved again
    std::vector<session::ModelTimes> m_times;
    bool m_isChanged = false; ///< since its session was saved
    int m_kernel = -1;        ///< that the document works on
};

} // namespace nestwright::document
