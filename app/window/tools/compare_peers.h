// SPDX-License-Identifier: GPL-3.0-or-later
/// Others that a variant is compared with, as entries of a list of sides, and the choice of a file.
#pragma once

#include "core/measure/peers/peer_code.h"

#include <QString>
#include <QVariant>

#include <functional>
#include <memory>
#include <optional>
#include <variant>

class QComboBox;
class QWidget;

namespace nestwright::document {
class CommandRegistry;
class Document;
} // namespace nestwright::document
namespace nestwright::jobs {
class JobRunner;
}

namespace nestwright::app {

/// A library at work, or a file.
using PeerChoice = std::variant<measure::PeerLibrary, measure::PeerFile>;

/// The entry's data, to find it again.
QVariant peerData(const PeerChoice &peer);
/// Nothing where the data is of a variant.
std::optional<PeerChoice> peerOf(const QVariant &data);

/// Adds peers after the variants: the libraries that have a function for the open kernel, and `file`.
void addPeers(QComboBox &sides, const document::Document &document,
              const std::optional<measure::PeerFile> &file);

using PeerResult = support::Result<std::shared_ptr<const measure::PeerCode>>;
/// Takes seconds: in a job. `kernel`: that the library is to compute. Errors: those of measure::codeOfFile
/// and measure::codeOfLibrary.
PeerResult readPeer(const PeerChoice &peer, const std::optional<analysis::LibraryKernel> &kernel,
                    const target::Target &target, bool isTimed, const std::stop_token &stop);

/// Asks for a file and, where it has several functions, for one of them. `chosen` is called with both, unless
/// a person gives up; `failed` with what is wrong with the file. Functions are read by a job.
void choosePeerFile(document::Document &document, QWidget *parent,
                    const std::function<void(const measure::PeerFile &)> &chosen,
                    const std::function<void(const support::Diagnostic &)> &failed);

/// "Compare with a file…", "Compare with OpenBLAS", "… oneDNN"; nothing is handed over for a file that is
/// still to be chosen.
void addPeerCommands(document::CommandRegistry &commands, const document::Document &document,
                     const std::function<void(std::optional<measure::PeerLibrary>)> &compare);

} // namespace nestwright::app
