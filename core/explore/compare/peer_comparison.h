// SPDX-License-Identifier: Apache-2.0
/// A variant beside machine code of others.
#pragma once

#include "core/explore/compare/comparison.h"
#include "core/measure/peers/peer_code.h"

namespace nestwright::explore {

/// Roles of the loops of machine code, by the work of their iterations.
enum class LoopRole : std::uint8_t {
    Products,   ///< multiply and add
    Arithmetic, ///< compute otherwise
    Copies,     ///< read and write memory
    Other
};
LoopRole roleOf(const backend::LoopCode &loop);
/// "multiply-adds", "copies"; empty for Other.
std::string_view roleName(LoopRole role);

/// The loops of machine code as those of a variant: named by their labels, with their roles as kinds, and
/// where it was sampled their shares of the time. Of sampled code the loops that no sample fell into, nor
/// into one within them, are left out.
VariantFacts factsOf(const measure::PeerCode &peer);

/// `first` beside the peer: the loop where each computes most is a pair, those around both in the order of
/// the nests, and the innermost ones left that do the same. Loops of the peer are the StmtIds of its listing.
/// The times of both stand there as far as they are known. Errors: those of `compare`.
support::Result<Comparison> compareWithPeer(const Side &first, const measure::PeerCode &peer,
                                            const target::Target &target, const std::stop_token &stop = {});

} // namespace nestwright::explore
