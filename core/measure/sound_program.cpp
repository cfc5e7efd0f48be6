// SPDX-License-Identifier: Apache-2.0
#include "core/measure/sound_program.h"

#include "core/analysis/parallel_conflicts.h"
#include "core/analysis/unwritten.h"

namespace nestwright::measure {

support::Result<void> requireSound(const ir::Module &module, const std::string &function)
{
    const ir::Function found = module.find(function);
    if (!found)
        return {};
    if (auto conflict = analysis::parallelConflict(*found))
        return support::fail(std::move(*conflict));
    if (auto unwritten = analysis::unwrittenRead(*found))
        return support::fail(std::move(*unwritten));
    return {};
}

} // namespace nestwright::measure
