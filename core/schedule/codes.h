// SPDX-License-Identifier: Apache-2.0
/// Codes of refusals that decide which fixes are tried.
#pragma once

#include <string_view>

namespace nestwright::schedule::codes {

constexpr std::string_view consumerOutside = "schedule.consumer-outside";
constexpr std::string_view factorsTooSmall = "schedule.factors-too-small";
constexpr std::string_view iterKind = "schedule.iter-kind"; ///< axes of the wrong kind
constexpr std::string_view notOutermostFirst = "schedule.not-outermost-first";
constexpr std::string_view outputBlock = "schedule.output-block";
constexpr std::string_view producerOutside = "schedule.producer-outside";
constexpr std::string_view replay = "schedule.replay"; ///< what a replayed step names is not there

} // namespace nestwright::schedule::codes
