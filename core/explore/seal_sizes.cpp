// SPDX-License-Identifier: Apache-2.0
#include "core/explore/seal_sizes.h"

#include "core/explore/step_numbers.h"
#include "core/ir/builder.h"
#include "core/ir/walk.h"
#include "core/support/stop.h"

#include <algorithm>
#include <array>
#include <format>
#include <set>

namespace nestwright::explore {

using support::Result;

namespace {

class Work final : public ir::Visitor {
public:
    double total = 0;

    void expr(const ir::Expr &e) override
    {
        total += m_times;
        children(e);
    }

    void stmt(const ir::Stmt &s) override
    {
        total += m_times;
        const auto *loop = s.as<ir::For>();
        if (!loop)
            return children(s);
        const double outside = m_times;
        m_times *= iterations(loop->extent);
        stmt(loop->body);
        m_times = outside;
    }

private:
    static double iterations(const ir::Expr &extent)
    {
        constexpr std::int64_t unknown = 16;
        if (const std::int64_t *known = ir::asInt(extent))
            return static_cast<double>(std::max<std::int64_t>(*known, 0));
        std::int64_t least = 0;
        ir::forEachExpr(extent, [&](const ir::Expr &part) {
            const std::int64_t *number = ir::asInt(part);
            if (number && *number > 1 && (least == 0 || *number < least))
                least = *number;
            return true;
        });
        return static_cast<double>(least == 0 ? unknown : least);
    }

    double m_times = 1;
};

/// What a schedule's loops and blocks do, by their ids, which the same steps give at other sizes too.
struct Doings {
    std::map<ir::StmtId, std::string> loops;   ///< that run more than once, with their names
    std::map<ir::StmtId, std::string> guarded; ///< blocks with a predicate
};

Doings doingsOf(const ir::Module &module)
{
    Doings doings;
    for (const ir::Module::Entry &entry : module.functions()) {
        ir::forEachStmt(entry.function->body, [&](const ir::Stmt &s) {
            if (const auto *loop = s.as<ir::For>(); loop && !ir::isConstInt(loop->extent, 1))
                doings.loops.emplace(loop->id, loop->var.name());
            if (const auto *block = s.as<ir::Block>();
                block && block->predicate && !ir::isConstInt(block->predicate, 1))
                doings.guarded.emplace(block->id, block->name);
            return true;
        });
    }
    return doings;
}

std::vector<std::string> lostOf(const Doings &full, const Doings &cut)
{
    std::vector<std::string> lost;
    for (const auto &[id, name] : full.loops) {
        if (!cut.loops.contains(id))
            lost.push_back(std::format("loop '{}' runs once", name));
    }
    for (const auto &[id, name] : full.guarded) {
        if (!cut.guarded.contains(id))
            lost.push_back(std::format("block '{}' needs no guard", name));
    }
    return lost;
}

std::vector<std::int64_t> factorsOf(const StepPath &path)
{
    std::set<std::int64_t> factors;
    for (const schedule::Step &step : path.steps()) {
        for (const StepNumber &number : numbersOf(step)) {
            if (number.value > 1)
                factors.insert(number.value);
        }
    }
    return {factors.begin(), factors.end()};
}

double workOfBoth(const StepPath &path)
{
    return explore::workOf(path.state(0).module) + explore::workOf(path.end().module);
}

} // namespace

double workOf(const ir::PrimFunc &function)
{
    Work work;
    work.stmt(function.body);
    return work.total;
}

double workOf(const ir::Module &module)
{
    double work = 0;
    for (const ir::Module::Entry &entry : module.functions())
        work += workOf(*entry.function);
    return work;
}

Result<SealedSizes> sizesToSeal(const StepPath &path, const SealCut &cut)
{
    if (cut.extent > 0) {
        auto smaller = reduced(path, cut.extent);
        return smaller ? Result<SealedSizes>({std::move(smaller->path), std::move(smaller->sizes)})
                       : support::fail(std::move(smaller.error()));
    }
    if (cut.work <= 0 || workOfBoth(path) <= cut.work)
        return SealedSizes{path};
    constexpr auto extents = std::to_array<std::int64_t>(
        {1024, 768, 512, 384, 256, 192, 128, 96, 64, 48, 32, 24, 16, 12, 8, 6, 4});
    constexpr int mostTries = 4;
    constexpr std::int64_t trialSteps = 50'000;
    const ir::Module &module = path.state(0).module;
    const std::vector<std::int64_t> factors = factorsOf(path);
    const Doings full = doingsOf(path.end().module);
    std::optional<SealedSizes> best;
    std::size_t leastLost = 0;
    support::Diagnostic why;
    int tries = 0;
    for (const std::int64_t extent : extents) {
        for (const bool areProducts : {true, false}) {
            support::checkStop();
            const SizeMap sizes = smallerSizes(module, extent, areProducts, factors);
            if (sizes.empty())
                continue;
            const ir::Module unscheduled = withSizes(module, sizes);
            if (2 * workOf(unscheduled) > cut.work)
                continue;
            const auto holds = tryRun(unscheduled, trialSteps);
            auto smaller = holds ? withSizes(path, sizes) : support::fail(holds.error());
            if (!smaller) {
                why = std::move(smaller.error());
                continue;
            }
            if (workOfBoth(*smaller) > cut.work)
                continue;
            const std::vector<std::string> lost = lostOf(full, doingsOf(smaller->end().module));
            if (!best || lost.size() < leastLost) {
                leastLost = lost.size();
                best.emplace(*std::move(smaller), sizes, lost.empty() ? "" : lost.front());
            }
            if (leastLost == 0 || ++tries >= mostTries)
                return *std::move(best);
        }
    }
    if (best)
        return *std::move(best);
    const std::string work =
        std::format("the interpreter would go through {:.1e} operations, and ", workOfBoth(path));
    return support::fail(
        support::diagnostic("seal.too-much-work",
                            work
                                + (why.message.empty() ? "the kernel cannot be cut to smaller sizes"
                                                       : "smaller sizes do not hold: " + why.message))
            .withHint("seal the schedule on a smaller kernel, or this one as it is, which takes long, with "
                      "--extent 0"));
}

} // namespace nestwright::explore
