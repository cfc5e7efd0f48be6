// SPDX-License-Identifier: GPL-3.0-or-later
/// One thing about a program that costs time, with the step that mends it.
#pragma once

#include "core/schedule/step.h"
#include "widgets/document/nest.h"

#include <optional>
#include <stop_token>

namespace nestwright::document {

struct Advice {
    QString title;  ///< "Only one of 2 threads works"
    QString action; ///< "Run i_0 in parallel"
    schedule::Step step;
};

/// The first of these that applies to the block with the most iterations and has a legal remedy: a reduction is the
/// innermost loop; the innermost loop could be a vector; nothing runs in parallel.
std::optional<Advice> adviceFor(const Nest &nest, int threads, const std::stop_token &stop);

} // namespace nestwright::document
