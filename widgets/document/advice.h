// SPDX-License-Identifier: GPL-3.0-or-later
/// One thing about a program that costs time, with the step that mends it.
#pragma once

#include "core/lower/target.h"
#include "core/schedule/step.h"
#include "widgets/document/nest.h"

#include <optional>
#include <stop_token>
#include <string_view>

namespace nestwright::document {

struct Advice {
    QString title;  ///< "Only one of 2 threads works"
    QString action; ///< "Run i_0 in parallel"
    schedule::Step step;
};

/// The first of these that applies to the block with the most iterations and has a legal remedy: a reduction is the
/// innermost loop; the innermost loop could be a vector; nothing runs in parallel. The first two are judged from the machine code
/// as well, where the target has some here: a compiler may have made vectors of plain loops. `threads` of parallel loops.
std::optional<Advice> adviceFor(const Nest &nest, const lower::Target &target, int threads,
                                const std::stop_token &stop);

/// Whether an instruction in assembly computes several numbers at once: "vfmadd231ps %ymm0, …", "fmla v0.4s, …". Moves do not
/// count.
bool computesSeveral(std::string_view line);

} // namespace nestwright::document
