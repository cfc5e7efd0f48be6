// SPDX-License-Identifier: Apache-2.0
#include "core/explore/trace/buffer_layouts.h"

#include "core/arith/analyzer.h"
#include "core/explore/trace/access_trace.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/strides.h"
#include "core/schedule/layout/layout_map.h"
#include "core/schedule/primitive.h"
#include "core/schedule/rules/storage_scope.h"
#include "core/schedule/state_index.h"
#include "core/schedule/typed.h"

#include <algorithm>
#include <format>

namespace nestwright::explore {

using schedule::State;
using schedule::Step;

namespace {

/// Sizes and steps from one index to the next, in elements.
struct Lengths {
    std::vector<std::int64_t> shape, strides;

    std::int64_t offsetOf(const std::vector<std::int64_t> &indices) const
    {
        std::int64_t offset = 0;
        for (std::size_t i = 0; i < indices.size(); ++i)
            offset += indices[i] * strides[i];
        return offset;
    }
};

/// Nothing where a size or stride is no constant.
std::optional<Lengths> lengthsOf(const ir::Buffer &buffer)
{
    Lengths lengths;
    std::int64_t stride = 1;
    const bool hasStrides = ir::isStrided(buffer);
    const std::size_t rank = buffer.shape().size();
    lengths.shape.resize(rank);
    lengths.strides.resize(rank);
    for (std::size_t i = rank; i-- > 0;) {
        const std::int64_t *extent = ir::asInt(buffer.shape()[i]);
        const std::int64_t *own = hasStrides ? ir::asInt(buffer->strides[i]) : &stride;
        if (!extent || !own)
            return std::nullopt;
        lengths.shape[i] = *extent;
        lengths.strides[i] = *own;
        stride *= *extent;
    }
    return lengths;
}

std::string listText(const std::vector<std::int64_t> &numbers)
{
    std::string text;
    for (const std::int64_t number : numbers)
        text += (text.empty() ? "" : ", ") + std::to_string(number);
    return '(' + text + ')';
}

std::string shapeText(const Lengths &lengths)
{
    std::int64_t compact = 1;
    bool isCompact = true;
    for (std::size_t i = lengths.shape.size(); i-- > 0; compact *= lengths.shape[i])
        isCompact = isCompact && lengths.strides[i] == compact;
    return listText(lengths.shape) + (isCompact ? "" : ", strides " + listText(lengths.strides));
}

/// Every buffer that the function takes or makes.
std::vector<ir::Buffer> buffersOf(const ir::PrimFunc &function)
{
    std::vector<ir::Buffer> buffers;
    for (const ir::Param &param : function.params) {
        if (param.buffer)
            buffers.push_back(param.buffer);
    }
    ir::forEachStmt(function.body, [&](const ir::Stmt &s) {
        if (const auto *block = s.as<ir::Block>())
            buffers.insert(buffers.end(), block->allocBuffers.begin(), block->allocBuffers.end());
        else if (const auto *made = s.as<ir::DeclBuffer>())
            buffers.push_back(made->buffer);
        return true;
    });
    return buffers;
}

/// The cells of a change, all places the same as yet.
LayoutChange changeOf(const Lengths &before, const ir::Buffer &buffer)
{
    LayoutChange change{.buffer = buffer.name()};
    change.elementBytes = std::int64_t{buffer.dtype().bytes()} * buffer.dtype().lanes;
    const std::size_t rank = before.shape.size();
    if (rank >= 1)
        change.columns = std::min(before.shape[rank - 1], mostLayoutCells);
    if (rank >= 2)
        change.rows = std::min(before.shape[rank - 2], mostLayoutCells);
    std::int64_t count = 1;
    for (const std::int64_t extent : before.shape)
        count *= extent;
    change.isPart = change.rows * change.columns < count;
    change.before.shape = shapeText(before);
    return change;
}

/// Calls `f` with the indices of each cell.
template <class F> void forEachCell(const LayoutChange &change, std::size_t rank, const F &f)
{
    std::vector<std::int64_t> indices(rank, 0);
    for (std::int64_t row = 0; row < change.rows; ++row) {
        for (std::int64_t column = 0; column < change.columns; ++column) {
            if (rank >= 2)
                indices[rank - 2] = row;
            if (rank >= 1)
                indices[rank - 1] = column;
            f(indices);
        }
    }
}

/// The change made by an index map, from its values; nothing where a value is no number.
std::optional<LayoutChange> mappedChange(const ir::Buffer &buffer, const ir::Buffer &now,
                                         const schedule::IndexMap &map)
{
    const auto before = lengthsOf(buffer), after = lengthsOf(now);
    if (!before || !after)
        return std::nullopt;
    LayoutChange change = changeOf(*before, buffer);
    change.after.shape = shapeText(*after);
    arith::Analyzer analyzer;
    bool isKnown = true;
    forEachCell(change, before->shape.size(), [&](const std::vector<std::int64_t> &indices) {
        std::vector<ir::Expr> inputs;
        for (std::size_t i = 0; i < indices.size(); ++i)
            inputs.push_back(ir::constant(indices[i], buffer.shape()[i].dtype()));
        std::vector<std::int64_t> values;
        for (const ir::Expr &value : schedule::mapped(map, inputs)) {
            const ir::Expr number = analyzer.simplify(value);
            if (const std::int64_t *known = ir::asInt(number))
                values.push_back(*known);
        }
        isKnown = isKnown && values.size() == after->shape.size();
        change.before.offsets.push_back(before->offsetOf(indices));
        change.after.offsets.push_back(isKnown ? after->offsetOf(values) : 0);
    });
    return isKnown ? std::optional(std::move(change)) : std::nullopt;
}

std::optional<LayoutChange> transformed(const State &before, const State &after, const Step &step)
{
    const auto argument = [&](std::string_view name) -> const schedule::ArgValue & {
        return step.args[step.primitive->fieldIndex(name).value()];
    };
    const auto *block = argument("block").as<support::StmtId>();
    const auto *map = argument("index_map").as<schedule::IndexMap>();
    const analysis::FunctionIndex *index = block ? before.index->of(*block) : nullptr;
    if (!map || !index || map->ranges)
        return std::nullopt;
    const auto given = schedule::ArgType<schedule::BufferRef>::from(argument("buffer"));
    const ir::Buffer buffer = schedule::accessAt(*index->block(*block), given.side, given.index).buffer;
    const ir::Function function = after.module.find(before.index->functionName(*block));
    for (const ir::Buffer &each : buffersOf(*function)) {
        if (each->data == buffer->data)
            return mappedChange(buffer, each, schedule::withSizes(*map, *index->function()));
    }
    return std::nullopt;
}

/// The first buffer whose strides are others after lowering.
std::optional<LayoutChange> spacedAnew(const State &before, const State &after, const target::Target &target)
{
    const auto first = traceableFunction(before.module, target),
               second = traceableFunction(after.module, target);
    if (!first || !second)
        return std::nullopt;
    const std::vector<ir::Buffer> older = buffersOf(**first);
    for (const ir::Buffer &buffer : buffersOf(**second)) {
        const auto old = std::ranges::find(older, buffer.name(), &ir::Buffer::name);
        const auto now = lengthsOf(buffer), was = old == older.end() ? std::nullopt : lengthsOf(*old);
        if (!now || !was || now->shape != was->shape || now->strides == was->strides)
            continue;
        LayoutChange change = changeOf(*was, buffer);
        change.after.shape = shapeText(*now);
        forEachCell(change, was->shape.size(), [&](const std::vector<std::int64_t> &indices) {
            change.before.offsets.push_back(was->offsetOf(indices));
            change.after.offsets.push_back(now->offsetOf(indices));
        });
        return change;
    }
    return std::nullopt;
}

} // namespace

std::vector<LayoutChange> layoutChanges(const StepPath &path, const target::Target &target)
{
    std::vector<LayoutChange> changes;
    for (std::size_t place = 0; place < path.size(); ++place) {
        const State &before = path.state(place), &after = path.state(place + 1);
        const std::string_view name = path.step(place).primitive->name;
        auto change = name == "transform_layout" ? transformed(before, after, path.step(place))
                      : name == "storage_align"  ? spacedAnew(before, after, target)
                                                 : std::nullopt;
        if (!change)
            continue;
        change->place = place;
        change->step = path.label(place);
        changes.push_back(*std::move(change));
    }
    return changes;
}

} // namespace nestwright::explore
