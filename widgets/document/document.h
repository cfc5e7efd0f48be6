// SPDX-License-Identifier: GPL-3.0-or-later
/// The open session as the window sees it: everything that computes runs as a job, everything that changes is
/// a signal.
#pragma once

#include "core/schedule/fix.h"
#include "core/session/history/script_edit.h"
#include "core/session/session.h"
#include "core/support/files/atomic_file.h"
#include "widgets/document/nest.h"
#include "widgets/jobs/job_runner.h"

#include <QHash>
#include <QObject>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <variant>

namespace nestwright::document {

class Selection;

using support::Diagnostic;

/// Something the person should know of, for the pane of problems.
struct Problem {
    enum class Kind : std::uint8_t { Note, Refused, Failed };
    Kind kind = Kind::Note;
    Diagnostic diagnostic;
    std::optional<VariantId> variant;        ///< the variant concerned
    std::optional<VariantId> comparedWith{}; ///< where it is about the difference from that one
};

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

/// A refused step becomes a variant, or nothing but `stepRefused`.
enum class IfRefused : std::uint8_t { Keep, Drop };

/// Whether a file that another program has changed since it was read is replaced.
enum class Overwrite : std::uint8_t { Ask, Always };

class Document : public QObject {
    Q_OBJECT
public:
    explicit Document(jobs::JobRunner &jobs, QObject *parent = nullptr);
    ~Document() override;

    /// Number of programs opened so far: ids of loops and variants are of one of them.
    int openedCount() const { return m_openedCount; }
    bool isOpen() const { return m_session.has_value(); }
    /// Only while open.
    const session::Session &session() const { return *m_session; }
    const session::VariantTree &tree() const { return m_session->tree(); }
    VariantId currentId() const { return tree().current().id; }
    /// The nest of the current variant; null while nothing is open.
    const NestPtr &nest() const { return m_nest; }

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
    /// The session at this moment, for writing it elsewhere.
    std::optional<session::Session> copy() const { return m_session; }

    /// Gives the text of a session file; may be called in any thread.
    using ProjectText = std::function<std::string()>;
    /// The text of the open document at this moment. A session that is part of something larger is written
    /// with it.
    ProjectText projectText() const;
    void setProject(std::function<ProjectText()> project) { m_project = std::move(project); }

    // Changes of the session wait their turn while something is at work, in the order asked for. Behind a
    // step that is refused, or that names loops or blocks that are gone, nothing is carried out any more:
    // `dropped` says so.

    /// Applies a step of the program seen now to what is the current variant by then: the step follows its
    /// loops and blocks there.
    void apply(const schedule::Step &step, IfRefused ifRefused = IfRefused::Keep);
    /// Applies the steps that `run` gives for the state of the current variant, all at once; a job runs it.
    /// The last variant gets `name`. Ends with `currentChanged`, and `then` after it, or with `failed`.
    /// `from`: the variant in place of the current one.
    void applyAll(const QString &name,
                  std::function<support::Result<schedule::ScriptRun>(const schedule::State &)> run,
                  std::function<void()> then = {}, std::optional<VariantId> from = {});
    /// Applies steps that were made on `from` to it; the end of the branch gets `name` and becomes current.
    /// Ends as above.
    void branch(VariantId from, const QString &name, std::vector<schedule::Step> steps,
                std::function<void()> then = {});
    /// The counterpart in the current program of a loop or block of the program of `seen`; none where it is
    /// gone.
    StmtId follow(StmtId id, VariantId seen) const;
    /// A fix that makes the step legal that was refused last; none once another step was applied.
    const std::optional<schedule::Fix> &fix() const { return m_fix; }
    /// Applies its steps.
    void applyFix();
    void apply(const schedule::Fix &fix);
    /// Makes `id` current; a refused one cannot be.
    void jumpTo(VariantId id);
    /// True as well while it is not known yet which variant will be current.
    bool canUndo() const;
    bool canRedo() const;
    void undo();
    void redo();

    /// Replays steps on another variant. Ends with `currentChanged`, and `editStopped` after it where a step
    /// cannot be made there: one that is refused becomes a variant, one that names what is not there a
    /// problem; either way the steps left are `rest`.
    void edit(const session::HistoryEdit &edit);
    /// The steps that the last edit did not make, the one at fault first; empty once another edit was made.
    const std::vector<VariantId> &rest() const { return m_rest; }
    /// Replays the rest on the current variant; `skips`: without the step at fault.
    void goOn(bool skips);
    /// Makes variants of steps that were replayed on a copy of the tree; `nest`: of the program behind them,
    /// which becomes the current one. Only while nothing is at work.
    void takeIn(const session::StepBranch &branch, const Nest &nest);
    /// Makes variants of several edits, the current one staying so, and gives `then` the last of each.
    void make(const std::vector<session::HistoryEdit> &edits,
              std::function<void(const std::vector<VariantId> &)> then);
    /// Adds edited code of the program of `of` and makes it current; the variant.
    VariantId addEdit(VariantId of, session::CodeEdit edit);
    /// A person agrees to run the edited code that the session's file held.
    void allowEdits();
    void setName(VariantId id, const QString &name);
    void setMarks(VariantId id, session::VariantMarks marks);

