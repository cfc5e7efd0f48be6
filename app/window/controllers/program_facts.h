// SPDX-License-Identifier: GPL-3.0-or-later
/// Version and libraries of this program, for *About Nestwright* and reports of crashes.
#pragma once

#include "core/measure/machine/machine_facts.h"

#include <string>

namespace nestwright::app {

/// Program, Qt, compilers, system.
std::vector<measure::MachineFact> programFacts();

/// A line "title: value" for each, below the titles of groups.
std::string factsText(const std::vector<measure::MachineFact> &facts);

} // namespace nestwright::app
