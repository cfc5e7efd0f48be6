// SPDX-License-Identifier: Apache-2.0
#include "core/session/reuse/sweep.h"

#include "core/ir/build/builder.h"
#include "core/schedule/state_index.h"
#include "core/support/errors/stop.h"

#include <algorithm>
#include <bit>
#include <format>

namespace nestwright::session {

namespace {

constexpr double mostUnrolledVectors = 512; ///< of a body: compilers take seconds for more, and minutes
constexpr double usualLanes = 16;

/// Vectors of the longest body that unrolled and vectorized loops make.
double unrolledVectors(const analysis::FunctionIndex &index)
{
    double most = 0;
    for (const ir::StmtId id : index.all()) {
        if (!index.block(id) || !index.children(id).empty())
            continue;
        double vectors = 1;
        for (const ir::StmtId around : index.loopsOf(id)) {
            const ir::For &loop = *index.loop(around);
            const std::int64_t *iterations = ir::asInt(loop.extent);
            const auto extent = static_cast<double>(iterations ? *iterations : 1);
            if (loop.forKind == ir::ForKind::Unrolled)
                vectors *= extent;
            else if (loop.forKind == ir::ForKind::Vectorized)
                vectors *= std::max(1.0, extent / usualLanes);
        }
        most = std::max(most, vectors);
    }
    return most;
}

/// Takes the program, unless no compiler ends with it in time.
void takeProgram(SweepPoint &point, schedule::State state, const target::Machine &machine)
{
    const ir::Module::Entry *entry = state.module.mainEntry();
    const analysis::FunctionIndex *index = entry ? state.index->function(entry->name) : nullptr;
    if (const double vectors = index ? unrolledVectors(*index) : 0; vectors > mostUnrolledVectors) {
        point.why =
            support::diagnostic("sweep.too-long",
                                std::format("its unrolled loops make a body of {:.0f} vectors, which takes "
                                            "too long to compile",
                                            vectors))
                .withHint(std::format("up to {:.0f} are swept", mostUnrolledVectors));
        return;
    }
    point.prediction = explore::predict(state, machine);
    point.state = std::move(state);
}

} // namespace

SweepPoint sweepPoint(const VariantTree &tree, VariantId variant, const explore::StepNumber &number,
                      std::int64_t value, VariantId tip, const target::Machine &machine)
{
    const schedule::Step changed = explore::withNumber(tree.at(variant).step, number, value);
    SweepPoint point{.value = value, .edit = changeStep(tree, variant, changed, tree.programOf(tip))};
    point.edit.editsOf.reset(); // a number is looked for, no code
    Replayed replayed = replay(tree, point.edit);
    if (replayed.conflict)
        point.why = std::move(replayed.conflict);
    else if (!replayed.steps.empty() && !replayed.steps.back().applied)
        point.why = replayed.steps.back().applied.error();
    if (point.why)
        return point;
    takeProgram(point, std::move(replayed.end), machine);
    return point;
}

std::vector<SweptNumber> sweptNumbers(const VariantTree &tree, VariantId tip)
{
    std::vector<SweptNumber> all;
    for (const VariantId id : tree.path(tip)) {
        for (const explore::StepNumber &number : explore::numbersOf(tree.at(id).step))
            all.push_back({id, number});
    }
    return all;
}

std::string describe(const VariantTree &tree, const SweptNumber &swept)
{
    return swept.number.name + " of " + tree.at(swept.variant).label;
}

SweepAxes sweepAxes(const VariantTree &tree, SweptNumber down, SweptNumber across)
{
    const auto valuesOf = [&](const SweptNumber &swept) {
        const Variant &variant = tree.at(swept.variant);
        return explore::valuesFor(*tree.at(*variant.parent).state, variant.step, swept.number);
    };
    SweepAxes axes{.down = std::move(down), .across = std::move(across), .rows = {}, .columns = {}};
    axes.rows = valuesOf(axes.down);
    axes.columns = valuesOf(axes.across);
    const auto fits = [&axes] { return axes.rows.size() * axes.columns.size() <= mostCells; };
    const auto thin = [&](std::vector<std::int64_t> &values, const SweptNumber &swept, bool keepsDivisors) {
        const Variant &variant = tree.at(swept.variant);
        const std::int64_t all =
            explore::iterationsOf(*tree.at(*variant.parent).state, variant.step).value_or(0);
        std::erase_if(values, [&](std::int64_t value) {
            const bool divides = keepsDivisors && all > 0 && all % value == 0;
            return value != swept.number.value && !divides
                   && !std::has_single_bit(static_cast<std::uint64_t>(value));
        });
    };
    for (const bool keepsDivisors : {true, false}) {
        if (fits())
            break;
        thin(axes.rows, axes.down, keepsDivisors);
        thin(axes.columns, axes.across, keepsDivisors);
    }
    return axes;
}

namespace {

/// Fills a grid in: for each value of the earlier number the steps up to the later are replayed once.
class GridReplay {
public:
    GridReplay(const VariantTree &tree, SweepGrid &grid, VariantId tip, const target::Machine &machine,
               const std::function<void(double)> &told)
        : m_tree(tree)
        , m_grid(grid)
        , m_machine(machine)
        , m_told(told)
        , m_path(tree.path(tree.programOf(tip)))
        , m_downIsFirst(placeOf(grid.axes.down) <= placeOf(grid.axes.across))
        , m_first(m_downIsFirst ? grid.axes.down : grid.axes.across)
        , m_second(m_downIsFirst ? grid.axes.across : grid.axes.down)
    {
    }

