// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/model.h"

#include "core/frontend/codes.h"
#include "core/session/codes.h"
#include "core/session/files/project_file.h"
#include "core/support/errors/stop.h"
#include "core/support/phase.h"
#include "widgets/jobs/job_runner.h"

#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace nestwright::document {

namespace {

/// The hash of a file's bytes; empty where it cannot be read.
std::string hashOf(const QString &path)
{
    QFile file(path);
    QCryptographicHash hash(QCryptographicHash::Sha256);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    constexpr qint64 part = 1 << 20;
    for (QByteArray bytes = file.read(part); !bytes.isEmpty(); bytes = file.read(part)) {
        support::checkStop();
        hash.addData(bytes);
    }
    if (!file.atEnd())
        return {};
    return hash.result().toHex().toStdString();
}

} // namespace

Model::Model(Document &document, QObject *parent) : QObject(parent), m_document(document)
{
    connect(&m_document, &Document::opened, this, &Model::documentOpened);
    connect(&m_document, &Document::aboutToReplace, this, &Model::keepSession);
    m_document.setProject([this]() -> Document::ProjectText {
        if (m_kernel < 0)
            return {};
        return [work = work()] { return session::writeModelProject(work); };
    });
}

int Model::kernelOf(graph::NodeId node) const
{
    const graph::Program &program = m_model->program;
    for (const graph::ProgramStep &step : program.steps) {
        if (program.function.at(step.node).id == node)
            return step.kernel;
    }
    return -1;
}

/// A session on a model, or a model alone, and the file that it is of.
struct Model::Loaded {
    session::ModelWork work;
    SessionOrigin origin;

    static support::Result<Loaded> project(const QString &path)
    {
        const std::string file = path.toStdString();
        const auto project = session::readProjectText(file);
        if (!project)
            return support::fail(project.error());
        auto work = session::readModelProject(project->text, file);
        if (!work)
            return support::fail(work.error());
        return Loaded{std::move(*work), {path, false, project->stamp}};
    }
};

struct Model::Opened {
    support::Result<std::shared_ptr<const session::Model>> model; ///< the only error is that of open sizes
    QString path;                                                 ///< of the model
    std::string hash;                                             ///< empty where it is not known yet
    std::optional<session::Reapplied> reapplied;                  ///< of a session
    std::string kernel;
    bool changed = false; ///< since the session was saved
    SessionOrigin origin;
    frontend::Sizes proposed{}; ///< for open sizes
    std::vector<session::ModelTimes> times{};
};

void Model::open(const QString &path, const frontend::ModelSettings &settings)
{
    const std::string file = path.toStdString();
    const QString name = QFileInfo(path).fileName();
    if (session::isModelProject(file)) {
        openWith(name, [path] { return Loaded::project(path); });
        return;
    }
    openWith(name, [file, settings] {
        Loaded loaded;
        loaded.work.modelPath = file;
        loaded.work.settings = settings;
        return support::Result<Loaded>(std::move(loaded));
    });
}

void Model::reopen(const frontend::ModelSettings &settings)
{
    Loaded again{work(), {.path = {}, .modified = true, .goesOn = true}};
    again.work.settings = settings;
    openWith(QString::fromStdString(m_model->name), [again] { return support::Result<Loaded>(again); });
}

void Model::recover(const QString &autosavedPath, const SessionOrigin &origin)
{
    openWith(origin.path.isEmpty() ? tr("the session") : QFileInfo(origin.path).fileName(),
             [autosavedPath, origin] {
                 auto loaded = Loaded::project(autosavedPath);
                 if (loaded)
                     loaded->origin = origin;
                 return loaded;
             });
}

void Model::openWith(const QString &name, const std::function<support::Result<Loaded>()> &load)
{
    m_document.openFrom<Opened>(
        name,
        [load]() -> support::Result<Opened> {
            const auto loaded = load();
            if (!loaded)
                return support::fail(loaded.error());
            const session::ModelWork *work = &loaded->work;
            const QString path = QString::fromStdString(work->modelPath);
            const bool isSession = !work->kernel.empty() || !work->sessions.empty();
            auto model =
                isSession ? session::openModelOf(*work) : session::openModel(work->modelPath, work->settings);
            if (!model && model.error().code == frontend::codes::openSizes)
                return Opened{support::fail(model.error()),
                              path,
                              {},
                              {},
                              {},
                              false,
                              {},
                              frontend::suggestedSizes(work->modelPath)};
            if (!model)
                return support::fail(model.error());
            Opened opened{std::make_shared<const session::Model>(std::move(*model)),
                          path,
                          {},
                          {},
                          work->kernel,
                          false,
                          loaded->origin};
            if (isSession) {
                support::tellPhase("comparing with the saved model");
                opened.hash = hashOf(path);
                opened.changed = !work->modelHash.empty() && opened.hash != work->modelHash;
                opened.times = work->times;
                opened.reapplied = session::reapply(work->sessions, (*opened.model)->program);
            }
            return opened;
        },
        [this](const Opened &opened) {
            if (opened.model) {
                adopt(opened);
                return;
            }
            QStringList names;
            for (const support::Location &location : opened.model.error().locations)
                names << QString::fromStdString(location.label);
            Q_EMIT sizesNeeded(opened.path, names, opened.proposed);
        });
}

