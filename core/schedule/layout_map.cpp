// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/layout_map.h"

#include "core/ir/builder.h"
#include "core/ir/substitute.h"
#include "core/schedule/bindings.h"
#include "core/schedule/edit.h"
#include "core/schedule/iter_inverse.h"

namespace nestwright::schedule {

using support::diagnostic;

std::vector<ir::Expr> mapped(const IndexMap &map, const std::vector<ir::Expr> &inputs)
{
    ir::VarMap<ir::Expr> values;
    for (std::size_t i = 0; i < map.inputs.size(); ++i)
        values[map.inputs[i]] = ir::cast(map.inputs[i]->dtype, inputs[i]);
    std::vector<ir::Expr> outputs;
    for (const ir::Expr &e : map.outputs)
        outputs.push_back(ir::substitute(e, values));
    return outputs;
}

LayoutMap layoutMapOn(const IndexMap &map, const arith::Domains &domain, const std::string &what)
{
    if (map.inputs.size() != domain.size())
        refuse(diagnostic("schedule.index-map", "the index map takes " + std::to_string(map.inputs.size())
                                                    + " indices, but " + what + " has "
                                                    + std::to_string(domain.size())));
    const auto notBijective = [&](const std::string &why) {
        refuse(diagnostic("schedule.not-bijective",
                          "the index map " + str(map) + " is not one to one on " + what + ": " + why)
                   .withHint("a split in it must divide the extent it splits"));
    };
    arith::Analyzer analyzer;
    bindAll(analyzer, domain);
    std::vector<ir::Expr> inputs;
    for (const arith::VarRange &input : domain)
        inputs.push_back(input.var);
    LayoutMap layout{.outputs = mapped(map, inputs), .extents = {}, .indices = {}, .inverse = {}};
    for (ir::Expr &output : layout.outputs)
        output = analyzer.simplify(output);
    const auto affine =
        arith::detectIterMap(layout.outputs, domain, {}, arith::IterMapLevel::Bijective, analyzer);
    if (!affine)
        notBijective(affine.error().message);
    ir::VarMap<arith::IntervalSet> relaxed;
    for (const arith::VarRange &input : domain)
        relaxed[input.var] = arith::IntervalSet::of(input.range);
    ir::Expr before = 1, after = 1;
    for (std::size_t i = 0; i < layout.outputs.size(); ++i) {
        const arith::IntervalSet set = arith::evalSet(layout.outputs[i], relaxed, analyzer);
        if (!set.isBounded() || !ir::isConstInt(analyzer.simplify(set.min), 0))
            notBijective("an index does not begin at 0");
        layout.extents.push_back(analyzer.simplify(set.max + ir::constant(1, set.max.dtype())));
        layout.indices.emplace_back("v" + std::to_string(i), layout.outputs[i].dtype());
        after = after * layout.extents.back();
    }
    for (const arith::VarRange &input : domain)
        before = before * input.range.extent;
    if (!analyzer.canProveEqual(before, after))
        notBijective("it leaves gaps");
    layout.inverse = inverseOf(*affine, {layout.indices.begin(), layout.indices.end()});
    for (auto &[var, value] : layout.inverse)
        value = analyzer.simplify(value);
    for (const arith::VarRange &input : domain) {
        if (!layout.inverse.contains(input.var))
            layout.inverse[input.var] = input.range.min; // it takes one value only
    }
    return layout;
}

} // namespace nestwright::schedule
