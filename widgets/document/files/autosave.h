// SPDX-License-Identifier: GPL-3.0-or-later
/// Keeps the open session on disk while it changes, so that a crash loses at most the step in flight.
#pragma once

#include "widgets/document/document.h"

#include <QDateTime>
#include <QObject>
#include <QString>

#include <memory>
#include <utility>
#include <vector>

class QLockFile;
class QTimer;

namespace nestwright::document {

/// Leftovers of a run of the program: a session with unsaved changes, or the name of a file that was open
/// without any.
struct LeftBehind {
    QString about;   ///< the file that describes it
    QString session; ///< the file that holds it; empty where it had no changes
    QString title;   ///< "matmul.py"
    QString origin;  ///< the file that was opened
    SessionOrigin sessionOrigin;
    QDateTime when;       ///< it was kept last
    bool crashed = false; ///< its program did not end in order

    bool operator==(const LeftBehind &other) const { return about == other.about; }
};

/// The files of a session whose document is parked: nobody else is offered them as long as this is held.
struct KeptSession {
    QString path;
    std::shared_ptr<QLockFile> lock;
};

class Autosave : public QObject {
    Q_OBJECT
public:
    /// Writes into `folder`, which is made if need be.
    Autosave(Document &document, const QString &folder, QObject *parent = nullptr);
    ~Autosave() override;

    /// Leftovers of runs that ended, newest first; sessions restored or discarded here are no longer among
    /// them.
    std::vector<LeftBehind> leftBehind() const;
    static void discard(const LeftBehind &left);
    /// Says that `left` is being opened: it stays on disk until this session is kept too, and nobody else is
    /// offered it.
    void claim(const LeftBehind &left);

    /// The files of the document that was left last; null where it had no unsaved changes.
    std::shared_ptr<KeptSession> takeKept() { return std::exchange(m_kept, nullptr); }
    /// Says that the document being opened was left before: its files are written on. `kept` may be null.
    void resume(std::shared_ptr<KeptSession> kept) { m_resumed = std::move(kept); }

    /// The file or operator that was opened, for the next run.
    void setOrigin(const QString &origin);

    const QString &path() const { return m_path; }
    /// Time of the last write of the session in its present state; invalid where it was not written.
    const QDateTime &lastSaved() const { return m_lastSaved; }
    bool isUpToDate() const;

    /// Writes pending changes, and waits for that and for parked documents (at the end of the program) a
    /// second at most.
    bool flush();
    /// The program ends in order: the files go, unless `keep`.
    void finish(bool keep);

    /// $XDG_STATE_HOME/nestwright/autosave
    static QString defaultFolder();

Q_SIGNALS:
    void savedNow();
    void failed(const QString &message);

private:
    struct Claim;

    void begin();
    void opened();
    void touch();
    void write();
    void keepWhatIsLeft();
    void remove(const QString &job, const QStringList &paths);
    QByteArray description(bool ended) const;

    Document &m_document;
    QString m_folder;
    QString m_path;   ///< of the session
    QString m_origin; ///< of the open document
    std::shared_ptr<QLockFile> m_lock;
    std::shared_ptr<KeptSession> m_kept, m_resumed;
    std::unique_ptr<Claim> m_wanted; ///< is being restored
    std::unique_ptr<Claim> m_claim;  ///< was restored, and is open
    QTimer *m_wait;
    QDateTime m_lastSaved;
    bool m_pending = false;
};

} // namespace nestwright::document
