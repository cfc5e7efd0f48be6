// SPDX-License-Identifier: GPL-3.0-or-later
/// Keeps the open session on disk while it changes, so that a crash loses at most the step in flight.
#pragma once

#include <QDateTime>
#include <QObject>
#include <QString>

#include <memory>
#include <vector>

class QLockFile;
class QTimer;

namespace nestwright::document {

class Document;

/// A session that a run of the program left behind.
struct LeftBehind {
    QString path;
    QDateTime when;
};

class Autosave : public QObject {
    Q_OBJECT
public:
    /// Writes into `folder`, which is made if need be.
    Autosave(Document &document, const QString &folder, QObject *parent = nullptr);
    ~Autosave() override;

    /// Sessions of runs that ended without finishing, newest first.
    std::vector<LeftBehind> leftBehind() const;
    static void discard(const LeftBehind &left);

    const QString &path() const { return m_path; }
    /// When the session as it is now was written last; invalid where it was not.
    const QDateTime &lastSaved() const { return m_lastSaved; }
    bool isUpToDate() const;

    /// Writes what is not written yet, and waits for it (at the end of the program).
    bool flush();
    /// The program ends in order: the file goes, unless `keep`.
    void finish(bool keep);

    /// $XDG_STATE_HOME/nestwright/autosave
    static QString defaultFolder();

Q_SIGNALS:
    void savedNow();
    void failed(const QString &message);

private:
    void touch();
    void write();

    Document &m_document;
    QString m_folder;
    QString m_path;
    std::unique_ptr<QLockFile> m_lock;
    QTimer *m_wait;
    QDateTime m_lastSaved;
    bool m_pending = false;
};

} // namespace nestwright::document
