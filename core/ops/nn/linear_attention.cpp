// SPDX-License-Identifier: Apache-2.0
/// Attention without softmax, by a matrix per head that is carried from position to position: A.
/// Katharopoulos et al., "Transformers are RNNs", 2020; with the delta rule: S. Yang et al., "Gated Delta
/// Networks", 2024.
#include "core/ir/build/builder.h"
#include "core/ops/table/script_function.h"
#include "core/ops/table/shapes.h"
#include "core/ops/table/tensor_op_tables.h"

#include <format>

namespace nestwright::ops {

namespace {

struct StateSizes {
    std::int64_t batch, steps, heads, groups, depth, width; ///< as in nn.attention; groups share a state
};

StateSizes stateSizes(const CallSite &site)
{
    for (std::size_t i = 0; i < 4; ++i)
        requireRank(site.input(i), 4, i == 3 ? "the state" : "each of queries, keys and values");
    const auto sizes = [&](std::size_t i) { return constantSizes(site.input(i).shape, "every size"); };
    const std::vector<std::int64_t> q = sizes(0), k = sizes(1), v = sizes(2), state = sizes(3);
    const StateSizes found{q[0], q[1], q[2], k[2], q[3], v[3]};
    const auto [batch, steps, heads, groups, depth, width] = found;
    if (k != std::vector{batch, steps, groups, depth} || v != std::vector{batch, steps, groups, width}
        || state != std::vector{batch, groups, depth, width})
        typeError(std::format("queries, keys, values and state do not fit together: {}, {}, {}, {}",
                              site.input(0).str(), site.input(1).str(), site.input(2).str(),
                              site.input(3).str()));
    if (groups < 1 || heads % groups != 0)
        typeError(std::format("{} heads of queries cannot share {} states", heads, groups));
    return found;
}

/// The input behind the state that the flag asks for, which must be batch × positions × heads × elements,
/// where either of the last two may be 1. 0 where it is not asked for.
std::size_t factorInput(const CallSite &site, std::string_view flag, const StateSizes &sizes)
{
    if (!site.flag(flag))
        return 0;
    const std::size_t place = flag == "beta" && site.flag("decay") ? 5 : 4;
    if (place >= site.inputs.size())
        typeError(std::format("the input \"{}\" is missing", flag));
    requireRank(site.input(place), 4, std::format("\"{}\"", flag));
    const std::vector<std::int64_t> shape = constantSizes(site.input(place).shape, "every size");
    const std::int64_t elements = flag == "decay" ? sizes.depth : 1;
    if (shape[0] != sizes.batch || shape[1] != sizes.steps || (shape[2] != 1 && shape[2] != sizes.groups)
        || (shape[3] != 1 && shape[3] != elements))
        typeError(std::format("\"{}\" does not fit: {}", flag, site.input(place).str()));
    return place;
}

std::vector<TensorType> inferLinearAttention(const CallSite &site)
{
    for (const TensorType &input : site.inputs) {
        if (!input.dtype.isFloating())
            typeError(std::format("it needs floating-point numbers, not {}", input.str()));
    }
    const StateSizes sizes = stateSizes(site);
    const std::size_t wanted = 4 + (factorInput(site, "decay", sizes) != 0 ? 1U : 0U)
                               + (factorInput(site, "beta", sizes) != 0 ? 1U : 0U);
    if (site.inputs.size() != wanted)
        typeError(std::format("it has {} inputs, but its attributes ask for {}", site.inputs.size(), wanted));
    const Shape shape = site.input().shape;
    return {{{shape[0], shape[1], shape[2], site.input(2).shape[3]}, site.input().dtype}, site.input(3)};
}

/// The text of an element of a factor in the step `t` of the state `g`.
std::string factor(const CallSite &site, std::size_t place)
{
    const auto axis = [&](std::size_t i, const char *name) {
        return ir::isConstInt(site.input(place).shape[i], 1) ? "0" : name;
    };
    return std::format("p{}[vb, vt, {}, {}]", place, axis(2, "vg"), axis(3, "vd"));
}

/// One loop nest over positions for each state, all in float32 at least.
ir::Function linearAttentionFunction(const CallSite &site, std::span<const TensorType> results)
{
    const StateSizes sizes = stateSizes(site);
    const std::string type = sumType(site.input().dtype).str();
    const auto wide = [&](const std::string &element) {
        return std::format("T.Cast(\"{}\", {})", type, element);
    };
    const std::int64_t share = sizes.heads / sizes.groups;
    const std::size_t decay = factorInput(site, "decay", sizes), beta = factorInput(site, "beta", sizes);
    std::string text = std::format("    state = T.alloc_buffer(({}, {}, {}, {}), \"{}\")\n", sizes.batch,
                                   sizes.groups, sizes.depth, sizes.width, type)
                       + std::format("    fresh = T.alloc_buffer(({}, {}, {}), \"{}\")\n", sizes.batch,
                                     sizes.groups, sizes.width, type)
                       + std::format("    mixed = T.alloc_buffer(({}, {}, {}), \"{}\")\n", sizes.batch,
                                     sizes.heads, sizes.width, type)
                       + std::format("    for b, g in T.grid({}, {}):\n", sizes.batch, sizes.groups);
    struct Axis {
        std::string loop; ///< empty: of the loops around
        std::string kind, name, value;
        std::int64_t extent;
    };
    const Axis b{"", "spatial", "vb", "b", sizes.batch}, g{"", "spatial", "vg", "g", sizes.groups},
        t{"", "opaque", "vt", "t", sizes.steps}, d{"d", "spatial", "vd", "d", sizes.depth},
        m{"m", "spatial", "vm", "m", sizes.width}, sum{"d", "reduce", "vd", "d", sizes.depth};
    const auto block = [&](std::string indent, const std::string &name, const std::vector<Axis> &axes,
                           const std::string &first, const std::string &statement) {
        for (const Axis &axis : axes) {
            if (axis.loop.empty())
                continue;
            text += std::format("{}for {} in range({}):\n", indent, axis.loop,
                                axis.loop == "r" ? share : axis.extent);
            indent += "    ";
        }
        text += std::format("{}with T.block(\"{}\"):\n", indent, name);
        indent += "    ";
        for (const Axis &axis : axes)
            text += std::format("{}{} = T.axis.{}({}, {})\n", indent, axis.name, axis.kind, axis.extent,
                                axis.value);
        if (!first.empty())
            text += std::format("{0}with T.init():\n{0}    {1}\n", indent, first);
        text += indent + statement + "\n";
    };
    const std::string outer(8, ' '), inner(12, ' ');
    block(outer, "start", {b, g, d, m}, "", "state[vb, vg, vd, vm] = " + wide("p3[vb, vg, vd, vm]"));
    text += std::format("{}for t in range({}):\n", outer, sizes.steps);
    if (decay != 0) {
        block(inner, "decay", {b, g, t, d, m}, "",
              std::format("state[vb, vg, vd, vm] = state[vb, vg, vd, vm] * T.exp({})",
                          wide(factor(site, decay))));
    }
    const std::string value = wide("p2[vb, vt, vg, vm]"), key = wide("p1[vb, vt, vg, vd]");
    if (beta != 0) { // what the state does not give for the key yet
        block(inner, "miss", {b, g, t, m, sum}, "fresh[vb, vg, vm] = " + value,
              std::format("fresh[vb, vg, vm] = fresh[vb, vg, vm] - state[vb, vg, vd, vm] * {}", key));
    }
    const std::string added =
        beta == 0 ? value : std::format("{} * fresh[vb, vg, vm]", wide(factor(site, beta)));
    block(inner, "write", {b, g, t, d, m}, "",
          std::format("state[vb, vg, vd, vm] = state[vb, vg, vd, vm] + {} * ({})", key, added));
    const Axis h{"r", "spatial", "vh", std::format("g * {} + r", share), sizes.heads};
    const std::string group = share == 1 ? "vh" : std::format("vh // {}", share);
    block(inner, "read", {b, h, t, m, sum}, std::format("mixed[vb, vh, vm] = {}", wide("0")),
          std::format("mixed[vb, vh, vm] = mixed[vb, vh, vm] + {} * state[vb, {}, vd, vm]",
                      wide("p0[vb, vt, vh, vd]"), group));
    block(
        inner, "result", {b, h, t, m}, "",
        std::format("r0[vb, vt, vh, vm] = T.Cast(\"{}\", mixed[vb, vh, vm] * T.Cast(\"{}\", T.float64({})))",
                    site.input().dtype.str(), type, site.real("scale")));
    block(
        outer, "keep", {b, g, d, m}, "",
        std::format("r1[vb, vg, vd, vm] = T.Cast(\"{}\", state[vb, vg, vd, vm])", site.input(3).dtype.str()));
    return scriptFunction(site, results, text);
}

} // namespace

void addLinearAttention(TensorOps &table)
{
    table.push_back(
        {.name = "nn.linear_attention",
         .summary = "products of queries with a state that sums up keys times values, and the last state",
         .fusion = FusionKind::Opaque,
         .minInputs = 4,
         .maxInputs = 6,
         .attributes =
             {{"scale", 1.0, "results are multiplied by it"},
              {"decay", false,
               "the next input is the logarithm of what the state is multiplied by at each position"},
              {"beta", false,
               "the next input weights the difference of each value from what the state gives"}},
         .infer = &inferLinearAttention,
         .function = &linearAttentionFunction});
}

} // namespace nestwright::ops
