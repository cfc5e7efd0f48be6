// SPDX-License-Identifier: Apache-2.0
/// Facts about the machine that kernels run on: for *About this machine*, and for `nestc list machine`.
#pragma once

#include "core/target/target.h"

#include <string>
#include <vector>

namespace nestwright::measure {

struct MachineFact {
    std::string name;    ///< for machines: "sandbox-files"
    std::string title;   ///< for people: "no files (Landlock)"
    std::string value;   ///< "applied"
    std::string group{}; ///< the subject of the title: "Kernels run with"; may be empty
};

/// Processor, threads, caches, the peak where it has been measured, the targets of code, what schedules are
/// made for where code is for `target`, and the sandbox of kernels.
std::vector<MachineFact> machineFacts(const target::Target &target = {});

} // namespace nestwright::measure
