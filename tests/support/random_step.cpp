// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_step.h"

#include "core/ir/build/builder.h"
#include "core/schedule/state_index.h"
#include "tests/support/check_primitive.h"
#include "tests/support/random_program.h"

#include <algorithm>
#include <array>

namespace nestwright::tests {

namespace {

using schedule::ArgList;
using schedule::ArgValue;
using schedule::FieldForm;
using schedule::FieldKind;
using schedule::StmtId;

constexpr auto drawnForAll = std::to_array<std::string_view>({"split",
                                                              "fuse",
                                                              "tile",
                                                              "reorder",
                                                              "merge",
                                                              "loop_partition",
                                                              "add_unit_loop",
                                                              "parallel",
                                                              "vectorize",
                                                              "unroll",
                                                              "bind",
                                                              "annotate",
                                                              "unannotate",
                                                              "set_scope",
                                                              "storage_align",
                                                              "decompose_reduction",
                                                              "rfactor",
                                                              "compute_at",
                                                              "reverse_compute_at",
                                                              "compute_inline",
                                                              "reverse_compute_inline",
                                                              "fuse_reduction_epilogue",
                                                              "cache_read",
                                                              "cache_write",
                                                              "cache_inplace",
                                                              "cache_index",
                                                              "read_at",
                                                              "write_at",
                                                              "reindex",
                                                              "reindex_cache_read",
                                                              "reindex_cache_write",
                                                              "reorder_block_iter_var",
                                                              "transform_layout",
                                                              "transform_block_layout",
                                                              "blockize",
                                                              "tensorize",
                                                              "pad_einsum",
                                                              "decompose_padding",
                                                              "rolling_buffer",
                                                              "set_axis_separator",
                                                              "sample_categorical",
                                                              "sample_perfect_tile",
                                                              "sample_partitioned_tile",
                                                              "sample_compute_location",
                                                              "enter_postproc"});

using Primitives = std::vector<const schedule::Primitive *>;

/// Weights primitives that move and copy blocks higher: they are the likeliest to be wrong.
std::size_t weightOf(const schedule::Primitive &primitive)
{
    switch (primitive.group) {
    case schedule::Group::Annotate:
    case schedule::Group::Sampling: return 1;
    case schedule::Group::Loops: return 3;
    default: return 6;
    }
}

/// Each as often as it weighs; without those whose promise cannot be checked.
Primitives weighted(bool (*isDrawn)(const schedule::Primitive &))
{
    Primitives found;
    for (const schedule::Primitive &primitive : schedule::primitives()) {
        if (!primitive.isQuery && !primitive.isUnsafe && isDrawn(primitive))
            found.insert(found.end(), weightOf(primitive), &primitive);
    }
    return found;
}

class StepMaker {
public:
    StepMaker(const schedule::State &state, Random &random, Breadth breadth)
        : m_index(*state.index->function(random.pick(state.module.functions()).name))
        , m_random(random)
        , m_all(breadth == Breadth::All)
    {
        for (const StmtId id : m_index.all()) {
            if (m_index.loop(id))
                m_loops.push_back(id);
            else if (id != m_index.root() || m_random.chance(2))
                m_blocks.push_back(id);
        }
    }

    schedule::Step step(const Primitives &drawn)
    {
        schedule::Step step{m_random.pick(drawn), {}};
        for (const schedule::Field &field : step.primitive->fields) {
            // These promise something the engine cannot check.
            if (field.fallback
                && (field.name == "disable_predication" || field.name == "assume_injective_transform"
                    || m_random.chance(60)))
                step.args.push_back(*field.fallback);
            else
                step.args.push_back(value(field, *step.primitive));
        }
        return step;
    }

private:
    ArgValue loop() { return m_loops.empty() ? block() : ArgValue(m_random.pick(m_loops)); }
    ArgValue block() { return m_random.pick(m_blocks); }

    /// Mostly loops of one nest, neighbours where they are to be fused.
    ArgValue loops(bool neighbours)
    {
        std::vector<StmtId> nest = m_index.loopsOf(m_random.pick(m_blocks));
        if (nest.empty() || m_random.chance(3))
            return ArgList{loop(), loop()};
        const auto count =
            static_cast<std::size_t>(m_random.between(1, static_cast<std::int64_t>(nest.size())));
        if (!neighbours)
            m_random.shuffle(nest);
        const auto first =
            static_cast<std::size_t>(m_random.between(0, static_cast<std::int64_t>(nest.size() - count)));
        return ArgList(nest.begin() + first, nest.begin() + first + count);
    }

    /// Loops of the same depth around different blocks.
    ArgValue sideBySide()
    {
        ArgList loops;
        const std::int64_t depth = m_random.between(1, 3);
        for (std::int64_t count = m_random.chance(80) ? 2 : 3; count > 0; --count) {
            const std::vector<StmtId> nest = m_index.loopsOf(m_random.pick(m_blocks));
            if (std::ssize(nest) >= depth)
                loops.emplace_back(nest[static_cast<std::size_t>(depth - 1)]);
        }
        return loops;
    }

