// SPDX-License-Identifier: Apache-2.0
/// The program whose results are right, and where it runs.
#pragma once

#include "core/ir/node/function.h"
#include "core/target/target.h"

namespace nestwright::measure {

struct ReferenceProgram {
    ir::Module module;
    target::Target target;
};

/// `unscheduled` on this processor by LLVM, where that is there: a C compiler takes longer, and a device may
/// be what is wrong. Its loops over threads become loops; where threads meet in them it runs on `target`. Its
/// arithmetic is exact even where its own file allows "fast_math", and all of its memory is given by the
/// runtime, which fills it.
ReferenceProgram referenceProgram(const ir::Module &unscheduled, const target::Target &target);

} // namespace nestwright::measure
