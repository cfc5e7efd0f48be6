// SPDX-License-Identifier: Apache-2.0
/// `nestc verify --seal`: whether a scheduled program equals the unscheduled one for every input.
#pragma once

#include "app/cli/input.h"

#include <map>
#include <optional>

namespace nestwright::cli {

struct SealCheck {
    const CommonOptions &common;
    std::map<std::string, std::int64_t> sizes;
    std::uint64_t seed = 1;
    std::optional<std::int64_t> extent{}; ///< the largest along a buffer or loop; 0: any
    bool asJson = false;
};

/// Prints the answer; the exit status is `No` where the programs differ.
int sealCheck(const SealCheck &check);

} // namespace nestwright::cli
