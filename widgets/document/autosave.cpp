// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/autosave.h"

#include "core/session/project_file.h"
#include "widgets/document/document.h"
#include "widgets/jobs/job_runner.h"

#include <QCoreApplication>
#include <QDir>
#include <QLockFile>
#include <QTimer>

#include <algorithm>

namespace nestwright::document {

namespace {
constexpr int waitMs = 250;

QString lockOf(QString session)
{
    session.chop(static_cast<int>(session::projectExtension.size()));
    return session + QStringLiteral(".lock");
}
} // namespace

Autosave::Autosave(Document &document, const QString &folder, QObject *parent)
    : QObject(parent)
    , m_document(document)
    , m_folder(folder)
    , m_wait(new QTimer(this))
{
    QDir().mkpath(folder);
    const QString stem = QStringLiteral("%1/session-%2-%3")
                             .arg(folder)
                             .arg(QDateTime::currentMSecsSinceEpoch())
                             .arg(QCoreApplication::applicationPid());
    m_path = stem + QLatin1String(session::projectExtension);
    m_lock = std::make_unique<QLockFile>(stem + QStringLiteral(".lock"));
    m_lock->setStaleLockTime(0);
    m_lock->tryLock();
    m_wait->setSingleShot(true);
    m_wait->setInterval(waitMs);
    connect(m_wait, &QTimer::timeout, this, &Autosave::write);
    connect(&document, &Document::opened, this, [this] {
        if (m_document.isModified()) // it is part of what was open before, and goes on
            return;
        m_pending = false;
        m_wait->stop();
        m_lastSaved = {};
        QFile::remove(m_path); // it was of another session, which was saved or given up
    });
    for (const auto signal :
         {&Document::variantsChanged, &Document::currentChanged, &Document::targetChanged})
        connect(&document, signal, this, &Autosave::touch);
    connect(&document, &Document::measurementChanged, this, &Autosave::touch);
}

Autosave::~Autosave() = default;

QString Autosave::defaultFolder()
{
    QString state = qEnvironmentVariable("XDG_STATE_HOME");
    if (state.isEmpty())
        state = QDir::homePath() + QStringLiteral("/.local/state");
    return state + QStringLiteral("/nestwright/autosave");
}

std::vector<LeftBehind> Autosave::leftBehind() const
{
    std::vector<LeftBehind> found;
    const QDir folder(m_folder);
    for (const QFileInfo &file :
         folder.entryInfoList({QStringLiteral("session-*.nest")}, QDir::Files, QDir::Time)) {
        const QString path = file.absoluteFilePath();
        if (path == QFileInfo(m_path).absoluteFilePath())
            continue;
        QLockFile lock(lockOf(path));
        lock.setStaleLockTime(0);
        if (lock.tryLock(0)) // else its program still runs
            found.push_back({path, file.lastModified()});
    }
    return found;
}

void Autosave::discard(const LeftBehind &left)
{
    QFile::remove(left.path);
    QFile::remove(lockOf(left.path));
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
    if (!m_document.isOpen())
        return;
    m_pending = false;
    m_document.jobs().run(
        QStringLiteral("autosave"), this,
        [text = m_document.projectText(), path = m_path.toStdString()](const jobs::Job &) {
            return session::saveProjectText(text(), path);
        },
        [this](const std::shared_ptr<const support::Result<void>> &result) {
            if (!*result) {
                Q_EMIT failed(sentence(result->error().message));
                return;
            }
            m_lastSaved = QDateTime::currentDateTime();
            Q_EMIT savedNow();
        });
}

bool Autosave::flush()
{
    m_wait->stop();
    if (!m_document.isOpen() || !m_document.isModified())
        return true;
    m_document.jobs().cancel(QStringLiteral("autosave"));
    const auto result = session::saveProjectText(m_document.projectText()(), m_path.toStdString());
    if (result)
        m_lastSaved = QDateTime::currentDateTime();
    m_pending = !result;
    return result.has_value();
}

void Autosave::finish(bool keep)
{
    m_wait->stop();
    if (!keep)
        QFile::remove(m_path);
    m_lock->unlock();
}

} // namespace nestwright::document
