// SPDX-License-Identifier: Apache-2.0
/// Programs with extents near what 32 bits count: too large to run, so that schedules of them are checked
/// point by point.
#pragma once

#include "core/ir/node/function.h"
#include "tests/support/random.h"

#include <optional>
#include <string>

namespace nestwright::tests {

/// A TVMScript function of one or two blocks, element by element or a sum, over extents from 1 to 2^31 - 1.
std::string largeProgram(Random &random);

/// Where an index, a bound or the value of an iteration variable is more than its type holds, or lies outside
/// of its buffer or domain, at some of the points at the ends of the loops and between them; or where an
/// extent is not positive, or loops make fewer iterations than the variables of a block have values
/// (`isWhole`: no step has moved a block). Nothing where none is found.
std::optional<std::string> whyWraps(const ir::PrimFunc &function, Random &random, bool isWhole);

} // namespace nestwright::tests
