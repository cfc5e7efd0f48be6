// SPDX-License-Identifier: GPL-3.0-or-later
/// Opening and saving: sessions from files, from leftovers of an earlier run, and with a schedule script's
/// steps.
#include "core/session/codes.h"
#include "core/session/files/project_file.h"
#include "core/support/errors/codes.h"
#include "core/support/files/input_file.h"
#include "widgets/document/document.h"
#include "widgets/document/selection.h"
#include "widgets/jobs/job_runner.h"

#include <QFileInfo>

namespace nestwright::document {

using support::Result;

struct Document::Opened {
    Result<session::Session> session;
    NestPtr nest{};                             ///< of its current variant
    std::optional<Diagnostic> problem{};        ///< of a script that ran in part
    std::optional<support::FileStamp> onDisk{}; ///< of a session's file

    static Opened of(Result<session::Session> session)
    {
        Opened opened{std::move(session)};
        if (opened.session) {
            const session::Variant &current = opened.session->tree().current();
            opened.nest = makeNest(*current.state);
        }
        return opened;
    }

    static Opened project(const std::string &path)
    {
        const auto project = session::readProjectText(path);
        if (!project)
            return {support::fail(project.error())};
        Opened opened = of(session::readProject(project->text, path));
        opened.onDisk = project->stamp;
        return opened;
    }
};

void Document::open(const QString &pathOrOperator)
{
    const bool isProject = pathOrOperator.endsWith(QLatin1String(session::projectExtension));
    beginOpening(pathOrOperator.startsWith(u"op:") ? pathOrOperator : QFileInfo(pathOrOperator).fileName());
    m_jobs.run(
        QStringLiteral("document"), this,
        [path = pathOrOperator.toStdString(), isProject](const jobs::Job &) {
            return isProject ? Opened::project(path) : Opened::of(session::Session::open(path));
        },
        [this, pathOrOperator, isProject](const std::shared_ptr<const Opened> &opened) {
            if (!opened->session && opened->session.error().code == session::codes::notAKernel && isOpen()) {
                importSchedule(pathOrOperator);
                return;
            }
            endOpening();
            if (!opened->session) {
                Q_EMIT openFailed(opened->session.error());
                startNext();
                return;
            }
            setOrigin({isProject ? QFileInfo(pathOrOperator).absoluteFilePath() : QString(), false,
                       opened->onDisk});
            adopt(*opened->session, opened->nest);
        });
}

void Document::leave()
{
    if (!isOpen() || m_left)
        return;
    Q_EMIT leaving();
    m_left = true;
    setModified(false); // it is kept by who heard it
}

Parked Document::park() const
{
    SessionOrigin origin{m_sessionPath, m_modified, m_onDisk, false, m_kernel};
    return {copy(), nest(), m_selection->all(), std::move(origin), m_written};
}

void Document::resume(const Parked &parked)
{
    setOrigin(parked.origin);
    m_written = parked.written;
    adopt(*parked.session, parked.nest);
    if (!parked.selected.empty())
        m_selection->select(parked.selected);
    startNext();
}

void Document::setOrigin(const SessionOrigin &origin)
{
    if (origin.goesOn) {
        if (origin.modified)
            setModified(true);
        m_kernel = origin.kernel;
        return;
    }
    leave();
    m_kernel = origin.kernel;
    ++m_serial;
    m_sessionPath = origin.path;
    m_onDisk = origin.onDisk;
    m_written = std::make_shared<Stamps>();
    setModified(origin.modified);
}

void Document::openSession(std::function<Result<session::Session>()> make, const SessionOrigin &origin)
{
    openFrom<std::shared_ptr<const Opened>>(
        {},
        [make = std::move(make)]() -> Result<std::shared_ptr<const Opened>> {
            auto session = make();
            if (!session)
                return support::fail(session.error());
            return std::make_shared<const Opened>(Opened::of(std::move(session)));
        },
        [this, origin](const std::shared_ptr<const Opened> &opened) {
            setOrigin(origin);
            adopt(*opened->session, opened->nest);
            startNext();
        });
}

void Document::recover(const QString &autosavedPath, const SessionOrigin &origin)
{
    openFrom<std::shared_ptr<const Opened>>(
        origin.path.isEmpty() ? tr("the session") : QFileInfo(origin.path).fileName(),
        [path = autosavedPath.toStdString()]() -> Result<std::shared_ptr<const Opened>> {
            Opened opened = Opened::project(path);
            if (!opened.session)
                return support::fail(opened.session.error());
            return std::make_shared<const Opened>(std::move(opened));
        },
        [this, origin](const std::shared_ptr<const Opened> &opened) {
            setOrigin(origin);
            adopt(*opened->session, opened->nest);
        });
}

void Document::importSchedule(const QString &path)
{
    m_jobs.run(
        QStringLiteral("document"), this,
        [path, session = session()](const jobs::Job &) mutable {
            const auto text = support::readText(path.toStdString());
            if (!text)
                return Opened{support::fail(text.error()), {}, {}};
            const auto imported = session.importSchedule(*text, path.toStdString());
            Opened opened = Opened::of(std::move(session));
            if (!imported)
                opened.problem = imported.error();
            return opened;
        },
        [this](const std::shared_ptr<const Opened> &opened) {
            endOpening();
            if (!opened->session || opened->problem) { // the open document stays unchanged
                Q_EMIT openFailed(opened->session ? *opened->problem : opened->session.error());
                startNext();
                return;
            }
            goOnWith(*opened->session, opened->nest);
            startNext();
        });
}

void Document::adopt(session::Session session, NestPtr nest)
{
    if (isOpen())
        Q_EMIT aboutToReplace();
    ++m_openedCount;
    m_left = false;
    take(std::move(session), std::move(nest));
    m_selection->hover({});
    m_selection->clear();
    Q_EMIT opened();
    Q_EMIT variantsChanged();
    Q_EMIT problemsChanged();
    Q_EMIT targetChanged();
    Q_EMIT inputsChanged();
    Q_EMIT currentChanged();
}

Document::ProjectText Document::projectText() const
{
    if (ProjectText text = m_project ? m_project() : nullptr)
        return text;
    return [session = session()] { return session::writeProject(session); };
}

void Document::save(const QString &path, Overwrite overwrite)
{
    support::AtomicWrite how;
    if (overwrite == Overwrite::Ask && path == m_sessionPath)
        how.before = m_onDisk;
    m_jobs.run(
        QStringLiteral("save ") + path, this,
        [path = path.toStdString(), how, text = projectText(),
         written = m_written](const jobs::Job &) mutable {
            if (how.before
                && written->contains(path)) // a save may have been at work when this one was asked for
                how.before = written->at(path);
            const std::string bytes = text();
            auto result = support::writeAtomically(path, bytes, how);
            if (result)
                written->insert_or_assign(path, *result);
            else if (const auto there = session::readProjectText(path);
                     there && there->text == bytes && there->stamp)
                written->insert_or_assign(
                    path, *there->stamp); // replaced, but perhaps not for good: it is ours all the same
            return result;
        },
        [this, path, revision = m_revision,
         serial = m_serial](const std::shared_ptr<const Result<support::FileStamp>> &result) {
            if (!*result && result->error().code == support::codes::fileChanged) {
                Q_EMIT changedOnDisk(path);
                return;
            }
            if (!*result) {
                Q_EMIT failed(result->error());
                return;
            }
            if (serial == m_serial) { // else something else is open by now
                m_sessionPath = path;
                m_onDisk = **result;
                if (revision == m_revision)
                    setModified(false);
            }
            Q_EMIT saved(path);
        },
        jobs::Lane::Save);
}

} // namespace nestwright::document
