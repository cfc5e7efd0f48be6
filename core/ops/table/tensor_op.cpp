// SPDX-License-Identifier: Apache-2.0
#include "core/ops/table/tensor_op.h"

#include "core/ir/build/builder.h"
#include "core/ops/table/codes.h"
#include "core/ops/table/shapes.h"
#include "core/ops/table/tensor_op_tables.h"
#include "core/script/print/printer.h"
#include "core/support/errors/errors.h"
#include "core/support/errors/limits.h"
#include "core/te/create_prim_func.h"

#include <algorithm>
#include <format>
#include <optional>

namespace nestwright::ops {

using support::fail;
using support::Result;
namespace limits = support::limits;

std::optional<std::vector<std::int64_t>> TensorType::constantShape() const
{
    std::vector<std::int64_t> sizes;
    for (const ir::Expr &size : shape) {
        const std::int64_t *constant = ir::asInt(size);
        if (!constant)
            return std::nullopt;
        sizes.push_back(*constant);
    }
    return sizes;
}

std::string TensorType::str() const
{
    std::string sizes;
    for (const ir::Expr &size : shape)
        sizes += (sizes.empty() ? "" : ", ") + script::printExpr(size);
    if (shape.size() == 1)
        sizes += ",";
    return dtype.code == ir::TypeCode::Void ? std::format("({})", sizes)
                                            : std::format("Tensor[({}), {}]", sizes, dtype.str());
}

bool TensorType::operator==(const TensorType &other) const
{
    return dtype == other.dtype
           && std::ranges::equal(shape, other.shape,
                                 [](const ir::Expr &a, const ir::Expr &b) { return sameSize(a, b); });
}

std::string str(const AttributeValue &value)
{
    struct Text {
        std::string operator()(bool b) const { return b ? "True" : "False"; }
        std::string operator()(std::int64_t i) const { return std::to_string(i); }
        std::string operator()(double d) const { return std::format("{}", d); }
        std::string operator()(const std::string &text) const { return std::format("\"{}\"", text); }
        std::string operator()(ir::DataType type) const { return std::format("\"{}\"", type.str()); }
        std::string operator()(const std::vector<std::int64_t> &list) const
        {
            std::string text;
            for (const std::int64_t i : list)
                text += (text.empty() ? "" : ", ") + std::to_string(i);
            return "[" + text + "]";
        }
    };
    return std::visit(Text(), value);
}

std::string_view nameOf(FusionKind kind)
{
    switch (kind) {
    case FusionKind::Elementwise: return "elementwise";
    case FusionKind::Broadcast: return "broadcast";
    case FusionKind::Injective: return "injective";
    case FusionKind::Reduction: return "reduction";
    case FusionKind::OutFusable: return "out-fusable";
    case FusionKind::Opaque: return "opaque";
    }
    return {};
}

const AttributeValue &CallSite::value(std::string_view name) const
{
    const auto found = attributes.find(name);
    NW_ASSERT(found != attributes.end(), std::format("{} has no attribute {}", op.name, name));
    return found->second;
}

std::span<const TensorOp> tensorOps()
{
    static const TensorOps table = [] {
        TensorOps rows;
        for (const auto add : {&addElementwise,
                               &addBroadcast,
                               &addCast,
                               &addReductions,
                               &addArgReductions,
                               &addReshape,
                               &addTranspose,
                               &addConcatenate,
                               &addSlice,
                               &addPad,
                               &addTile,
                               &addGather,
                               &addFill,
                               &addCumulative,
                               &addMatmul,
                               &addConvolution,
                               &addLayout,
                               &addBlockedConvolution,
                               &addWinogradConvolution,
                               &addPool,
                               &addSoftmax,
                               &addNormalization,
                               &addResample,
                               &addQuantize,
                               &addScatter,
                               &addTopK,
                               &addSelection,
                               &addDeterminant,
                               &addGridSample,
                               &addDeformableConvolution,
                               &addRegionAlign,
                               &addRegionAlignAdaptive,
                               &addFold,
                               &addEinsum,
                               &addTrees,
                               &addCoupling,
                               &addNarrow,
                               &addAttention,
                               &addLinearAttention,
                               &addCache,
                               &addQuantizedMatmul}) {
            add(rows);
        }
        std::ranges::sort(rows, {}, &TensorOp::name);
        return rows;
    }();
    return table;
}

const TensorOp *findTensorOp(std::string_view name)
{
    const auto ops = tensorOps();
    const auto found = std::ranges::lower_bound(ops, name, {}, &TensorOp::name);
    return found != ops.end() && found->name == name ? &*found : nullptr;
}

namespace {

constexpr std::int64_t largestInteger = std::int64_t{1} << 31;
constexpr std::size_t mostIntegers = 2 * limits::tensorRank; ///< of a list: one or two for each dimension

/// The first integer that is beyond ±2^31.
std::optional<std::int64_t> tooLarge(const AttributeValue &value)
{
    std::vector<std::int64_t> integers;
    if (const auto *one = std::get_if<std::int64_t>(&value))
        integers = {*one};
    else if (const auto *list = std::get_if<std::vector<std::int64_t>>(&value))
        integers = *list;
    const auto found = std::ranges::find_if(
        integers, [](std::int64_t each) { return each > largestInteger || each < -largestInteger; });
    return found == integers.end() ? std::nullopt : std::optional(*found);
}

} // namespace

Result<Attributes> completeAttributes(const TensorOp &op, Attributes given)
{
    for (const auto &[name, value] : given) {
        const auto field = std::ranges::find(op.attributes, name, &AttributeField::name);
        if (field == op.attributes.end())
            return fail("ops.unknown-attribute",
                        std::format("\"{}\" has no attribute \"{}\"", op.name, name));
        if (field->defaultValue.index() != value.index()) {
            return fail("ops.bad-attribute",
                        std::format("attribute \"{}\" of \"{}\" cannot be {}", name, op.name, str(value)));
        }
        const auto *list = std::get_if<std::vector<std::int64_t>>(&value);
        if (list && list->size() > mostIntegers)
            return fail("ops.bad-attribute",
                        std::format("attribute \"{}\" of \"{}\" has {} numbers; a tensor "
                                    "has {} dimensions at most",
                                    name, op.name, list->size(), limits::tensorRank));
        if (const auto beyond = field->unlimited ? std::nullopt : tooLarge(value))
            return fail("ops.bad-attribute",
                        std::format("attribute \"{}\" of \"{}\" cannot be {}, which is beyond 2^31", name,
                                    op.name, *beyond));
    }
    for (const AttributeField &field : op.attributes)
        given.try_emplace(std::string(field.name), field.defaultValue);
    return given;
}

Result<std::vector<TensorType>> inferTypes(const CallSite &site)
{
    const auto count = static_cast<int>(site.inputs.size());
    if (count < site.op.minInputs || (site.op.maxInputs >= 0 && count > site.op.maxInputs))
        return fail("ops.input-count", std::format("\"{}\" does not take {} inputs", site.op.name, count));
    try {
        std::vector<TensorType> types = site.op.infer(site);
        for (const TensorType &type : types) {
            if (type.shape.size() > limits::tensorRank)
                return fail("ops.too-large",
                            std::format("\"{}\" would give a tensor of {} dimensions; {} is the most",
                                        site.op.name, type.shape.size(), limits::tensorRank));
            double elements = 1; // of an empty tensor those that its other dimensions have
            for (const ir::Expr &size : type.shape) {
                const std::int64_t *constant = ir::asInt(size);
                elements *= constant && *constant > 0 ? static_cast<double>(*constant) : 1;
                if (constant && *constant < 0)
                    return fail(codes::type,
                                std::format("\"{}\" would give a dimension of {}", site.op.name, *constant));
            }
            if (elements >= 2147483648.0)
                return fail("ops.too-large", std::format("\"{}\" would give {}, 2^31 elements or more",
                                                         site.op.name, type.str()));
        }
        return types;
    } catch (const support::UserError &error) {
        support::Diagnostic told = error.diagnostic();
        told.message = std::format("\"{}\": {}", site.op.name, told.message);
        return fail(std::move(told));
    }
}

Result<ir::Module> moduleOf(const CallSite &site, std::span<const TensorType> results)
{
    try {
        if (site.op.function)
            return ir::Module({{"main", site.op.function(site, results)}});
        te::Builder builder(true);
        Tensors inputs;
        std::vector<te::Argument> arguments;
        for (std::size_t i = 0; i < site.inputs.size(); ++i) {
            inputs.push_back(
                builder.placeholder(site.inputs[i].shape, site.inputs[i].dtype, std::format("p{}", i)));
            arguments.emplace_back(inputs.back());
        }
        for (const te::Tensor &result : site.op.compute(builder, site, inputs))
            arguments.emplace_back(result);
        return te::createModule(arguments);
    } catch (const support::UserError &error) {
        return fail(error.diagnostic());
    }
}

} // namespace nestwright::ops
