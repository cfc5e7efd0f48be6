// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/layout/layout_map.h"

#include "core/arith/iter_map/inverse.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/schedule/edit.h"
#include "core/schedule/layout/index_padding.h"
#include "core/schedule/rules/bindings.h"

#include <algorithm>
#include <map>

namespace nestwright::schedule {

using support::diagnostic;

namespace {

/// Puts values of another type than the variables have in their place: operators match their operands anew.
class Applier : public ir::Rewriter {
public:
    explicit Applier(const ir::VarMap<ir::Expr> &values) : m_values(values) {}

    ir::Expr expr(const ir::Expr &e) override
    {
        if (const ir::Var var = ir::Var::from(e)) {
            const auto found = m_values.find(var);
            return found == m_values.end() ? e : found->second;
        }
        if (const auto *node = e.as<ir::Binary>())
            return ir::binary(node->op, expr(node->a), expr(node->b));
        if (const auto *node = e.as<ir::Cast>())
            return ir::cast(node->dtype, expr(node->value));
        return children(e);
    }

private:
    const ir::VarMap<ir::Expr> &m_values;
};

/// The map with the padding that it asks for.
struct PaddedMap {
    std::vector<ir::Expr> outputs;       ///< in terms of the domain's variables
    arith::Domains domain;               ///< the variables with their padding: new ones where there is some
    std::vector<ir::Expr> paddedOutputs; ///< in terms of those
    ir::VarMap<IndexPadding> padding;    ///< of the domain's variables
    Result<arith::IterMap> affine = {};
    bool isOfDomain = false; ///< `affine` is in terms of the variables without padding
};

/// Neither indices nor extents of the new layout go beyond their type.
void requireHeld(const std::vector<ir::Expr> &outputs, const arith::Domains &domain, const IndexMap &map,
                 const std::string &what)
{
    for (const ir::Expr &output : outputs) {
        if (arith::leavesType(output + ir::constant(1, output.dtype()), domain))
            refuse(diagnostic("schedule.index-map", "the index map " + str(map) + " gives indices on " + what
                                                        + " that " + output.dtype().str() + " does not hold")
                       .withHint("leave more dimensions apart"));
    }
}

PaddedMap paddedMapOn(const IndexMap &map, const arith::Domains &domain, const std::string &what,
                      arith::IterMapLevel level, arith::Analyzer &analyzer)
{
    requireInputs(map, domain.size(), what);
    std::vector<ir::Expr> inputs;
    for (const arith::VarRange &input : domain)
        inputs.push_back(input.var);
    PaddedMap result;
    result.outputs = mapped(map, inputs);
    requireHeld(result.outputs, domain, map, what);
    result.padding = paddingOf(result.outputs, domain, analyzer);
    ir::VarMap<ir::Expr> shifted;
    for (const arith::VarRange &input : domain) {
        const auto padding = result.padding.find(input.var);
        if (padding == result.padding.end()) {
            result.domain.push_back(input);
            continue;
        }
        const ir::Var grown(input.var.name(), input.var->dtype);
        const ir::Expr &left = padding->second.left;
        shifted[input.var] = ir::isConstInt(left, 0) ? ir::Expr(grown) : grown - left;
        result.domain.push_back({grown, {ir::constant(0, grown->dtype), padding->second.extent}});
    }
    for (const ir::Expr &output : result.outputs)
        result.paddedOutputs.push_back(shifted.empty() ? output : ir::substitute(output, shifted));
    requireHeld(result.paddedOutputs, result.domain, map, what);
    // Loops of one iteration keep their part, so that the map can be turned round.
    result.affine = arith::detectIterMap(result.paddedOutputs, result.domain, {}, level, analyzer, false);
    if (!result.affine
        && !result.padding.empty()) { // a divisor that is no number: the map tells itself where it pads
        auto own = arith::detectIterMap(result.outputs, domain, {}, level, analyzer, false);
        result.isOfDomain = own.has_value();
        if (own)
            result.affine = std::move(own);
    }
    return result;
}

/// The extents of a map of iterators: its terms do not overlap, so that of the greatest is that of the sum.
std::vector<ir::Expr> iterMapExtents(const arith::IterMap &map, const std::string &what,
                                     arith::Analyzer &analyzer)
{
    std::vector<ir::Expr> extents;
    for (const arith::IterSum &sum : map.indices) {
        if (!ir::isConstInt(analyzer.simplify(sum.base), 0))
            refuse(diagnostic("schedule.index-map", "an index of the map does not begin at 0 on " + what)
                       .withHint("leave out the constant that is added"));
        ir::Expr extent;
        for (const arith::IterSplit &part : sum.args) {
            const ir::Expr own = part.extent * part.scale;
            extent = extent ? ir::max(extent, own) : own;
        }
        extents.push_back(extent ? analyzer.simplify(extent) : ir::constant(1, sum.base.dtype()));
    }
    return extents;
}

/// Condition for the padded variable, whose value is `value`, being outside of the variable's own domain.
ir::Expr isPadding(const IndexPadding &padding, const ir::Expr &value)
{
    const ir::Expr group = ir::floorDiv(value, padding.factor), place = ir::floorMod(value, padding.factor);
    const ir::Expr zero = ir::constant(0, value.dtype()), edge = padding.extent - padding.right;
    const ir::Expr before = ir::logicalAnd(ir::logicalAnd(ir::ne(padding.left, zero), ir::eq(group, zero)),
                                           ir::lt(place, padding.left));
    const ir::Expr behind = ir::logicalAnd(
        ir::logicalAnd(ir::ne(padding.right, zero), ir::eq(group, ir::floorDiv(edge, padding.factor))),
        ir::ge(place, ir::floorMod(edge, padding.factor)));
    return ir::logicalOr(before, behind);
}

void requireInverse(const LayoutMap &layout, const arith::Domains &domain, const IndexMap &map,
                    const std::string &what)
{
    arith::Analyzer analyzer;
    bindAll(analyzer, domain);
    ir::VarMap<ir::Expr> outputs;
    for (std::size_t i = 0; i < layout.indices.size(); ++i)
        outputs[layout.indices[i]] = layout.outputs[i];
    for (const arith::VarRange &input : domain) {
        const auto value = layout.inverse.find(input.var);
        if (ir::isConstInt(input.range.extent, 1))
            continue;
        if (value == layout.inverse.end()
            || !analyzer.canProveEqual(ir::substitute(value->second, outputs), input.var))
            refuse(diagnostic("schedule.not-injective", "the index map " + str(map) + " is not known to keep "
                                                            + "the elements of " + what + " apart")
                       .withHint("an index map uses each of its indices completely, as in i // 4, i % 4"));
    }
}

/// Simplified, but for a variable that takes one value only: it stays, so that the index still follows it.
ir::Expr nonTrivially(const ir::Expr &e, arith::Analyzer &analyzer)
{
    const ir::Expr plain = arith::simplify(e);
    return ir::Var::from(plain) ? plain : analyzer.simplify(e);
}

/// Leaves out parts of one value in sums of several: they say nothing of their variables. `marks` are those
/// done already.
arith::IterSum withoutUnits(const arith::IterSum &sum,
                            std::map<arith::IterMarkPtr, arith::IterMarkPtr> &marks)
{
    arith::IterSum result{.args = {}, .base = sum.base};
    for (arith::IterSplit split : sum.args) {
        if (sum.args.size() > 1 && ir::isConstInt(split.extent, 1))
            continue;
        const arith::IterMarkPtr source = split.source;
        if (!source->var && !marks.contains(source)) {
            arith::IterMark copy = *source;
            copy.sum = withoutUnits(copy.sum, marks);
            marks[source] = std::make_shared<const arith::IterMark>(std::move(copy));
        }
        if (!source->var)
            split.source = marks[source];
        result.args.push_back(std::move(split));
    }
    return result;
}

LayoutMap turnedRound(const PaddedMap &padded, const arith::Domains &domain, const std::string &what,
                      const std::string &prefix, arith::Analyzer &analyzer)
{
    LayoutMap layout;
    layout.padding = ir::boolImm(false);
    for (const arith::VarRange &input : domain)
        layout.inputs.push_back(input.var);
    layout.extents = iterMapExtents(*padded.affine, what, analyzer);
    for (std::size_t i = 0; i < padded.outputs.size(); ++i) {
        layout.outputs.push_back(analyzer.simplify(padded.outputs[i]));
        layout.indices.emplace_back(prefix + std::to_string(i), padded.outputs[i].dtype());
    }
    arith::IterMap affine = *padded.affine;
    std::map<arith::IterMarkPtr, arith::IterMarkPtr> marks;
    for (arith::IterSum &sum : affine.indices)
        sum = withoutUnits(sum, marks);
    const auto inverse = arith::inverseOf(affine, {layout.indices.begin(), layout.indices.end()});
    arith::Analyzer ofIndices;
    for (std::size_t i = 0; i < layout.indices.size(); ++i)
        ofIndices.bind(layout.indices[i], {ir::constant(0, layout.indices[i]->dtype), layout.extents[i]});
    for (std::size_t i = 0; i < domain.size(); ++i) {
        const ir::Var &var = domain[i].var;
        const arith::VarRange &own = padded.isOfDomain ? domain[i] : padded.domain[i];
        const auto found = inverse.find(own.var);
        ir::Expr value = found == inverse.end() ? own.range.min : found->second;
        const auto padding = padded.padding.find(var);
        if (padded.isOfDomain && padding != padded.padding.end())
            value = value + padding->second.left;
        if (padding == padded.padding.end()) {
            layout.inverse[var] = nonTrivially(value, ofIndices);
            continue;
        }
        layout.inverse[var] = nonTrivially(value - padding->second.left, ofIndices);
        layout.padding = ir::logicalOr(layout.padding, isPadding(padding->second, value));
    }
    layout.padding = ofIndices.simplify(layout.padding);
    return layout;
}

} // namespace

void requireInputs(const IndexMap &map, std::size_t count, const std::string &what)
{
    if (map.inputs.size() != count)
        refuse(diagnostic("schedule.index-map", "the index map takes " + std::to_string(map.inputs.size())
                                                    + " indices, but " + what + " has "
                                                    + std::to_string(count)));
}

ir::Expr applied(const ir::Expr &e, const ir::VarMap<ir::Expr> &values)
{
    return values.empty() ? e : Applier(values).expr(e);
}

IndexMap withSizes(const IndexMap &map, const ir::PrimFunc &function)
{
    std::map<std::string, ir::Var> sizes;
    for (const ir::Param &param : function.params) {
        if (!param.buffer)
            sizes.try_emplace(param.var.name(), param.var);
        else {
            for (const ir::Expr &extent : param.buffer.shape()) {
                for (const ir::Var &var : ir::variablesOf(extent))
                    sizes.try_emplace(var.name(), var);
            }
        }
    }
    ir::VarMap<ir::Expr> values;
    for (const ir::Expr &output : map.outputs) {
        for (const ir::Var &var : ir::variablesOf(output)) {
            if (std::ranges::contains(map.inputs, var))
                continue;
            const auto size = sizes.find(var.name());
            if (size == sizes.end())
                refuse(
                    diagnostic("schedule.index-map", "the index map " + str(map) + " names '" + var.name()
                                                         + "', which is neither an index of it nor a size of "
                                                           "the function"));
            values[var] = size->second;
        }
    }
    IndexMap result = map;
    for (ir::Expr &output : result.outputs)
        output = applied(output, values);
    return result;
}

std::vector<ir::Expr> valuesAt(const IndexMap &map, const std::vector<ir::Expr> &inputs)
{
    ir::VarMap<ir::Expr> values;
    for (std::size_t i = 0; i < map.inputs.size(); ++i)
        values[map.inputs[i]] = inputs[i];
    Applier applier(values);
    std::vector<ir::Expr> outputs;
    for (const ir::Expr &output : map.outputs)
        outputs.push_back(applier.expr(output));
    return outputs;
}

std::vector<ir::Expr> mapped(const IndexMap &map, const std::vector<ir::Expr> &inputs)
{
    std::vector<ir::Expr> outputs = valuesAt(map, inputs);
    for (ir::Expr &output : outputs) {
        // A plain number is an index like the others; one of a wider type is meant to be.
        if (output.as<ir::IntImm>() && !inputs.empty() && output.dtype().bits < inputs.front().dtype().bits)
            output = ir::cast(inputs.front().dtype(), output);
    }
    return outputs;
}

LayoutMap layoutMapOn(const IndexMap &map, const arith::Domains &domain, const std::string &what,
                      const std::string &prefix)
{
    arith::Analyzer analyzer;
    bindAll(analyzer, domain);
    const PaddedMap padded = paddedMapOn(map, domain, what, arith::IterMapLevel::NoCheck, analyzer);
    if (!padded.affine)
        refuse(diagnostic("schedule.not-injective", "the index map " + str(map)
                                                        + " cannot be turned round on " + what + ": "
                                                        + padded.affine.error().message));
    LayoutMap layout = turnedRound(padded, domain, what, prefix, analyzer);
    requireInverse(layout, domain, map, what);
    return layout;
}

LayoutMap bijectionOn(const IndexMap &map, const arith::Domains &domain, const std::string &what,
                      const std::string &prefix)
{
    arith::Analyzer analyzer;
    bindAll(analyzer, domain);
    const auto notBijective = [&](const std::string &why) {
        refuse(diagnostic("schedule.not-bijective",
                          "the index map " + str(map) + " is not one to one on " + what + ": " + why)
                   .withHint("a split in it must divide the extent it splits"));
    };
    const PaddedMap padded = paddedMapOn(map, domain, what, arith::IterMapLevel::Bijective, analyzer);
    if (!padded.padding.empty())
        notBijective("it leaves gaps");
    if (!padded.affine)
        notBijective(padded.affine.error().message);
    return turnedRound(padded, domain, what, prefix, analyzer);
}

std::vector<ir::Expr> mappedExtents(const IndexMap &map, const arith::Domains &domain,
                                    const std::string &what)
{
    arith::Analyzer analyzer;
    bindAll(analyzer, domain);
    const PaddedMap padded = paddedMapOn(map, domain, what, arith::IterMapLevel::NoCheck, analyzer);
    if (padded.affine)
        return iterMapExtents(*padded.affine, what, analyzer);
    ir::VarMap<arith::IntervalSet> relaxed;
    for (const arith::VarRange &input : domain)
        relaxed[input.var] = arith::IntervalSet::of(input.range);
    std::vector<ir::Expr> extents;
    for (const ir::Expr &output : padded.outputs) {
        const arith::IntervalSet set = arith::evalSet(output, relaxed, analyzer);
        if (!set.isBounded() || !analyzer.canProve(ir::ge(set.min, ir::constant(0, set.min.dtype()))))
            refuse(diagnostic("schedule.index-map",
                              "an index of the map " + str(map) + " has no known bounds from 0 on " + what));
        extents.push_back(analyzer.simplify(set.max + ir::constant(1, set.max.dtype())));
    }
    return extents;
}

} // namespace nestwright::schedule