void Model::adopt(const Opened &opened)
{
    if (!opened.origin.goesOn)
        m_document.leave(); // while its text can still be had
    m_model = *opened.model;
    m_hash = opened.hash;
    m_sessions.clear();
    m_left.clear();
    m_times = opened.times;
    if (opened.reapplied) {
        m_sessions = opened.reapplied->sessions;
        m_left = opened.reapplied->left;
    }
    if (m_hash.empty()) {
        m_document.jobs().run(
            QStringLiteral("model hash"), this,
            [path = opened.path](const jobs::Job &) { return hashOf(path); },
            [this](const std::shared_ptr<const std::string> &hash) { m_hash = *hash; });
    }
    m_kernel = -1;
    const std::vector<graph::Kernel> &kernels = m_model->program.kernels;
    std::size_t chosen = 0;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const auto whole = [&](std::size_t k) {
            return m_model->flops[k] * static_cast<double>(kernels[k].nodes.size());
        };
        if (whole(i) > whole(chosen))
            chosen = i;
    }
    const auto before = std::ranges::find(kernels, opened.kernel, &graph::Kernel::name);
    if (before != kernels.end())
        chosen = static_cast<std::size_t>(before - kernels.begin());
    m_isChanged = opened.changed || !m_left.empty();
    Q_EMIT this->opened();
    if (!kernels.empty())
        startKernel(static_cast<int>(chosen), opened.origin);
}

std::optional<ParkedModel> Model::park() const
{
    if (!m_model || m_kernel < 0)
        return {};
    return ParkedModel{m_model, m_hash, m_sessions, m_left, m_times};
}

void Model::resume(const ParkedModel &parked, const Parked &document)
{
    m_document.leave(); // while its text can still be had
    m_model = parked.model;
    m_hash = parked.hash;
    m_sessions = parked.sessions;
    m_left = parked.left;
    m_times = parked.times;
    m_isChanged = false;
    m_kernel = -1;
    Q_EMIT opened();
    m_document.resume(document);
}

void Model::openKernel(int kernel)
{
    if (kernel == m_kernel || kernel < 0)
        return;
    startKernel(kernel, {.path = {}, .goesOn = true});
}

void Model::startKernel(int kernel, SessionOrigin origin)
{
    origin.kernel = kernel;
    std::shared_ptr<const session::Session> known;
    if (const auto before = m_sessions.find(kernel); before != m_sessions.end())
        known = std::make_shared<const session::Session>(before->second);
    m_document.openSession(
        [model = m_model, kernel, known]() -> support::Result<session::Session> {
            auto session =
                known ? support::Result<session::Session>(*known) : session::beginKernel(*model, kernel);
            if (const auto note = session ? session::madeElsewhere(model->settings) : std::nullopt)
                session->addNote(*note);
            return session;
        },
        origin);
}

session::ModelWork Model::work() const
{
    session::ModelWork work{m_model->path, m_hash, m_model->settings, m_left, {}, m_times};
    eachSession([&](const std::string &kernel, const session::Session &session) {
        work.sessions.insert_or_assign(kernel, session);
    });
    work.kernel = m_model->program.kernels[static_cast<std::size_t>(m_kernel)].name;
    return work;
}

void Model::eachSession(const std::function<void(const std::string &, const session::Session &)> &visit) const
{
    const auto nameOf = [&](int kernel) {
        return m_model->program.kernels[static_cast<std::size_t>(kernel)].name;
    };
    for (const auto &[kernel, session] : m_sessions) {
        if (kernel != m_kernel)
            visit(nameOf(kernel), session);
    }
    if (m_kernel >= 0 && m_document.isOpen())
        visit(nameOf(m_kernel), m_document.session());
}

std::map<std::string, std::string> Model::schedules() const
{
    std::map<std::string, std::string> scripts;
    eachSession([&](const std::string &kernel, const session::Session &session) {
        if (auto script = session.exportSchedule(session.tree().current().id))
            scripts[kernel] = std::move(*script);
    });
    return scripts;
}

graph::Schedules Model::states() const
{
    graph::Schedules states;
    eachSession([&](const std::string &kernel, const session::Session &session) {
        states.insert_or_assign(kernel, *session.tree().current().state);
    });
    return states;
}

std::map<int, session::Session> Model::sessions() const
{
    std::map<int, session::Session> all = m_sessions;
    if (m_kernel >= 0 && m_document.isOpen())
        all.insert_or_assign(m_kernel, m_document.session());
    return all;
}

void Model::replaceSessions(const std::map<int, session::Session> &sessions)
{
    for (const auto &[kernel, session] : sessions) {
        if (kernel != m_kernel)
            m_sessions.insert_or_assign(kernel, session);
    }
    if (!sessions.empty())
        m_document.markModified();
}

void Model::keepTimes(session::ModelTimes times)
{
    session::keep(m_times, std::move(times));
    m_document.markModified();
}

/// The session of the document's kernel until now, with steps made while the next one was being opened.
void Model::keepSession()
{
    if (m_model && m_kernel >= 0)
        m_sessions.insert_or_assign(m_kernel, *m_document.copy());
}

void Model::documentOpened()
{
    const std::optional<int> kernel = m_document.kernelOfModel();
    if (!kernel) {
        if (m_model) { // something else was opened in its place
            m_model.reset();
            m_sessions.clear();
            m_left.clear();
            m_times.clear();
            m_kernel = -1;
            Q_EMIT opened();
        }
        return;
    }
    const bool isFirst = m_kernel < 0;
    m_kernel = *kernel;
    Q_EMIT kernelChanged(isFirst);
    if (!isFirst || !m_isChanged)
        return;
    QStringList left;
    for (const auto &[name, session] : m_left)
        left << QString::fromStdString(name);
    Q_EMIT reapplied(static_cast<int>(m_sessions.size()), left);
}

} // namespace nestwright::document
