// SPDX-License-Identifier: GPL-3.0-or-later
/// The open document as the window sees it: everything that computes runs as a job, everything that changes
/// is a signal.
#pragma once

#include "core/support/files/atomic_file.h"
#include "core/workbench/document/document.h"
#include "widgets/document/nest.h"
#include "widgets/jobs/job_runner.h"

#include <QObject>

#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace nestwright::document {

class Selection;

using support::Diagnostic;

using workbench::IfRefused;
using workbench::Problem;

/// The file that a session is of, and whether it holds what is not in that file.
struct SessionOrigin {
    QString path{};
    bool modified = false;
    std::optional<support::FileStamp> onDisk{}; ///< the file as it was read
    bool goesOn = false; ///< it is part of the open document, whose file and changes stay as they are then
    std::optional<int> kernel{}; ///< of the open model, whose schedules it holds; none: it stands alone
};

/// A document that is open while another is worked on.
struct Parked {
    std::optional<session::Session> session;
    NestPtr nest; ///< of its current variant
    std::vector<StmtId> selected;
    SessionOrigin origin;
    /// Stamps of the files that it was saved in, as in Document.
    std::shared_ptr<std::map<std::string, support::FileStamp>> written;
};

/// Whether a file that another program has changed since it was read is replaced.
enum class Overwrite : std::uint8_t { Ask, Always };

class Document : public QObject, public workbench::Document {
    Q_OBJECT
public:
    explicit Document(jobs::JobRunner &jobs, QObject *parent = nullptr);
    ~Document() override;

    /// Number of programs opened so far: ids of loops and variants are of one of them.
    int openedCount() const { return m_openedCount; }
    /// The nest of the current variant; null while nothing is open.
    NestPtr nest() const { return std::static_pointer_cast<const Nest>(view()); }

    Selection &selection() const { return *m_selection; }
    jobs::JobRunner &jobs() const { return m_jobs; }

    /// "matmul.py", and "main · 1024×1024 float32".
    QString title() const;
    QString subtitle() const;
    /// The kernel of the open model that the session is of; none: it stands alone.
    std::optional<int> kernelOfModel() const { return m_kernel; }
    /// The file of the session; empty until it is saved.
    const QString &sessionPath() const { return m_sessionPath; }
    /// Whether something was done since the session was opened or saved.
    bool isModified() const { return m_modified; }
    /// Marks the session as changed since it was saved.
    void markModified() { setModified(true); }

    /// A kernel, a session or "op:NAME(…)". A schedule script is applied to the open kernel. Ends with
    /// `opened` or `openFailed`; the open document stays as it is in the second case.
    void open(const QString &pathOrOperator);
    /// The session that `make` gives, which runs as a job.
    void openSession(std::function<support::Result<session::Session>()> make,
                     const SessionOrigin &origin = {});
    /// Runs `make` as a job and gives its result to `take`; ends with `openFailed` where there is nothing.
    /// `name`: for people.
    template <class T>
    void openFrom(const QString &name, std::function<support::Result<T>()> make, std::function<void(T)> take);
    /// A session that an earlier run left behind, which belonged to another file or to none.
    void recover(const QString &autosavedPath, const SessionOrigin &origin);
    /// Writes the session as it is now; ends with `saved`, `changedOnDisk` or `failed`. Changes made
    /// meanwhile are still to be saved.
    void save(const QString &path, Overwrite overwrite = Overwrite::Ask);
    /// The file as this program read or wrote it last; none where there is no file yet.
    const std::optional<support::FileStamp> &onDisk() const { return m_onDisk; }
    /// The name of the file being opened: "matmul.py"; empty while nothing is.
    const QString &opening() const { return m_opening; }
    /// The phase of opening: "importing". Ask for it now and then; nobody is told.
    QString openingPhase() const { return m_jobs.phase(QStringLiteral("document")); }
    /// Stops the step, jump or opening at work, however long it would still take; ends with `workCancelled`.
    void cancelWork();
    /// Announces that another document takes the place of the open one. Called by those who open; says
    /// `leaving` once.
    void leave();
    /// The open document, as it is now.
    Parked park() const;
    /// Leaves the open document and goes on with the parked one.
    void resume(const Parked &parked);

    /// Gives the text of a session file; may be called in any thread.
    using ProjectText = std::function<std::string()>;
    /// The text of the open document at this moment. A session that is part of something larger is written
    /// with it.
    ProjectText projectText() const;
    void setProject(std::function<ProjectText()> project) { m_project = std::move(project); }

Q_SIGNALS:
    void opened();
    void openFailed(const nestwright::support::Diagnostic &diagnostic);
    // As of workbench::Listener.
    void currentChanged();
    void variantsChanged();
    void measurementChanged(int variant);
    void stepRefused(const nestwright::support::Diagnostic &diagnostic);
    void dropped(const nestwright::support::Diagnostic &diagnostic);
    void editStopped(const nestwright::support::Diagnostic &diagnostic);
    void marksChanged();
    void editConflicts(int variant);
    void failed(const nestwright::support::Diagnostic &diagnostic);
    void problemsChanged();
    void targetChanged();
    void inputsChanged();
    /// Also when another file is opened than before.
    void busyChanged();
    void modifiedChanged();
    void saved(const QString &path);
    /// The file was not replaced, since another program has changed it.
    void changedOnDisk(const QString &path);
    void workCancelled();
    /// Before another session takes the place of the one that is open.
    void aboutToReplace();
    /// Before the open document gives way to another; projectText and park still give it.
    void leaving();

private:
    struct Opened;
    class Jobs;
    class Signals;

    Document(jobs::JobRunner &jobs, std::unique_ptr<Jobs> executor, std::unique_ptr<Signals> listener,
             QObject *parent);
    void beginOpening(const QString &name);
    void endOpening();
    void moveSelection(VariantId from);
    void setModified(bool modified);
    void setOrigin(const SessionOrigin &origin);

    // document_files.cpp
    void importSchedule(const QString &path);
    void adopt(session::Session session, NestPtr nest);

    jobs::JobRunner &m_jobs;
    std::unique_ptr<Jobs> m_executor;
    std::unique_ptr<Signals> m_listener;
    Selection *m_selection;
    std::function<ProjectText()> m_project; ///< around the session; gives nothing where there is none
    std::optional<int> m_kernel;            ///< of the open model
    QString m_sessionPath;
    std::optional<support::FileStamp> m_onDisk; ///< stamp of m_sessionPath when it was read or written
    /// Stamps of the files that the open document was saved in, by path. Only the one thread that saves looks
    /// into it.
    using Stamps = std::map<std::string, support::FileStamp>;
    std::shared_ptr<Stamps> m_written = std::make_shared<Stamps>();
    QString m_opening;
    quint64 m_revision = 0; ///< counts changes of the open document
    quint64 m_serial = 0;   ///< counts opened documents
    int m_openedCount = 0;  ///< counts programs, kernels of one model each for itself
    bool m_modified = false;
    bool m_left = false; ///< `leaving` was said of the open document
};

template <class T>
void Document::openFrom(const QString &name, std::function<support::Result<T>()> make,
                        std::function<void(T)> take)
{
    beginOpening(name);
    m_jobs.run(
        QStringLiteral("document"), this, [make = std::move(make)](const jobs::Job &) { return make(); },
        [this, take = std::move(take)](const std::shared_ptr<const support::Result<T>> &result) {
            endOpening();
            if (*result)
                take(**result);
            else
                Q_EMIT openFailed(result->error());
        });
}

} // namespace nestwright::document
