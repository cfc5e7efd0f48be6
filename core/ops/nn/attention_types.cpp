// SPDX-License-Identifier: Apache-2.0
#include "core/ops/nn/attention_types.h"

#include "core/ir/build/builder.h"

#include <algorithm>
#include <format>

namespace nestwright::ops {

using ir::Expr;

namespace {

constexpr std::array<std::string_view, 5> resultNames = {"products", "capped", "masked", "weights", "output"};

void checkBroadcasts(const CallSite &site, std::size_t input, const Shape &scores, std::string_view what)
{
    const Shape &own = site.input(input).shape;
    bool fits = own.size() <= scores.size();
    for (std::size_t i = 0; fits && i < own.size(); ++i)
        fits = ir::isConstInt(own[i], 1) || sameSize(own[i], scores[scores.size() - own.size() + i]);
    if (!fits)
        typeError(std::format("{} {} does not broadcast to {}", what, site.input(input).str(),
                              TensorType{scores, site.input().dtype}.str()));
}

} // namespace

Layout layoutOf(const CallSite &site, std::string_view attribute)
{
    const std::string &text = site.text(attribute);
    if (text == "BHLD")
        return {0, 1, 2, 3};
    if (text == "BLHD")
        return {0, 2, 1, 3};
    typeError(std::format("{} must be \"BHLD\" or \"BLHD\", not \"{}\"", attribute, text));
}

std::vector<Expr> arranged(const Layout &layout, const std::vector<Expr> &given)
{
    std::vector<Expr> own(4);
    for (std::size_t i = 0; i < 4; ++i)
        own[layout[i]] = given[i];
    return own;
}

std::vector<Expr> inOrder(const Layout &layout, const std::vector<Expr> &own)
{
    std::vector<Expr> given;
    for (const std::size_t place : layout)
        given.push_back(own[place]);
    return given;
}

FurtherInputs furtherInputs(const CallSite &site)
{
    std::size_t next = 3;
    const auto place = [&](std::string_view name) { return site.flag(name) ? next++ : 0; };
    const FurtherInputs found{place("bias"), place("mask"), place("lengths"), place("sink")};
    if (next != site.inputs.size())
        typeError(std::format("it has {} inputs, but its attributes ask for {}", site.inputs.size(), next));
    return found;
}

AttentionSizes attentionSizes(const CallSite &site)
{
    for (std::size_t i = 0; i < 3; ++i)
        requireRank(site.input(i), 4, i == 0 ? "the queries" : i == 1 ? "the keys" : "the values");
    const Layout layout = layoutOf(site, "layout"), keyLayout = layoutOf(site, "key_layout");
    const Shape q = inOrder(layout, site.input(0).shape), k = inOrder(keyLayout, site.input(1).shape),
                v = inOrder(keyLayout, site.input(2).shape);
    const auto differ = [&](std::string_view what, std::size_t a, std::size_t b) {
        typeError(std::format("{} differ: {}, {}", what, site.input(a).str(), site.input(b).str()));
    };
    if (!sameSize(q[0], k[0]) || !sameSize(q[3], k[3]))
        differ("batch or size of a head of queries and keys", 0, 1);
    if (!sameSize(k[0], v[0]) || !sameSize(k[1], v[1]) || !sameSize(k[2], v[2]))
        differ("batch, heads or positions of keys and values", 1, 2);
    const std::int64_t heads = constantSize(q[1], "the number of heads"),
                       groups = constantSize(k[1], "the number of heads");
    if (groups < 1 || heads % groups != 0)
        typeError(std::format("{} heads of queries cannot share {} of keys", heads, groups));
    return {q[0], q[2], k[2], q[3], v[3], heads, groups};
}

std::size_t resultOf(const CallSite &site)
{
    const auto found = std::ranges::find(resultNames, site.text("result"));
    if (found == resultNames.end())
        typeError(std::format("there is no result \"{}\"", site.text("result")));
    return static_cast<std::size_t>(found - resultNames.begin());
}

std::vector<TensorType> inferAttention(const CallSite &site)
{
    const FurtherInputs more = furtherInputs(site);
    for (std::size_t i = 0; i < 3; ++i) {
        if (!site.input(i).dtype.isFloating())
            typeError(std::format("it needs floating-point numbers, not {}", site.input(i).str()));
    }
    if (const ir::DataType precision = site.dtype("precision");
        precision != ir::DataType::void_() && !precision.isFloating())
        typeError(std::format("{} is no precision to compute with", precision.str()));
    const AttentionSizes sizes = attentionSizes(site);
    const Shape scores{sizes.batch, sizes.heads, sizes.queries, sizes.keys};
    if (more.bias != 0) {
        checkBroadcasts(site, more.bias, scores, "the bias");
        if (!site.input(more.bias).dtype.isFloating())
            typeError("the bias must be of floating-point numbers");
    }
    if (more.mask != 0) {
        checkBroadcasts(site, more.mask, scores, "the mask");
        if (!site.input(more.mask).dtype.isBool())
            typeError("the mask must be of truth values");
    }
    if (more.lengths != 0) {
        checkBroadcasts(site, more.lengths, {sizes.batch}, "the list of lengths");
        requireRank(site.input(more.lengths), 1, "the list of lengths");
        if (!site.input(more.lengths).dtype.isIntegral() || site.input(more.lengths).dtype.isBool())
            typeError("the lengths must be integers");
    }
    if (more.sink != 0
        && (!site.input(more.sink).dtype.isFloating() || site.input(more.sink).rank() != 1
            || !sameSize(site.input(more.sink).shape[0], dimension(sizes.heads))))
        typeError(std::format("the sink must have a floating-point number for each of {} heads, not {}",
                              sizes.heads, site.input(more.sink).str()));
    const ir::DataType type = site.input().dtype;
    if (resultNames[resultOf(site)] != "output")
        return {{scores, type}};
    return {
        {arranged(layoutOf(site, "layout"), {sizes.batch, sizes.heads, sizes.queries, sizes.width}), type}};
}

} // namespace nestwright::ops
