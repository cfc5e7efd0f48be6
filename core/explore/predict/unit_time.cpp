// SPDX-License-Identifier: Apache-2.0
#include "core/explore/predict/unit_time.h"

#include "core/analysis/kernel/counts.h"
#include "core/arith/knowledge/linear.h"
#include "core/explore/predict/access_strides.h"
#include "core/ir/build/builder.h"
#include "core/ir/conditions.h"

#include <algorithm>
#include <cmath>

namespace nestwright::explore {

namespace {

constexpr double stepsAhead = 128; ///< multiply-adds that a processor begins before the first is done
/// Cycles until a load has what was stored just before: 5 to 14 by Agner Fog's tables of instructions.
constexpr double cyclesOfForwarding = 7;
constexpr double mostUnrolled = 8; ///< iterations that the compiler unrolls by itself

/// In times of one vector multiply-add, of which a processor begins as many in a cycle as it has units.
struct Costs {
    double accumulators; ///< vectors in flight that hide what a multiply-add waits
    double load, store;  ///< of a vector; one is stored in a cycle
    double forwarding;   ///< from a store to the load of the same vector
    double loop;         ///< of an iteration that is not unrolled: half a cycle

    explicit Costs(const target::Machine::Vectors &vectors)
        : accumulators(static_cast<double>(vectors.units) * vectors.latency)
        , load(static_cast<double>(vectors.units) / vectors.loads)
        , store(vectors.units)
        , forwarding(cyclesOfForwarding * vectors.units)
        , loop(vectors.units / 2.0)
    {
    }
};

/// One block with its loops: which are in registers, which in vectors.
class BlockWork {
public:
    BlockWork(const analysis::FunctionIndex &index, StmtId block, std::vector<EnclosingLoop> loops,
              const target::Machine &machine)
        : m_block(*index.block(block))
        , m_loops(std::move(loops))
        , m_registers(target::registersOfSums(machine))
        , m_costs(machine.vectors)
        , m_share(shareWithin(index))
    {
        std::vector<StmtId> ids;
        for (const EnclosingLoop &loop : m_loops)
            ids.push_back(loop.id);
        m_accesses = accessStrides(index, block, ids);
        if (std::ranges::any_of(m_loops, &EnclosingLoop::isReduction))
            takeSumsOnce();
        const ir::DataType type =
            m_block.writes.empty() ? ir::DataType::float32() : m_block.writes.front().buffer.dtype();
        m_width = std::max(1.0, machine.vectors.bits() / (8.0 * std::max(1, type.bytes())));
        for (const ir::IterVar &variable : m_block.iterVars) {
            if (const auto *extent = variable.domain.extent.as<ir::IntImm>())
                m_points *= static_cast<double>(std::max<std::int64_t>(1, extent->value));
        }
        findVectors();
    }

    UnitTime all() const
    {
        const auto reduction =
            std::ranges::find_if(m_loops.rbegin(), m_loops.rend(), &EnclosingLoop::isReduction);
        const auto behind = static_cast<std::size_t>(reduction.base() - m_loops.begin());
        const std::size_t tile = reduction == m_loops.rend() ? firstInRegisters() : behind;
        double rounds = iterationsOf(std::span(m_loops).first(tile));
        const bool sumsVectors = m_vector && *m_vector < tile && m_loops[*m_vector].isReduction;
        if (sumsVectors)
            rounds *= std::ceil(m_loops[*m_vector].extent / m_width) / m_loops[*m_vector].extent;
        UnitTime work = round(tile, reduction != m_loops.rend() && !sumsVectors);
        work.computing *= rounds * m_share;
        work.loading *= rounds * m_share;
        work.loops *= rounds;
        work.loading += sumsMoved(tile) * m_share;
        return work;
    }

private:
    /// Leaves out the loads of sums that an update without an init declares: they go with what writes them.
    void takeSumsOnce()
    {
        const auto isSum = [&](const ir::Buffer &buffer) {
            return std::ranges::contains(m_block.writes, buffer, &ir::BufferRegion::buffer);
        };
        std::erase_if(m_accesses, [&](const AccessStrides &a) { return !a.isWrite && isSum(a.buffer); });
    }

    /// The share of the loops' iterations that the block's predicate lets through: of a split that does not
    /// divide, those before the end.
    double shareWithin(const analysis::FunctionIndex &index) const
    {
        double share = 1;
        for (const ir::Expr &condition : ir::conjunctsOf(m_block.predicate)) {
            const auto *less = condition.as<ir::Binary>();
            const std::int64_t *end = less && less->op == ir::BinaryOp::LT ? ir::asInt(less->b) : nullptr;
            if (!end)
                continue;
            arith::LinearSum sum;
            sum.add(less->a);
            double reach = static_cast<double>(sum.base) + 1;
            for (const arith::LinearTerm &term : sum.terms) {
                const auto variable = ir::Var::from(term.atom);
                const auto loop = std::ranges::find_if(
                    m_loops, [&](const EnclosingLoop &each) { return index.loop(each.id)->var == variable; });
                reach += loop == m_loops.end() ? 0 : static_cast<double>(term.coeff) * (loop->extent - 1);
            }
            if (reach > static_cast<double>(*end) && *end > 0)
                share *= static_cast<double>(*end) / reach;
        }
        return share;
    }

