// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/files/autosave.h"

#include "core/session/files/project_file.h"
#include "core/support/host.h"
#include "widgets/document/files/left_behind.h"
#include "widgets/document/text.h"
#include "widgets/jobs/job_runner.h"

#include <QCoreApplication>
#include <QDir>
#include <QLockFile>
#include <QTimer>

#include <algorithm>
#include <chrono>
#include <future>

namespace nestwright::document {

using support::FileStamp;
using support::Result;

namespace {

constexpr int waitMs = 250;
constexpr std::chrono::milliseconds flushWait{650}; // of a program that is being closed
const QString autosaveJob = QStringLiteral("autosave");

/// The description first: a session without one has no name.
Result<FileStamp> writeFiles(const std::string &session, const std::string &text, const QByteArray &about)
{
    auto written = support::writeAtomically(aboutOf(QString::fromStdString(session)).toStdString(),
                                            about.toStdString(), {.durable = false});
    return written ? support::writeAtomically(session, text) : written;
}

} // namespace

/// A session being restored, with the lock that keeps it from others.
struct Autosave::Claim {
    LeftBehind left;
    std::unique_ptr<QLockFile> lock;
};

Autosave::Autosave(Document &document, const QString &folder, QObject *parent)
    : QObject(parent)
    , m_document(document)
    , m_folder(folder)
    , m_wait(new QTimer(this))
{
    QDir().mkpath(folder);
    begin();
    m_wait->setSingleShot(true);
    m_wait->setInterval(waitMs);
    connect(m_wait, &QTimer::timeout, this, &Autosave::write);
    connect(&document, &Document::opened, this, &Autosave::opened);
    connect(&document, &Document::openFailed, this, [this] { m_wanted.reset(); });
    connect(&document, &Document::workCancelled, this, [this] { m_wanted.reset(); });
    connect(&document, &Document::leaving, this, &Autosave::keepWhatIsLeft);
    connect(&document, &Document::saved, this, [this] {
        if (!m_document.isModified())
            remove(autosaveJob, {m_path});
    });
    for (const auto signal : {&Document::variantsChanged, &Document::currentChanged, &Document::targetChanged,
                              &Document::inputsChanged})
        connect(&document, signal, this, &Autosave::touch);
    connect(&document, &Document::measurementChanged, this, &Autosave::touch);
}

Autosave::~Autosave() = default;

/// Begins files of its own for the document that is open from now on.
void Autosave::begin()
{
    static int count = 0; // several may begin within a millisecond
    m_path = QStringLiteral("%1/session-%2-%3-%4")
                 .arg(m_folder)
                 .arg(QDateTime::currentMSecsSinceEpoch())
                 .arg(QCoreApplication::applicationPid())
                 .arg(++count)
             + QLatin1String(session::projectExtension);
    m_lock = std::make_shared<QLockFile>(lockOf(m_path));
    m_lock->setStaleLockTime(0);
    m_lock->tryLock();
    m_pending = false;
    m_lastSaved = {};
}

void Autosave::opened()
{
    if (m_wanted)
        m_claim = std::move(m_wanted);
    if (m_resumed) {
        // Those of the document that was left: what it had unsaved is kept elsewhere, and nobody is to think
        // that it ended by a crash.
        remove(autosaveJob + u' ' + m_path, {m_path, aboutOf(m_path)});
        m_path = m_resumed->path;
        m_lock = m_resumed->lock;
        m_resumed.reset();
    }
    if (m_document.isModified()) { // restored, or part of the document before, which goes on
        touch();
        return;
    }
    m_wait->stop();
    m_pending = false;
    m_lastSaved = {};
    m_claim.reset();
    remove(autosaveJob, {m_path});
}

void Autosave::setOrigin(const QString &origin)
{
    m_origin = origin;
    if (!m_document.isOpen())
        return;
    m_document.jobs().run(
        QStringLiteral("autosave about"), this,
        [path = aboutOf(m_path).toStdString(), about = description(false).toStdString()](const jobs::Job &) {
            return support::writeAtomically(path, about, {.durable = false}).has_value();
        },
        [](const std::shared_ptr<const bool> &) {}, jobs::Lane::Autosave);
}

QByteArray Autosave::description(bool ended) const
{
    LeftBehind left;
    left.title = m_document.title();
    left.origin = m_origin;
    left.sessionOrigin.path = m_document.sessionPath();
    left.sessionOrigin.onDisk = m_document.onDisk();
    left.crashed = !ended;
    return describe(left);
}

QString Autosave::defaultFolder()
{
    const std::filesystem::path state = support::stateFolder();
    return (state.empty() ? QDir::tempPath() : QString::fromStdString(state.string()))
           + QStringLiteral("/autosave");
}

std::vector<LeftBehind> Autosave::leftBehind() const
{
    std::vector<LeftBehind> found = leftBehindIn(m_folder);
    std::erase_if(found, [&](const LeftBehind &left) {
        return left.about == aboutOf(m_path) || (m_claim && left == m_claim->left)
               || (m_wanted && left == m_wanted->left);
    });
    return found;
}

void Autosave::discard(const LeftBehind &left)
{
    QFile::remove(left.session);
    QFile::remove(left.about);
    QFile::remove(lockOf(left.about));
}

void Autosave::claim(const LeftBehind &left)
{
    m_wanted = std::make_unique<Claim>(Claim{left, std::make_unique<QLockFile>(lockOf(left.about))});
    m_wanted->lock->setStaleLockTime(0);
    m_wanted->lock->tryLock();
}

bool Autosave::isUpToDate() const { return !m_pending && m_lastSaved.isValid(); }

void Autosave::touch()
{
    if (!m_document.isOpen() || !m_document.isModified())
        return;
    m_pending = true;
    if (!m_wait->isActive())
        m_wait->start();
}

void Autosave::write()
{
    if (!m_document.isOpen() || !m_document.isModified())
        return;
    m_pending = false;
    m_document.jobs().run(
        autosaveJob, this,
        [text = m_document.projectText(), path = m_path.toStdString(),
         about = description(false)](const jobs::Job &) { return writeFiles(path, text(), about); },
        [this, path = m_path](const std::shared_ptr<const Result<FileStamp>> &result) {
            if (path != m_path) // something else is open by now
                return;
            if (!*result) {
                m_pending = true;
                Q_EMIT failed(sentence(result->error().message));
                return;
            }
            m_lastSaved = QDateTime::currentDateTime();
            if (m_claim) { // it is kept here now
                m_claim->lock->unlock();
                discard(m_claim->left);
                m_claim.reset();
            }
            Q_EMIT savedNow();
        },
        jobs::Lane::Autosave);
}

/// The session that gives way to another stays on disk, for the next start to offer.
void Autosave::keepWhatIsLeft()
{
    m_wait->stop();
    m_kept.reset();
    if (!m_document.isModified())
        return;
    m_kept = std::make_shared<KeptSession>(m_path, m_lock);
    m_document.jobs().run(
        autosaveJob + u' ' + m_path, this,
        [text = m_document.projectText(), path = m_path.toStdString(), about = description(true),
         lock = m_lock](const jobs::Job &) { return writeFiles(path, text(), about); },
        [this, path = m_path, claim = std::shared_ptr<Claim>(std::move(m_claim))](
            const std::shared_ptr<const Result<FileStamp>> &result) {
            if (m_kept && m_kept->path == path) // nobody has taken it
                m_kept.reset();
            if (!*result)
                Q_EMIT failed(sentence(result->error().message));
            else if (claim) {
                claim->lock->unlock();
                discard(claim->left);
            }
        },
        jobs::Lane::Autosave);
    begin();
}

/// Removes files after pending writes; a pending write of `job` that has not begun is not made.
void Autosave::remove(const QString &job, const QStringList &paths)
{
    m_document.jobs().run(
        job, this,
        [paths, lock = m_lock](const jobs::Job &) {
            for (const QString &path : paths)
                QFile::remove(path);
            return true;
        },
        [](const std::shared_ptr<const bool> &) {}, jobs::Lane::Autosave);
}

bool Autosave::flush()
{
    m_wait->stop();
    const bool writes = m_document.isOpen() && m_document.isModified();
    auto done = std::make_shared<std::promise<bool>>();
    std::future<bool> written = done->get_future();
    m_document.jobs().run(
        autosaveJob, this,
        [text = writes ? m_document.projectText() : nullptr, path = m_path.toStdString(),
         about = description(true), done](const jobs::Job &) {
            // Parked documents are written before, by the same thread.
            const bool isWritten = !text || writeFiles(path, text(), about).has_value();
            done->set_value(isWritten);
            return isWritten;
        },
        [](const std::shared_ptr<const bool> &) {}, jobs::Lane::Autosave);
    done.reset(); // if the job fails altogether its promise is broken
    if (written.wait_for(flushWait) != std::future_status::ready)
        return false;
    try {
        m_pending = !written.get();
    } catch (const std::future_error &) {
        m_pending = true;
    }
    if (!m_pending && writes)
        m_lastSaved = QDateTime::currentDateTime();
    return !m_pending;
}

void Autosave::finish(bool keep)
{
    m_wait->stop();
    if (!keep) {
        QFile::remove(m_path);
        QFile::remove(aboutOf(m_path));
    }
    m_lock->unlock();
}

} // namespace nestwright::document
