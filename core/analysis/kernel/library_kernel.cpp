// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/kernel/library_kernel.h"

#include "core/arith/analyzer.h"
#include "core/arith/knowledge/linear.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

namespace nestwright::analysis {

namespace {

using Shape = std::vector<std::int64_t>;
using Variables = std::vector<ir::Var>;

/// A stage that stores one value for each point of its domain, or adds up such values.
struct Stage {
    Variables spatial, reduced;
    Shape reducedExtents;
    ir::Buffer buffer;              ///< that it fills
    ir::Expr value;                 ///< where it is reduced: what each term is put in
    std::optional<ir::BinaryOp> op; ///< of a reduction
    ir::Expr start;                 ///< of a reduction
};

/// Sizes of a compact array of float32; empty for another one.
Shape shapeOf(const ir::Buffer &buffer)
{
    Shape shape;
    for (const ir::Expr &each : buffer->shape) {
        const std::int64_t *size = ir::asInt(each);
        if (!size || *size <= 0 || buffer->dtype != ir::DataType::float32() || !buffer->strides.empty())
            return {};
        shape.push_back(*size);
    }
    return shape;
}

/// Whether the first indices are these variables.
bool beginWith(const std::vector<ir::Expr> &indices, const Variables &variables)
{
    return indices.size() >= variables.size()
           && std::ranges::equal(variables, std::span(indices).first(variables.size()),
                                 [](const ir::Var &variable, const ir::Expr &index) {
                                     return ir::Var::from(index) == variable;
                                 });
}

bool areIndices(const std::vector<ir::Expr> &indices, const Variables &variables)
{
    return indices.size() == variables.size() && beginWith(indices, variables);
}

/// Whether `e` loads from `buffer` at these variables.
bool loads(const ir::Expr &e, const ir::Buffer &buffer, const Variables &variables)
{
    const auto *load = e.as<ir::BufferLoad>();
    return load && load->buffer == buffer && areIndices(load->indices, variables);
}

/// Nothing where the block does something else, or not to all of the buffer that it writes.
std::optional<Stage> stageOf(const ir::Block &block)
{
    Stage stage;
    Shape extents;
    for (const ir::IterVar &iter : block.iterVars) {
        const bool isSpatial = iter.kind == ir::IterKind::Spatial;
        const std::int64_t *begin = ir::asInt(iter.domain.min), *extent = ir::asInt(iter.domain.extent);
        if (!begin || *begin != 0 || !extent || (!isSpatial && iter.kind != ir::IterKind::Reduce))
            return {};
        (isSpatial ? stage.spatial : stage.reduced).push_back(iter.var);
        (isSpatial ? extents : stage.reducedExtents).push_back(*extent);
    }
    const auto *store = block.body.as<ir::BufferStore>(), *init = block.init.as<ir::BufferStore>();
    if (!store || !ir::isConstInt(block.predicate, 1) || shapeOf(store->buffer) != extents
        || !areIndices(store->indices, stage.spatial) || (init == nullptr) != stage.reduced.empty())
        return {};
    stage.buffer = store->buffer;
    stage.value = store->value;
    if (!init)
        return stage;
    const auto *sum = store->value.as<ir::Binary>();
    if (!sum || !loads(sum->a, stage.buffer, stage.spatial) || init->buffer != stage.buffer
        || !areIndices(init->indices, stage.spatial))
        return {};
    stage.op = sum->op;
    stage.value = sum->b;
    stage.start = init->value;
    return stage;
}

/// All stages of the function; empty where a block is none.
std::vector<Stage> stagesOf(const ir::PrimFunc &function)
{
    std::vector<Stage> stages;
    bool isKnown = true;
    ir::forEachStmt(function.body, [&](const ir::Stmt &stmt) {
        const auto *block = stmt.as<ir::Block>();
        if (!block || block->iterVars.empty())
            return true;
        auto stage = stageOf(*block);
        isKnown = isKnown && stage;
        if (stage)
            stages.push_back(*std::move(stage));
        return true;
    });
    return isKnown ? std::move(stages) : std::vector<Stage>();
}

bool isZero(const ir::Expr &e)
{
    const auto *number = e.as<ir::FloatImm>();
    return number && number->value == 0;
}

/// Whether no finite float32 is less.
bool isLowest(const ir::Expr &e)
{
    const auto *number = e.as<ir::FloatImm>();
    return number && number->value <= std::numeric_limits<float>::lowest();
}

/// The operands of a binary operation; nulls for another expression.
std::pair<ir::Expr, ir::Expr> operands(const ir::Expr &e, ir::BinaryOp op)
{
    const auto *binary = e.as<ir::Binary>();
    return binary && binary->op == op ? std::pair(binary->a, binary->b) : std::pair<ir::Expr, ir::Expr>();
}

/// `index` as position · stride + tap · dilation.
bool takeApart(const ir::Expr &index, const ir::Var &position, const ir::Var &tap, std::int64_t &stride,
               std::int64_t &dilation)
{
    arith::LinearSum sum;
    sum.add(index);
    stride = dilation = 0;
    for (const arith::LinearTerm &term : sum.terms) {
        const auto variable = ir::Var::from(term.atom);
        if (variable == position)
            stride = term.coeff;
        else if (variable == tap)
            dilation = term.coeff;
        else
            return false;
    }
    return !sum.overflow && sum.base == 0 && stride > 0 && dilation > 0;
}

/// The offset that `index` has to the variable; nothing for another expression.
std::optional<std::int64_t> offsetTo(const ir::Var &variable, const ir::Expr &index)
{
    arith::LinearSum sum;
    sum.add(index);
    if (sum.overflow || sum.terms.size() != 1 || sum.terms[0].coeff != 1
        || ir::Var::from(sum.terms[0].atom) != variable)
        return {};
    return sum.base;
}

/// Whether the condition holds within the input alone; tried at and beside its edges.
bool isInside(const ir::Expr &condition, const Variables &at, const Convolution &found)
{
    const auto edges = [&](int axis) {
        const std::int64_t begin = found.padding[axis], end = begin + found.input[axis];
        return std::array{std::int64_t{0}, begin - 1, begin, end - 1, end};
    };
    const auto has = [&](int axis, std::int64_t place) {
        return place >= found.padding[axis] && place < found.padding[axis] + found.input[axis];
    };
    for (const std::int64_t row : edges(0)) {
        for (const std::int64_t column : edges(1)) {
            const ir::Expr there = arith::simplify(
                ir::substitute(condition, {{at[2], ir::intImm(row)}, {at[3], ir::intImm(column)}}));
            if (!ir::isConstInt(there, has(0, row) && has(1, column) ? 1 : 0))
                return false;
        }
    }
    return true;
}

/// The input of a stage that pads rows and columns with zeros: fills in size and padding.
bool readPadding(const Stage &stage, Convolution &found)
{
    if (stage.op || stage.spatial.size() != 4)
        return false;
    const auto *select = stage.value.as<ir::Select>();
    const auto *call = stage.value.as<ir::Call>();
    const bool chooses = call && call->callee == ir::intrinsics::ifThenElse;
    if (!select && !chooses)
        return false;
    const ir::Expr &condition = select ? select->condition : call->args[0];
    const auto *load = (select ? select->trueValue : call->args[1]).as<ir::BufferLoad>();
    if (!load || !isZero(select ? select->falseValue : call->args[2]) || load->indices.size() != 4)
        return false;
    const Shape shape = shapeOf(load->buffer);
    if (shape.size() != 4 || shape[0] != found.batch || shape[1] != found.channels
        || !beginWith(load->indices, {stage.spatial[0], stage.spatial[1]}))
        return false;
    for (int axis = 0; axis < 2; ++axis) {
        const auto offset = offsetTo(stage.spatial[axis + 2], load->indices[axis + 2]);
        if (!offset || *offset > 0)
            return false;
        found.padding[axis] = -*offset;
        found.input[axis] = shape[axis + 2];
    }
    return isInside(condition, stage.spatial, found);
}

std::optional<Convolution> convolutionOf(const std::vector<Stage> &stages)
{
    if (stages.empty() || stages.size() > 2)
        return {};
    const Stage &last = stages.back();
    auto [x, w] = operands(last.value, ir::BinaryOp::Mul);
    if (!x || last.op != ir::BinaryOp::Add || !isZero(last.start) || last.spatial.size() != 4
        || last.reduced.size() != 3)
        return {};
    const Variables &at = last.spatial, &taps = last.reduced;
    const auto isWeight = [&](const ir::Expr &e) {
        const auto *load = e.as<ir::BufferLoad>();
        return load && areIndices(load->indices, {at[1], taps[0], taps[1], taps[2]});
    };
    if (!isWeight(w))
        std::swap(x, w);
    const auto *image = x.as<ir::BufferLoad>();
    if (!isWeight(w) || !image || image->indices.size() != 4 || !beginWith(image->indices, {at[0], taps[0]}))
        return {};
    const Shape output = shapeOf(last.buffer), weights = shapeOf(w.as<ir::BufferLoad>()->buffer),
                input = shapeOf(image->buffer);
    const Shape &terms = last.reducedExtents;
    if (input.size() != 4 || weights != Shape{output[1], terms[0], terms[1], terms[2]}
        || input[0] != output[0] || input[1] != terms[0])
        return {};
    Convolution found{.batch = output[0], .channels = input[1], .filters = output[1]};
    for (int axis = 0; axis < 2; ++axis) {
        found.input[axis] = input[axis + 2];
        found.output[axis] = output[axis + 2];
        found.kernel[axis] = terms[axis + 1];
        if (!takeApart(image->indices[axis + 2], at[axis + 2], taps[axis + 1], found.stride[axis],
                       found.dilation[axis]))
            return {};
    }
    if (stages.size() == 2 && (stages[0].buffer != image->buffer || !readPadding(stages[0], found)))
        return {};
    return found;
}

std::optional<Softmax> softmaxOf(const std::vector<Stage> &stages)
{
    if (stages.size() != 4)
        return {};
    const Stage &most = stages[0], &power = stages[1], &sum = stages[2], &last = stages[3];
    const Shape shape = shapeOf(last.buffer);
    const auto hasRank = [](const Stage &stage, std::size_t spatial, std::size_t reduced) {
        return stage.spatial.size() == spatial && stage.reduced.size() == reduced;
    };
    if (shape.size() != 2 || !hasRank(most, 1, 1) || !hasRank(power, 2, 0) || !hasRank(sum, 1, 1)
        || !hasRank(last, 2, 0) || shapeOf(power.buffer) != shape || most.op != ir::BinaryOp::Max
        || !isLowest(most.start) || sum.op != ir::BinaryOp::Add || !isZero(sum.start))
        return {};
    const auto isWholeRow = [&](const Stage &stage) {
        return stage.reducedExtents[0] == shape[1] && shapeOf(stage.buffer) == Shape{shape[0]};
    };
    const auto row = [](const Stage &stage) { return Variables{stage.spatial[0]}; };
    const auto along = [](const Stage &stage) { return Variables{stage.spatial[0], stage.reduced[0]}; };
    const auto *input = most.value.as<ir::BufferLoad>();
    const auto *exp = power.value.as<ir::Call>();
    if (!input || !exp || exp->callee != ir::intrinsics::exp || shapeOf(input->buffer) != shape)
        return {};
    const auto [x, greatest] = operands(exp->args[0], ir::BinaryOp::Sub);
    const auto [dividend, divisor] = operands(last.value, ir::BinaryOp::Div);
    const bool fits = isWholeRow(most) && isWholeRow(sum) && x && dividend
                      && loads(most.value, input->buffer, along(most))
                      && loads(x, input->buffer, power.spatial) && loads(greatest, most.buffer, row(power))
                      && loads(sum.value, power.buffer, along(sum))
                      && loads(dividend, power.buffer, last.spatial) && loads(divisor, sum.buffer, row(last));
    return fits ? std::optional(Softmax{shape[0], shape[1]}) : std::nullopt;
}

} // namespace

double flopsOf(const LibraryKernel &kernel)
{
    return std::visit([](const auto &each) { return each.flops(); }, kernel);
}

std::optional<LibraryKernel> libraryKernelOf(const ir::PrimFunc &function)
{
    if (const auto product = matrixProductOf(function))
        return *product;
    const std::vector<Stage> stages = stagesOf(function);
    if (const auto convolution = convolutionOf(stages))
        return *convolution;
    if (const auto softmax = softmaxOf(stages))
        return *softmax;
    return {};
}

} // namespace nestwright::analysis
