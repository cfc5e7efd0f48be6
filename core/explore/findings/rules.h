// SPDX-License-Identifier: Apache-2.0
/// Rules of findings: how a fault shows, and what may mend it.
#pragma once

#include "core/explore/findings/variations.h"

#include <optional>
#include <vector>

namespace nestwright::explore {

/// A fault as it shows in a schedule.
struct Symptom {
    std::string block; ///< name of the block concerned
    StmtId at;         ///< loop or block
    std::string title;
    /// Ratio of the schedule's time to its prediction: the prediction does not know of the
    /// fault. 1: it does.
    double cost = 1;
};

struct FaultRule {
    Fault fault;
    std::string_view name, explanation;
    /// The worst that there is.
    std::optional<Symptom> (*find)(const Scene &scene);
    /// Schedules that may be without it; they are judged afterwards.
    std::vector<Variation> (*remedies)(const Scene &scene, const Symptom &symptom);
    bool readsCode = false; ///< looks into the machine code
};

/// Rules for processors.
std::vector<FaultRule> vectorRules();
std::vector<FaultRule> threadRules();
std::vector<FaultRule> registerRules();
std::vector<FaultRule> spillRules();
std::vector<FaultRule> stageRules();

/// Blocks that do less than this share of the work are not looked at.
inline constexpr double leastShare = 0.1;

} // namespace nestwright::explore
