// SPDX-License-Identifier: GPL-3.0-or-later
/// Converts the comparison of two variants for its window.
#pragma once

#include "core/backend/backend.h"
#include "core/explore/compare/peer_comparison.h"
#include "core/session/history/variant_tree.h"
#include "widgets/code/difference.h"
#include "widgets/document/nest.h"

#include <memory>
#include <optional>
#include <stop_token>

namespace nestwright::app {

/// "#3 split(i, [None, 4])", or the name that a person gave: "#3 tiled".
QString titleOf(const session::Variant &variant);
/// The name that sentences tell it by: that of a person, or "#3".
std::string shortNameOf(const session::Variant &variant);

/// The variant, which must be ok, with the programs on the way to it.
explore::Side sideOf(const session::VariantTree &tree, session::VariantId variant);
/// Time of the variant on the tree's target, where it was measured.
std::optional<double> secondsOf(const session::VariantTree &tree, session::VariantId variant);

/// Two variants compared, with the pictures of their loops; or a variant and a peer.
struct ComparisonPage {
    explore::Comparison comparison;
    document::NestPtr first, second;                 ///< no second of a peer
    std::shared_ptr<const measure::PeerCode> peer{}; ///< null where both are variants
};
using ComparisonPtr = std::shared_ptr<const support::Result<ComparisonPage>>;

/// Runs explore::compare for the page.
support::Result<ComparisonPage> compareVariants(const explore::Side &first, const explore::Side &second,
                                                const target::Target &target, const std::stop_token &stop);

/// A variant and the code of others. Errors: those of explore::compareWithPeer.
support::Result<ComparisonPage> compareWithPeer(const explore::Side &first,
                                                std::shared_ptr<const measure::PeerCode> peer,
                                                const target::Target &target, const std::stop_token &stop);

/// Both programs (no kind), or what they become, loop beside loop, runs of equal lines cut short. A peer has
/// assembly alone, which stands for all kinds. Errors: those of backend::source.
support::Result<code::Difference> alignedSources(const ComparisonPage &page,
                                                 std::optional<backend::SourceKind> kind,
                                                 const target::Target &target, const std::stop_token &stop);

} // namespace nestwright::app
