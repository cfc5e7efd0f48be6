// SPDX-License-Identifier: GPL-3.0-or-later
/// The open session as the window sees it: everything that computes runs as a job, everything that changes is a signal.
#pragma once

#include "core/schedule/fix.h"
#include "core/session/session.h"
#include "widgets/document/nest.h"
#include "widgets/jobs/job_runner.h"

#include <QHash>
#include <QObject>

#include <deque>
#include <functional>
#include <memory>
#include <optional>

namespace nestwright::document {

class Selection;

using support::Diagnostic;

/// Something the person should know of, for the pane of problems.
struct Problem {
    enum class Kind : std::uint8_t { Note, Refused, Failed };
    Kind kind = Kind::Note;
    Diagnostic diagnostic;
    std::optional<VariantId> variant; ///< that it is about
};

/// The file that a session is of, and whether it holds what is not in that file.
struct Belonging {
    QString path;
    bool modified = false;
};

class Document : public QObject {
    Q_OBJECT
public:
    explicit Document(jobs::JobRunner &jobs, QObject *parent = nullptr);
    ~Document() override;

    bool isOpen() const { return m_session.has_value(); }
    /// Only while open.
    const session::Session &session() const { return *m_session; }
    const session::VariantTree &tree() const { return m_session->tree(); }
    VariantId currentId() const { return tree().current().id; }
    /// Of the current variant; null while nothing is open.
    const NestPtr &nest() const { return m_nest; }

    Selection &selection() const { return *m_selection; }
    jobs::JobRunner &jobs() const { return m_jobs; }

    /// "matmul.py", and "main · 1024×1024 float32".
    QString title() const;
    QString subtitle() const;
    /// The file of the session; empty until it is saved.
    const QString &sessionPath() const { return m_sessionPath; }
    /// Whether something was done since the session was opened or saved.
    bool isModified() const { return m_modified; }

    /// A kernel, a session or "op:NAME(…)". A schedule script is applied to what is open. Ends with `opened` or
    /// `openFailed`; what is open stays as it is in the second case.
    void open(const QString &pathOrOperator);
    /// The session that `make` gives, which runs as a job.
    void openSession(std::function<support::Result<session::Session>()> make,
                     const Belonging &belonging = {});
    /// What `make` gives as a job, for `take`; ends with `openFailed` where there is nothing.
    template <class T> void openFrom(std::function<support::Result<T>()> make, std::function<void(T)> take);
    /// A session that an earlier run left behind; its file is none of the user's.
    void recover(const QString &autosavedPath);
    /// Writes the session; ends with `saved` or `failed`.
    void save(const QString &path);
    /// The session at this moment, for writing it elsewhere.
    std::optional<session::Session> copy() const { return m_session; }

    /// Gives the text of a session file; may be called in any thread.
    using ProjectText = std::function<std::string()>;
    /// Of what is open at this moment. A session that is part of something larger is written with it.
    ProjectText projectText() const;
    void setProject(std::function<ProjectText()> project) { m_project = std::move(project); }

    /// Applies a step to the current variant. Steps given while one is still at work wait for it.
    void apply(const schedule::Step &step);
    /// What would make the step legal that was refused last; none once another step was applied.
    const std::optional<schedule::Fix> &fix() const { return m_fix; }
    /// Applies its steps.
    void applyFix();
    /// Makes `id` current; a refused one cannot be.
    void jumpTo(VariantId id);
    bool canUndo() const;
    bool canRedo() const;
    void undo();
    void redo();

    void setTarget(const lower::Target &target);
    void setMeasurement(VariantId id, measure::Measurement measurement);

    const std::vector<Problem> &problems() const { return m_problems; }
    void addProblem(Problem problem);
    void clearProblems();

    /// Whether a step, a jump or opening is at work.
    bool isBusy() const { return m_busy; }

Q_SIGNALS:
    void opened();
    void openFailed(const nestwright::support::Diagnostic &diagnostic);
    /// Another variant is current: its nest is there.
    void currentChanged();
    /// The tree of variants has grown.
    void variantsChanged();
    void measurementChanged(int variant);
    void stepRefused(const nestwright::support::Diagnostic &diagnostic);
    void failed(const nestwright::support::Diagnostic &diagnostic);
    void problemsChanged();
    void targetChanged();
    void busyChanged();
    void modifiedChanged();
    void saved(const QString &path);

private:
    struct Opened;
    struct AppliedNest;

    void startNext();
    void startApply(const schedule::Step &step);
    void startJump(VariantId id);
    void finishApply(const schedule::Step &step, const AppliedNest &result);
    void show(VariantId id, NestPtr nest);
    void remember(const NestPtr &nest);
    NestPtr remembered(VariantId id) const { return m_nests.value(id.value); }
    void setBusy(bool busy);
    void setModified(bool modified);
    std::vector<StmtId> forwarded(const std::vector<StmtId> &ids, VariantId from, VariantId to) const;

    // document_files.cpp
    void importSchedule(const QString &path);
    void adopt(session::Session session, NestPtr nest);

    jobs::JobRunner &m_jobs;
    Selection *m_selection;
    std::optional<session::Session> m_session;
    NestPtr m_nest;
    QHash<int, NestPtr> m_nests; ///< of the variants seen last
    std::deque<int> m_nestOrder;
    std::deque<schedule::Step> m_waiting;
    std::optional<schedule::Fix> m_fix;
    std::optional<VariantId> m_jumpTarget; ///< of the jump at work or the one that waits
    std::vector<Problem> m_problems;
    std::function<ProjectText()> m_project; ///< that the session is part of; gives nothing where it is not
    QString m_sessionPath;
    bool m_busy = false;
    bool m_modified = false;
};

template <class T>
void Document::openFrom(std::function<support::Result<T>()> make, std::function<void(T)> take)
{
    setBusy(true);
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

/// "1 thread", "2 threads".
QString counted(int count, const QString &noun);

/// A sentence for people: a capital at the beginning, a full stop at the end.
QString sentence(const std::string &text);

} // namespace nestwright::document
