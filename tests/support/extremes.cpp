// SPDX-License-Identifier: Apache-2.0
#include "tests/support/extremes.h"

#include "core/ir/walk.h"
#include "tests/support/random.h"

#include <limits>

namespace nestwright::tests {

void addExtremes(ir::NdArray &array, std::uint64_t seed)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (array.dtype().isBool())
        return;
    Random random(seed);
    for (std::int64_t i = 0; i < array.size(); ++i) {
        if (!random.chance(12))
            continue;
        // `set` takes infinities for integers as their ends.
        array.set(i, array.dtype().isFloating()
                         ? random.pick<double>(
                               {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity, -0.0})
                         : random.pick<double>({-infinity, infinity}));
    }
}

void addExtremes(std::vector<ir::NdArray> &arguments, std::uint64_t seed)
{
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].dtype().isFloating() || arguments[i].dtype() != arguments.back().dtype())
            addExtremes(arguments[i], seed + i);
    }
}

bool bearsExtremes(const ir::Module &module)
{
    bool bears = true;
    for (const ir::Module::Entry &entry : module.functions()) {
        ir::forEachStmt(entry.function->body, [&](const ir::Stmt &s) {
            const auto *block = s.as<ir::Block>();
            const auto *store = block && block->init ? block->body.as<ir::BufferStore>() : nullptr;
            const auto *value = store ? store->value.as<ir::Binary>() : nullptr;
            bears = bears && !(value && (value->op == ir::BinaryOp::Max || value->op == ir::BinaryOp::Min));
            return bears;
        });
    }
    return bears;
}

} // namespace nestwright::tests
