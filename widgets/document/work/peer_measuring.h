// SPDX-License-Identifier: GPL-3.0-or-later
/// Times a function of a tuned library that computes the open kernel, in a process of its own: nestc peer.
#pragma once

#include "core/measure/peers/peer.h"
#include "widgets/document/work/nestc_process.h"

#include <QString>

#include <map>
#include <memory>
#include <optional>

namespace nestwright::support {
class TemporaryFolder;
}

namespace nestwright::document {

class Document;
class Measuring;

/// The kernel that libraries have a function for; nothing where the open one is none.
std::optional<analysis::LibraryKernel> libraryKernelOf(const Document &document);

/// Begins by itself once a variant of such a kernel was measured and the machine is free again; gives way to
/// measurements that a person asks for. A library timed on a busy machine is timed again after the next
/// measurement.
class PeerMeasuring : public QObject {
    Q_OBJECT
public:
    PeerMeasuring(Document &document, const Measuring &measuring, QObject *parent = nullptr);
    ~PeerMeasuring() override;

    /// The time for the open kernel on its target; none where no library has it, or it is not known yet.
    std::optional<measure::PeerTime> time() const;
    bool isRunning() const { return m_process.isRunning(); }

Q_SIGNALS:
    void changed();

private:
    void startIfWanted();
    /// Names the subject of the timing: sizes, type and threads. Empty where there is nothing to time.
    QString key() const;

    Document &m_document;
    const Measuring &m_measuring;
    std::unique_ptr<support::TemporaryFolder> m_folder; ///< of the program that nestc reads
    NestcProcess m_process{"measure.peer"};
    QString m_running;                                           ///< its key
    std::map<QString, std::optional<measure::PeerTime>> m_times; ///< nothing: it was tried in vain
};

} // namespace nestwright::document