    void setTarget(const target::Target &target);
    /// The arguments that every variant is measured with from now on; the others are random.
    void setInputs(const measure::GivenInputs &inputs);
    void setMeasurement(VariantId id, measure::Measurement measurement);
    /// Sets what stood on `target` before a measurement that came to no end; none: nothing did.
    void restoreMeasurement(VariantId id, const target::Target &target,
                            std::optional<measure::Measurement> measurement);
    /// Sets the results of the target's rungs of trust.
    void setTrust(VariantId id, std::vector<measure::RungResult> results);

    const std::vector<Problem> &problems() const { return m_problems; }
    void addProblem(Problem problem);
    void clearProblems();

    /// Whether a step, a jump or opening is at work.
    bool isBusy() const { return m_busy; }

Q_SIGNALS:
    void opened();
    void openFailed(const nestwright::support::Diagnostic &diagnostic);
    /// Emitted when another variant has become current: its nest is there.
    void currentChanged();
    /// The tree of variants has grown.
    void variantsChanged();
    /// Also when its trust did.
    void measurementChanged(int variant);
    void stepRefused(const nestwright::support::Diagnostic &diagnostic);
    /// Something that was waiting will not be done, and why.
    void dropped(const nestwright::support::Diagnostic &diagnostic);
    /// An edit of the history came to a step that cannot be made; `rest` begins with it.
    void editStopped(const nestwright::support::Diagnostic &diagnostic);
    void marksChanged();
    /// Edited code that was carried along and the new schedule changed the same lines.
    void editConflicts(int variant);
    void failed(const nestwright::support::Diagnostic &diagnostic);
    void problemsChanged();
    void targetChanged();
    void inputsChanged();
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
    struct AppliedNest;
    struct AppliedSteps;

    // document_queue.cpp
    /// A step on the program of the variant that was seen when it was asked for.
    struct SeenStep {
        schedule::Step step;
        VariantId seen;
        bool isKept = true; ///< as a variant, if it is refused
    };
    enum class Move : std::uint8_t { Undo, Redo };
    /// Request that waits its turn: a step, a jump, a move along the tree, other work on the session.
    using Request = std::variant<SeenStep, VariantId, Move, std::function<void()>>;
    void ask(Request request);
    void startNext();
    void start(const SeenStep &asked);
    void start(Move move);
    std::optional<VariantId> lastTarget() const;
    void dropWaiting(const Diagnostic &why);
    void startApply(const schedule::Step &step, bool isKept);
    void startJump(VariantId id);
    void finishApply(const schedule::Step &step, bool isKept, const AppliedNest &result);
    void finishRefused(const AppliedNest &result);
    void applyAllTo(std::optional<VariantId> parent, const QString &name,
                    std::function<support::Result<schedule::ScriptRun>(const schedule::State &)> run,
                    std::function<void()> then);
    void startAll(VariantId parent, const QString &name,
                  std::function<support::Result<schedule::ScriptRun>(const schedule::State &)> run,
                  std::function<void()> then);
    void finishAll(const QString &name, const AppliedSteps &run);

    void show(VariantId id, NestPtr nest);
    void remember(const NestPtr &nest);
    NestPtr remembered(VariantId id) const { return m_nests.value(id.value); }
    void setBusy(bool busy, const QString &opening = {});
    void setModified(bool modified);
    void setOrigin(const SessionOrigin &origin);
    std::vector<StmtId> forwarded(const std::vector<StmtId> &ids, VariantId from, VariantId to) const;

    // document_history.cpp
    struct EditedHistory;
    void startEdit(const session::HistoryEdit &edit);
    void startMaking(const std::vector<session::HistoryEdit> &edits,
                     std::function<void(const std::vector<VariantId> &)> then);
    void finishEdit(const session::HistoryEdit &edit, const EditedHistory &made);
    void tellConflicts(int first);

    // document_files.cpp
    void importSchedule(const QString &path);
    void adopt(session::Session session, NestPtr nest);

    jobs::JobRunner &m_jobs;
    Selection *m_selection;
    std::optional<session::Session> m_session;
    NestPtr m_nest;
    QHash<int, NestPtr> m_nests; ///< of the variants seen last
    std::deque<int> m_nestOrder;
    std::deque<Request> m_waiting;
    std::optional<schedule::Fix> m_fix;
    std::vector<VariantId> m_rest;      ///< steps of the last edit that were not made
    std::optional<VariantId> m_jumping; ///< where the jump at work goes
    std::vector<Problem> m_problems;
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
    bool m_busy = false;
    bool m_modified = false;
    bool m_left = false; ///< `leaving` was said of the open document
};

template <class T>
void Document::openFrom(const QString &name, std::function<support::Result<T>()> make,
                        std::function<void(T)> take)
{
    setBusy(true, name);
    m_jobs.run(
        QStringLiteral("document"), this, [make = std::move(make)](const jobs::Job &) { return make(); },
        [this, take = std::move(take)](const std::shared_ptr<const support::Result<T>> &result) {
            setBusy(false);
            if (*result)
                take(**result);
            else
                Q_EMIT openFailed(result->error());
        });
}

} // namespace nestwright::document