    /// Blocks that follow each other in one scope.
    ArgValue neighbours()
    {
        const StmtId block = m_random.pick(m_blocks), scope = m_index.scopeRoot(block);
        if (!scope)
            return ArgList{block};
        const std::vector<StmtId> &all = m_index.scope(scope).blocks;
        const auto first = std::ranges::find(all, block);
        const auto count = std::min<std::ptrdiff_t>(m_random.between(1, 3), all.end() - first);
        return ArgList(first, first + count);
    }

    std::int64_t factorOfAnySize()
    {
        if (m_all && m_random.chance(6))
            return m_random.pick<std::int64_t>(
                {1024, 46341, 65536, 70000, 1 << 20, 1 << 30, 2147483647, 2147483648, std::int64_t{1} << 62});
        return m_random.between(m_random.chance(3) ? 0 : 1, 6);
    }

    ArgValue factors()
    {
        ArgList factors;
        const std::int64_t open = m_random.chance(90) ? 0 : 1;
        for (std::int64_t i = 0, count = m_random.between(2, 3); i < count; ++i) {
            factors.emplace_back();
            if (i != open)
                factors.back() = factorOfAnySize();
        }
        m_random.shuffle(factors);
        return factors;
    }

    schedule::IndexMap indexMap(std::size_t rank)
    {
        schedule::IndexMap map;
        for (std::size_t i = 0; i < rank; ++i)
            map.inputs.emplace_back("i" + std::to_string(i));
        for (const ir::Var &input : map.inputs)
            map.outputs.push_back(input);
        m_random.shuffle(map.outputs);
        if (m_random.chance(50)) { // one of them in two parts
            const std::int64_t by = m_all ? factorOfAnySize() + 1 : m_random.between(1, 4);
            const ir::Expr factor(static_cast<int>(std::min<std::int64_t>(by, 2147483647)));
            const ir::Expr split = map.outputs.front();
            map.outputs.front() = ir::floorDiv(split, factor);
            map.outputs.push_back(ir::floorMod(split, factor));
        }
        return map;
    }

    /// A name may be anything; where there are suggestions the first few are the common ones.
    std::string text(const schedule::Field &field)
    {
        if (field.choices.empty() || field.name == "ann_key") {
            static constexpr std::array<std::string_view, 3> meant{"reassociate", "software_prefetch",
                                                                   "nontemporal_stores"};
            const auto which = static_cast<std::size_t>(m_random.below(4));
            return which < meant.size() ? std::string(meant[which])
                                        : "note" + std::to_string(m_random.below(3));
        }
        const auto common = std::min<std::int64_t>(3, static_cast<std::int64_t>(field.choices.size()));
        return std::string(field.choices[static_cast<std::size_t>(m_random.below(common))]);
    }

    ArgValue value(const schedule::Field &field, const schedule::Primitive &primitive)
    {
        switch (field.kind) {
        case FieldKind::Block: return block();
        case FieldKind::Loop: return loop();
        case FieldKind::BlockOrLoop:
            if (field.form == FieldForm::AcceptsBlockList && m_random.chance(30))
                return neighbours();
            return m_random.chance(50) ? block() : loop();
        case FieldKind::Loops:
            return primitive.name == "merge" ? sideBySide() : loops(field.form != FieldForm::GivesOrder);
        case FieldKind::Blocks: return ArgList(m_random.chance(70) ? 0 : 1, block());
        case FieldKind::Int: return m_random.between(-2, 4);
        case FieldKind::Ints: return ArgList{m_random.between(0, 2), m_random.between(0, 2)};
        case FieldKind::OptionalInts: return factors();
        case FieldKind::Bool: return m_random.chance(50);
        case FieldKind::Choice:
        case FieldKind::String: return text(field);
        case FieldKind::BufferIndex: return m_random.between(0, m_random.chance(90) ? 1 : 3);
        case FieldKind::BufferRef:
            return ArgList{m_random.chance(50) ? "read" : "write", m_random.between(0, 1)};
        case FieldKind::IndexMap: return indexMap(static_cast<std::size_t>(m_random.between(1, 3)));
        case FieldKind::AnnotationValue:
            return m_random.chance(50) ? ArgValue(m_random.below(9)) : ArgValue("text");
        }
        std::unreachable();
    }

    const analysis::FunctionIndex &m_index;
    Random &m_random;
    bool m_all;
    std::vector<StmtId> m_loops, m_blocks;
};

} // namespace

schedule::Step randomStep(const schedule::State &state, Random &random, Breadth breadth)
{
    return StepMaker(state, random, breadth).step(weighted([](const auto &) { return true; }));
}

bool isDrawnForAll(const schedule::Primitive &primitive)
{
    return std::ranges::contains(drawnForAll, primitive.name);
}

schedule::Step lastingStep(const schedule::State &state, Random &random, const schedule::Primitive *about)
{
    StepMaker maker(state, random, Breadth::Usual);
    return maker.step(about && random.chance(50) ? Primitives{about} : weighted(isDrawnForAll));
}

schedule::State randomlyScheduled(std::uint64_t seed)
{
    constexpr int wanted = 7, mostTries = 60;
    Random random(seed);
    schedule::State state = scheduled(randomProgram(random));
    int steps = 0;
    for (int tries = 0; tries < mostTries && steps < wanted; ++tries) {
        if (auto applied = schedule::apply(state, lastingStep(state, random))) {
            ++steps;
            state = std::move(applied->state);
        }
    }
    return state;
}

} // namespace nestwright::tests
