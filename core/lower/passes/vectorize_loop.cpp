// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/walk.h"
#include "core/lower/passes/copies.h"
#include "core/lower/passes/declarations.h"
#include "core/lower/passes/lane_rewriter.h"

#include <bit>

namespace nestwright::lower {

using ir::Expr;
using ir::Stmt;

namespace {

constexpr std::int64_t mostLanes = 256;

class Vectorizing : public ir::Rewriter {
public:
    Stmt stmt(const Stmt &s) override
    {
        Stmt changed = children(s);
        const auto *loop = changed.as<ir::For>();
        if (!loop || loop->forKind != ir::ForKind::Vectorized)
            return changed;
        return vectorized(*loop);
    }

private:
    static Stmt vectorized(const ir::For &loop)
    {
        const std::int64_t *extent = ir::asInt(loop.extent);
        if (extent && *extent == 1)
            return withValue(loop.body, loop.var, loop.min);
        const bool fits = extent && *extent > 1 && *extent <= mostLanes && !hasVectors(loop.body);
        if (!fits)
            return serial(loop, loop.body);
        const auto vectors = inPowersOfTwo(loop, *extent);
        return vectors ? *vectors : serial(loop, loop.body);
    }

    /// Vectors of powers of two: registers and compilers know no others.
    static std::optional<Stmt> inPowersOfTwo(const ir::For &loop, std::int64_t count)
    {
        std::vector<Stmt> parts;
        for (std::int64_t done = 0; done < count;) {
            const auto lanes = static_cast<int>(std::bit_floor(static_cast<std::uint64_t>(count - done)));
            const Expr first = loop.min + ir::intImm(done, loop.var->dtype);
            if (lanes == 1) {
                parts.push_back(copyWith(loop.body, loop.var, first));
            } else {
                const Expr values = ir::ramp(first, ir::intImm(1, loop.var->dtype), lanes);
                const auto part = vectorForm(done == 0 ? loop.body : freshCopy(loop.body), loop.var, values);
                if (!part)
                    return std::nullopt;
                parts.push_back(*part);
            }
            done += lanes;
        }
        return ir::seq(std::move(parts));
    }

    static bool hasVectors(const Stmt &s)
    {
        bool found = false;
        ir::forEachExpr(s, [&](const Expr &e) {
            found = found || e.dtype().isVector();
            return !found;
        });
        return found;
    }

    static Stmt serial(const ir::For &loop, const Stmt &body)
    {
        ir::For result = loop;
        result.forKind = ir::ForKind::Serial;
        result.body = body;
        return ir::make(std::move(result));
    }
};

} // namespace

ir::Module vectorizeLoop(const ir::Module &module, const target::Context &)
{
    return ir::rewriteModule<Vectorizing>(module);
}

} // namespace nestwright::lower
