// SPDX-License-Identifier: Apache-2.0
/// Declares the JSON values of core/support/text/json.h.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace nestwright::support {

template <class T, class Enabled = void> struct ExactNumbers;

/// JSON with members in the order of their names.
using Json = nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t, std::uint64_t,
                                  double, std::allocator, ExactNumbers>;
/// JSON with members in the order in which they were added.
using OrderedJson = nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool, std::int64_t,
                                         std::uint64_t, double, std::allocator, ExactNumbers>;

} // namespace nestwright::support
