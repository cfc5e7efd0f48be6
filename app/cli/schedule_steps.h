// SPDX-License-Identifier: Apache-2.0
/// Schedules that are named once and made on several programs.
#pragma once

#include "core/session/transfer.h"

#include <string>

namespace nestwright::cli {

/// The steps of a schedule that is named as runSchedule takes it. Errors: those of reading its file; that a
/// step is not legal shows on each program.
support::Result<session::TransferSchedule> namedSchedule(const std::string &schedule);

} // namespace nestwright::cli
