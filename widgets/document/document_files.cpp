// SPDX-License-Identifier: GPL-3.0-or-later
/// Opening and saving: sessions from files, from what an earlier run left behind, and with a schedule script's steps.
#include "core/session/project_file.h"
#include "core/support/input_file.h"
#include "widgets/document/document.h"
#include "widgets/document/selection.h"
#include "widgets/jobs/job_runner.h"

#include <QFileInfo>

namespace nestwright::document {

using support::Result;

struct Document::Opened {
    Result<session::Session> session;
    NestPtr nest{};                      ///< of its current variant
    std::optional<Diagnostic> problem{}; ///< of a script that ran in part

    static Opened of(Result<session::Session> session)
    {
        Opened opened{std::move(session)};
        if (opened.session) {
            const session::Variant &current = opened.session->tree().current();
            opened.nest = makeNest(current.id, *current.state);
        }
        return opened;
    }
};

void Document::open(const QString &pathOrOperator)
{
    setBusy(true);
    const std::string path = pathOrOperator.toStdString();
    m_jobs.run(
        QStringLiteral("document"), this,
        [path](const jobs::Job &) { return Opened::of(session::Session::open(path)); },
        [this, pathOrOperator](const std::shared_ptr<const Opened> &opened) {
            if (!opened->session && opened->session.error().code == "session.not-a-kernel" && isOpen()) {
                importSchedule(pathOrOperator);
                return;
            }
            setBusy(false);
            if (!opened->session) {
                Q_EMIT openFailed(opened->session.error());
                startNext();
                return;
            }
            const bool isProject = pathOrOperator.endsWith(QLatin1String(session::projectExtension));
            m_sessionPath = isProject ? QFileInfo(pathOrOperator).absoluteFilePath() : QString();
            setModified(false);
            adopt(*opened->session, opened->nest);
        });
}

void Document::openSession(std::function<Result<session::Session>()> make, const Belonging &belonging)
{
    openFrom<std::shared_ptr<const Opened>>(
        [make = std::move(make)]() -> Result<std::shared_ptr<const Opened>> {
            auto session = make();
            if (!session)
                return support::fail(session.error());
            return std::make_shared<const Opened>(Opened::of(std::move(session)));
        },
        [this, belonging](const std::shared_ptr<const Opened> &opened) {
            m_sessionPath = belonging.path;
            setModified(belonging.modified);
            adopt(*opened->session, opened->nest);
            startNext();
        });
}

void Document::recover(const QString &autosavedPath)
{
    setBusy(true);
    const std::string path = autosavedPath.toStdString();
    m_jobs.run(
        QStringLiteral("document"), this,
        [path](const jobs::Job &) { return Opened::of(session::loadProject(path)); },
        [this](const std::shared_ptr<const Opened> &opened) {
            setBusy(false);
            if (!opened->session) {
                Q_EMIT openFailed(opened->session.error());
                return;
            }
            m_sessionPath.clear();
            adopt(*opened->session, opened->nest);
            setModified(true);
        });
}

void Document::importSchedule(const QString &path)
{
    m_jobs.run(
        QStringLiteral("document"), this,
        [path, session = *m_session](const jobs::Job &) mutable {
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
            setBusy(false);
            if (!opened->session || opened->problem) { // what was open stays unchanged
                Q_EMIT openFailed(opened->session ? *opened->problem : opened->session.error());
                startNext();
                return;
            }
            m_session = *opened->session;
            setModified(true);
            Q_EMIT variantsChanged();
            show(opened->nest->variant, opened->nest);
            startNext();
        });
}

void Document::adopt(session::Session session, NestPtr nest)
{
    m_session = std::move(session);
    m_nests.clear();
    m_nestOrder.clear();
    m_waiting.clear();
    m_jumpTarget.reset();
    m_problems.clear();
    for (const Diagnostic &note : m_session->notes())
        m_problems.push_back({Problem::Kind::Note, note, {}});
    m_nest = std::move(nest);
    remember(m_nest);
    m_selection->hover({});
    m_selection->clear();
    Q_EMIT opened();
    Q_EMIT variantsChanged();
    Q_EMIT problemsChanged();
    Q_EMIT targetChanged();
    Q_EMIT currentChanged();
}

Document::ProjectText Document::projectText() const
{
    if (ProjectText text = m_project ? m_project() : nullptr)
        return text;
    return [session = *m_session] { return session::writeProject(session); };
}

void Document::save(const QString &path)
{
    m_jobs.run(
        QStringLiteral("save"), this,
        [path = path.toStdString(), text = projectText()](const jobs::Job &) {
            return session::saveProjectText(text(), path);
        },
        [this, path](const std::shared_ptr<const Result<void>> &result) {
            if (!*result) {
                Q_EMIT failed(result->error());
                return;
            }
            m_sessionPath = path;
            setModified(false);
            Q_EMIT saved(path);
        });
}

} // namespace nestwright::document