    void run()
    {
        const SweepAxes &axes = m_grid.axes;
        const VariantId onto = *m_tree.at(m_first.variant).parent;
        const BranchReplay root(m_tree, *m_tree.at(onto).state, *m_tree.at(onto).state);
        const std::vector<std::int64_t> &outer = m_downIsFirst ? axes.rows : axes.columns,
                                        &inner = m_downIsFirst ? axes.columns : axes.rows;
        for (std::size_t i = 0; i < outer.size(); ++i) {
            const schedule::Step step = explore::withNumber(stepOf(m_first), m_first.number, outer[i]);
            BranchReplay begin = root;
            const bool goesOn = isOneStep() || (begin.make(step, m_first.variant) && followBetween(begin));
            for (std::size_t j = 0; j < inner.size(); ++j) {
                support::checkStop();
                const std::size_t index = m_downIsFirst ? m_grid.index(i, j) : m_grid.index(j, i);
                finish(m_grid.points[index], step, inner[j], begin, goesOn);
                ++m_done;
                if (m_told)
                    m_told(static_cast<double>(m_done) / static_cast<double>(m_grid.points.size()));
            }
        }
    }

private:
    std::ptrdiff_t placeOf(const SweptNumber &swept) const
    {
        return std::ranges::find(m_path, swept.variant) - m_path.begin();
    }
    const schedule::Step &stepOf(const SweptNumber &swept) const { return m_tree.at(swept.variant).step; }
    bool isOneStep() const { return m_first.variant == m_second.variant; }

    bool followBetween(BranchReplay &replay) const
    {
        for (auto i = placeOf(m_first) + 1; i < placeOf(m_second); ++i) {
            if (!replay.follow(m_path[static_cast<std::size_t>(i)]))
                return false;
        }
        return true;
    }

    /// The program with `step` and this value of the second number, from what `begin` has replayed.
    void finish(SweepPoint &point, const schedule::Step &step, std::int64_t value, const BranchReplay &begin,
                bool goesOn) const
    {
        const schedule::Step second =
            explore::withNumber(isOneStep() ? step : stepOf(m_second), m_second.number, value);
        point.edit = changeStep(m_tree, m_first.variant, isOneStep() ? second : step, m_path.back());
        point.edit.editsOf.reset(); // a number is looked for, no code
        if (!isOneStep())
            point.edit.replaced.emplace(m_second.variant, second);
        BranchReplay replay = begin;
        if (goesOn) {
            bool isLegal =
                isOneStep() ? replay.make(second, m_second.variant) : replay.follow(m_second.variant, second);
            for (auto i = placeOf(m_second) + 1; isLegal && i < std::ssize(m_path); ++i)
                isLegal = replay.follow(m_path[static_cast<std::size_t>(i)]);
        }
        point.why = replay.why();
        if (point.why)
            return;
        takeProgram(point, replay.end(), m_machine);
    }

    const VariantTree &m_tree;
    SweepGrid &m_grid;
    const target::Machine &m_machine;
    const std::function<void(double)> &m_told;
    std::vector<VariantId> m_path; ///< to the end of the branch
    bool m_downIsFirst;
    const SweptNumber &m_first, &m_second; ///< in the order of their steps
    std::size_t m_done = 0;
};

} // namespace

SweepGrid sweepGrid(const VariantTree &tree, const SweepAxes &axes, VariantId tip,
                    const target::Machine &machine, const std::function<void(double)> &told)
{
    SweepGrid grid{.axes = axes, .points = {}};
    for (std::size_t row = 0; row < axes.rows.size(); ++row) {
        for (const std::int64_t value : axes.columns)
            grid.points.push_back({.value = value, .edit = {}});
    }
    GridReplay(tree, grid, tip, machine, told).run();
    return grid;
}

} // namespace nestwright::session
