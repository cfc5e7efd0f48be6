// SPDX-License-Identifier: Apache-2.0
#include "tests/support/extremes.h"

#include "core/ir/build/walk.h"
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

namespace {

/// Whether the store takes the larger or smaller of its element and another number.
bool keepsExtreme(const ir::BufferStore &store)
{
    const auto *value = store.value.as<ir::Binary>();
    const auto isOwn = [&](const ir::Expr &e) {
        const auto *load = e.as<ir::BufferLoad>();
        return load && load->buffer == store.buffer;
    };
    return value && (value->op == ir::BinaryOp::Max || value->op == ir::BinaryOp::Min)
           && (isOwn(value->a) || isOwn(value->b));
}

} // namespace

bool bearsExtremes(const ir::Module &module)
{
    bool bears = true;
    for (const ir::Module::Entry &entry : module.functions()) {
        ir::forEachStmt(entry.function->body, [&](const ir::Stmt &s) {
            const auto *store = s.as<ir::BufferStore>();
            bears = bears && !(store && keepsExtreme(*store));
            return bears;
        });
    }
    return bears;
}

} // namespace nestwright::tests
