// SPDX-License-Identifier: Apache-2.0
/// Names of modules and schedules as people write them: "gemm.py#s2", "K.nest#best", "recipe:gemm:rows=6".
#pragma once

#include "core/session/session.h"

#include <string>
#include <string_view>
#include <utility>

namespace nestwright::workbench {

/// Names the program without steps, in a file with schedules and in a session.
inline constexpr std::string_view unscheduledName = "unscheduled";

/// Begins the name of a schedule that is a recipe.
inline constexpr std::string_view recipePrefix = "recipe:";

/// Whether the module is a session (.nest), or names a kernel of a session on a model, "P.nest#KERNEL", or a
/// variant of either: "K.nest#best", "P.nest#KERNEL#best".
bool isSession(const std::string &module);

/// The session and the name of a variant, which is empty where none is given.
std::pair<std::string, std::string> sessionAndVariant(const std::string &module);

/// The file and the name of one of its schedules, "gemm.py#s2", which is empty where none is given.
std::pair<std::string, std::string> fileAndSchedule(const std::string &module);

/// The name of a variant with this schedule: of the file, or the recipe.
std::string nameOfSchedule(const std::string &schedule);

/// The variant of that name, "unscheduled", or #N. Errors: "open.no-variant", which says that `file` has none
/// of that name; of a variant that was refused, why.
support::Result<session::VariantId> findVariant(const session::VariantTree &tree, std::string_view name,
                                                const std::string &file);

} // namespace nestwright::workbench
