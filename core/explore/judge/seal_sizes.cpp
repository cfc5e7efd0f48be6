// SPDX-License-Identifier: Apache-2.0
#include "core/explore/judge/seal_sizes.h"

#include "core/explore/step_numbers.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/support/errors/stop.h"

#include <algorithm>
#include <array>
#include <format>
#include <limits>
#include <set>
#include <utility>

namespace nestwright::explore {

using support::Result;

namespace {

class SealedWork final : public ir::Visitor {
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
        const bool isThread = loop->forKind == ir::ForKind::ThreadBinding;
        const double outside = m_times;
        const bool isNew = !isThread || m_threads.insert(loop->thread).second; // else it is bound already
        m_times *= isNew ? iterations(loop->extent) : 1;
        if (isThread && m_threads.size() == 1)
            m_times *= isNew ? inStep : 1;
        stmt(loop->body);
        m_times = outside;
        if (isThread && isNew)
            m_threads.erase(loop->thread);
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

    static constexpr double inStep = 6; ///< what a node costs where threads go in step

    double m_times = 1;
    std::set<std::string> m_threads; ///< axes of the loops around
};

/// Work of a schedule's loops and blocks, by their ids, which the same steps give at other sizes too.
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

/// Numbers that a schedule divides extents by, and the widths of tiles that several of them make.
std::vector<std::int64_t> factorsOf(const StepPath &path)
{
    std::set<std::int64_t> factors;
    for (const schedule::Step &step : path.steps()) {
        std::map<std::size_t, std::int64_t> products;
        for (const StepNumber &number : numbersOf(step)) {
            factors.insert(number.value);
            if (number.element && number.value > 0)
                factors.insert(products.try_emplace(number.field, 1).first->second *= number.value);
        }
        for (const schedule::ArgValue &arg : step.args) {
            const auto *map = arg.as<schedule::IndexMap>();
            for (std::size_t i = 0; map && i < map->outputs.size(); ++i)
                ir::forEachExpr(map->outputs[i], [&](const ir::Expr &part) {
                    if (const std::int64_t *number = ir::asInt(part))
                        factors.insert(*number);
                    return true;
                });
        }
    }
    factors.erase(factors.begin(), factors.upper_bound(1));
    return {factors.begin(), factors.end()};
}

double workOfBoth(const StepPath &path)
{
    return explore::workOf(path.state(0).module) + explore::workOf(path.end().module);
}

/// Looks for sizes at which all is left that a schedule does.
class Search {
public:
    Search(const StepPath &path, double work)
        : m_path(path)
        , m_work(work)
        , m_factors(factorsOf(path))
        , m_full(doingsOf(path.end().module))
    {
    }

    Result<SealedSizes> run()
    {
        constexpr double more = 8;
        for (const double factor : {1.0, more}) {
            m_work *= factor;
            tryAll();
            if (m_best)
                break;
        }
        if (m_best)
            return *std::move(m_best);
        const std::string work =
            std::format("the interpreter would go through {:.1e} operations, and ", workOfBoth(m_path));
        return support::fail(
            support::diagnostic("seal.too-much-work",
                                work
                                    + (m_why.message.empty() ? "the kernel cannot be cut to smaller sizes"
                                                             : "smaller sizes do not hold: " + m_why.message))
                .withHint(
                    "seal the schedule on a smaller kernel, or this one as it is, which takes long, with "
                    "--extent 0"));
    }

private:
    static constexpr auto extents = std::to_array<std::int64_t>(
        {1024, 768, 512, 384, 256, 192, 128, 96, 64, 48, 32, 24, 16, 12, 8, 6, 4});
    static constexpr double never = std::numeric_limits<double>::infinity();
    static constexpr int mostTries = 2;
    static constexpr std::int64_t trialSteps = 20'000;

    void tryAll()
    {
        m_tries = 0;
        for (const std::int64_t extent : extents) {
            for (const bool areProducts : {true, false})
                tryAt(sizesAt(extent, areProducts));
        }
        if (!m_best || m_leastLost > 0)
            tryOneLarger();
    }

    SizeMap sizesAt(std::int64_t extent, bool areProducts) const
    {
        return smallerSizes(m_path.state(0).module, extent, areProducts, m_factors);
    }

    /// One size, and those that are little more, as much larger as the work allows, the others small.
    void tryOneLarger()
    {
        constexpr std::int64_t nearby = 16;
        for (const std::int64_t small : {16, 8}) {
            const SizeMap others = sizesAt(small, false);
            if (others.size() < 2)
                continue;
            std::int64_t last = 0;
            for (const auto &[size, value] : others) {
                if (last > 0 && size - std::exchange(last, size) <= nearby)
                    continue; // goes with that
                last = size;
                m_tries = 0;
                for (const std::int64_t extent : extents) {
                    SizeMap mixed = others;
                    for (const auto &[old, now] : sizesAt(extent, false)) {
                        if (old >= size && old - size <= nearby)
                            mixed[old] = now;
                    }
                    if (extent > small && extent < size)
                        tryAt(mixed);
                }
            }
        }
    }

    void tryAt(const SizeMap &sizes)
    {
        support::checkStop();
        if (sizes.empty() || m_tries >= mostTries || (m_best && m_leastLost == 0))
            return;
        const auto [known, isNew] = m_needed.try_emplace(sizes, never);
        if (!isNew && known->second > m_work)
            return;
        const ir::Module unscheduled = withSizes(m_path.state(0).module, sizes);
        if (2 * workOf(unscheduled) > m_work) {
            known->second = 2 * workOf(unscheduled);
            return;
        }
        const auto holds = tryRun(unscheduled, trialSteps);
        auto smaller = holds ? withSizes(m_path, sizes) : support::fail(holds.error());
        bool isFitted = false;
        if (!smaller && !m_best) {
            if (m_why.message.empty())
                m_why = std::move(smaller.error());
            isFitted = true;
            smaller = holds ? withSizes(m_path, sizes, isFitted) : support::fail(holds.error());
        }
        if (!smaller)
            return;
        known->second = workOfBoth(*smaller);
        if (known->second > m_work)
            return;
        known->second = never; // once is enough
        ++m_tries;
        std::vector<std::string> lost = lostOf(m_full, doingsOf(smaller->end().module));
        if (isFitted)
            lost.emplace_back("factors of loops are smaller, too");
        if (m_best && lost.size() >= m_leastLost)
            return;
        m_leastLost = lost.size();
        m_best.emplace(*std::move(smaller), sizes, lost.empty() ? "" : lost.front());
    }

    const StepPath &m_path;
    double m_work;
    std::vector<std::int64_t> m_factors;
    Doings m_full;
    std::optional<SealedSizes> m_best;
    std::size_t m_leastLost = 0;
    support::Diagnostic m_why;
    std::map<SizeMap, double> m_needed; ///< work at sizes that were tried
    int m_tries = 0;                    ///< that held
};

} // namespace

double workOf(const ir::PrimFunc &function)
{
    SealedWork work;
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
    return Search(path, cut.work).run();
}

} // namespace nestwright::explore