    /// The vectorized loop, or the innermost where a compiler makes vectors of it by itself.
    void findVectors()
    {
        for (std::size_t i = 0; i < m_loops.size(); ++i) {
            if (m_loops[i].kind == ir::ForKind::Vectorized)
                m_vector = i;
        }
        if (m_vector || m_loops.empty() || (m_loops.back().isReduction && !m_loops.back().reassociates))
            return;
        const bool isDense = std::ranges::all_of(m_accesses, [](const AccessStrides &access) {
            return access.strides.back() == 0 || access.strides.back() == 1;
        });
        if (isDense && m_loops.back().extent >= m_width / 2)
            m_vector = m_loops.size() - 1;
    }

    std::size_t firstInRegisters() const
    {
        std::size_t first = m_loops.size();
        while (first > 0 && isUnrolled(m_loops[first - 1]))
            --first;
        return first;
    }

    static bool isUnrolled(const EnclosingLoop &loop)
    {
        return loop.kind == ir::ForKind::Unrolled || loop.kind == ir::ForKind::Vectorized
               || (loop.kind == ir::ForKind::Serial && loop.extent <= mostUnrolled);
    }

    /// Vectors, or numbers where they are no vectors, that the loops from `tile` on make of an access.
    double instructionsOf(const AccessStrides &access, std::size_t tile) const
    {
        double count = access.elements;
        for (std::size_t i = tile; i < m_loops.size(); ++i) {
            const bool moves = access.strides[i] != 0;
            if (i == m_vector)
                count *= !moves                   ? 1
                         : access.strides[i] == 1 ? std::ceil(m_loops[i].extent / m_width)
                                                  : m_loops[i].extent;
            else if (moves)
                count *= m_loops[i].extent;
        }
        return count;
    }

    /// Terms of a sum that the reductions just outside `tile` add up one after the other.
    double termsOf(std::size_t tile) const
    {
        double terms = 1;
        for (; tile > 0 && m_loops[tile - 1].isReduction; --tile)
            terms *= m_loops[tile - 1].extent;
        return terms;
    }

    /// Sums are loaded before the innermost reduction and stored after it, each time that it begins.
    double sumsMoved(std::size_t tile) const
    {
        std::size_t begin = tile;
        while (begin > 0 && m_loops[begin - 1].isReduction)
            --begin;
        if (begin == tile)
            return 0;
        double count = 0;
        for (const AccessStrides &access : m_accesses)
            count += access.isWrite ? instructionsOf(access, tile) * (m_costs.load + m_costs.store) : 0;
        return count * iterationsOf(std::span(m_loops).first(begin));
    }

    /// One round of the loops before `tile`: all of those from it on.
    UnitTime round(std::size_t tile, bool reduces) const
    {
        double instances = 1, loops = 0, accumulators = 1;
        bool inRegisters = true;
        for (std::size_t i = tile; i < m_loops.size(); ++i) {
            const EnclosingLoop &loop = m_loops[i];
            const double steps = i == m_vector ? std::ceil(loop.extent / m_width) : loop.extent;
            instances *= steps;
            accumulators *= steps;
            inRegisters = inRegisters && isUnrolled(loop);
            if (!isUnrolled(loop))
                loops += instances * m_costs.loop;
        }
        UnitTime work;
        double operations = 1;
        if (const auto counted = analysis::operationsOf(m_block)) {
            operations = (counted->flops / 2 + counted->integerOps / 2
                          + counted->transcendental * operationsOfFunction)
                         / m_points;
        }
        const double arithmetic = instances * std::max(0.5, operations);
        // Sums that wait for each other, where too few are formed at once: of this round, or of the next ones
        // where a sum has few terms.
        const double atOnce = std::max(accumulators, stepsAhead / termsOf(tile));
        const double waiting =
            reduces && inRegisters ? arithmetic * std::max(1.0, m_costs.accumulators / atOnce) : arithmetic;
        work.computing = waiting;
        for (const AccessStrides &access : m_accesses) {
            const double count = instructionsOf(access, tile);
            if (!access.isWrite)
                work.loading += count * m_costs.load;
            else if (!reduces)
                work.loading += count * m_costs.store;
            else if (!inRegisters) // each sum is fetched and put back
                work.loading += count * (m_costs.load + m_costs.store);
            else if (accumulators > m_registers) // sums without a register wait for themselves
                work.computing +=
                    count * (1 - m_registers / accumulators) * m_costs.store + m_costs.forwarding;
        }
        work.waits = work.computing > 1.5 * arithmetic;
        work.loops = loops + (tile > 0 ? m_costs.loop : 0);
        return work;
    }

    const ir::Block &m_block;
    std::vector<EnclosingLoop> m_loops;
    std::vector<AccessStrides> m_accesses;
    std::optional<std::size_t> m_vector;
    double m_width = 1;
    double m_points = 1; ///< of the block's domain
    double m_registers;  ///< that hold vectors of sums
    Costs m_costs;
    double m_share; ///< of the loops' iterations that are in it, where extents are no multiples
};

} // namespace

double iterationsOf(std::span<const EnclosingLoop> loops)
{
    double all = 1;
    for (const EnclosingLoop &loop : loops)
        all *= loop.extent;
    return all;
}

UnitTime unitTimeOf(const analysis::FunctionIndex &index, StmtId block, std::vector<EnclosingLoop> loops,
                    const target::Machine &machine)
{
    return BlockWork(index, block, std::move(loops), machine).all();
}

} // namespace nestwright::explore
