// SPDX-License-Identifier: Apache-2.0
#include "core/measure/verify/sound_program.h"

#include "core/analysis/access/out_of_bounds.h"
#include "core/analysis/access/unwritten.h"
#include "core/analysis/device/parallel_conflicts.h"
#include "core/ir/build/walk.h"
#include "core/script/printed_places.h"

namespace nestwright::measure {

support::Result<void> requireSound(const ir::Module &module, const std::string &function)
{
    const ir::Function found = module.find(function);
    if (!found)
        return {};
    if (auto conflict = analysis::parallelConflict(*found))
        return support::fail(script::withPrintedPlaces(std::move(*conflict), module));
    if (auto beyond = analysis::outOfBounds(*found))
        return support::fail(script::withPrintedPlaces(std::move(*beyond), module));
    if (auto unwritten = analysis::unwrittenRead(*found))
        return support::fail(script::withPrintedPlaces(std::move(*unwritten), module));
    return {};
}

bool mayReadUnknown(const ir::PrimFunc &function)
{
    return hasOwnMemory(function) || !analysis::staysInBounds(function);
}

bool hasOwnMemory(const ir::PrimFunc &function)
{
    bool takes = false;
    ir::forEachStmt(function.body, [&](const ir::Stmt &s) {
        const auto *block = s.as<ir::Block>();
        takes = takes || s.as<ir::Allocate>() || (block && !block->allocBuffers.empty());
        return !takes;
    });
    return takes;
}

} // namespace nestwright::measure
