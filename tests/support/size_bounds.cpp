// SPDX-License-Identifier: Apache-2.0
#include "tests/support/size_bounds.h"

#include "core/arith/analyzer.h"
#include "core/ir/build/walk.h"
#include "core/ir/strides.h"

#include <algorithm>
#include <limits>

namespace nestwright::tests {

namespace {

/// The largest product of the lengths of loops around a statement; of those that `counts` alone.
double mostAround(const ir::Module &module, bool (*counts)(const ir::For &loop))
{
    constexpr std::int64_t largestSize = 64; // of those that are symbolic
    struct Count : ir::Visitor {
        bool (*counts)(const ir::For &loop) = nullptr;
        double around = 1, most = 1;
        arith::Analyzer analyzer;
        /// The upper bound of an extent; 1 where data give it.
        double lengthOf(const ir::Expr &extent)
        {
            const std::int64_t bound = analyzer.constBound(extent).max;
            return bound < std::int64_t{1} << 40 ? static_cast<double>(bound) : 1;
        }
        void stmt(const ir::Stmt &s) override
        {
            const double outside = around;
            if (const auto *loop = s.as<ir::For>()) {
                const double length = lengthOf(loop->extent);
                const auto last = static_cast<std::int64_t>(std::max(length - 1, 0.));
                analyzer.bind(loop->var, arith::ConstIntBound{0, last});
                around *= counts(*loop) ? length : 1;
                most = std::max(most, around);
            }
            children(s);
            around = outside;
        }
    };
    double most = 1;
    for (const ir::Module::Entry &each : module.functions()) {
        Count count;
        count.counts = counts;
        const auto bindSize = [&](const ir::Expr &size) {
            if (const ir::Var var = ir::Var::from(size); var && var.dtype().isIntegral())
                count.analyzer.bind(var, arith::ConstIntBound{0, largestSize});
        };
        for (const ir::Param &param : each.function->params) {
            if (param.buffer)
                std::ranges::for_each(param.buffer.shape(), bindSize);
            else
                bindSize(param.var);
        }
        count.stmt(each.function->body);
        most = std::max(most, count.most);
    }
    return most;
}

} // namespace

double mostIterations(const ir::Module &module)
{
    return mostAround(module, [](const ir::For &) { return true; });
}

double mostElements(const ir::Module &module)
{
    double most = 0;
    const auto count = [&](const ir::Buffer &buffer) {
        const auto elements = ir::elementsOf(buffer, 1);
        most = std::max(most,
                        elements ? static_cast<double>(*elements) : std::numeric_limits<double>::infinity());
    };
    for (const ir::Module::Entry &each : module.functions()) {
        for (const ir::Param &param : each.function->params) {
            if (param.buffer)
                count(param.buffer);
        }
        ir::forEachStmt(each.function->body, [&](const ir::Stmt &s) {
            if (const auto *block = s.as<ir::Block>())
                std::ranges::for_each(block->allocBuffers, count);
            return true;
        });
    }
    return most;
}

double mostCopies(const ir::Module &module)
{
    return mostAround(module, [](const ir::For &loop) {
        return loop.forKind == ir::ForKind::Unrolled || loop.forKind == ir::ForKind::Vectorized;
    });
}

} // namespace nestwright::tests
