// SPDX-License-Identifier: Apache-2.0
#include "core/graph/equality.h"

#include <algorithm>
#include <bit>

namespace nestwright::graph {

namespace {

bool sameValue(const ops::AttributeValue &a, const ops::AttributeValue &b)
{
    const auto *x = std::get_if<double>(&a), *y = std::get_if<double>(&b);
    return x && y ? std::bit_cast<std::uint64_t>(*x) == std::bit_cast<std::uint64_t>(*y) : a == b;
}

bool sameCalled(const std::shared_ptr<const Function> &a, const std::shared_ptr<const Function> &b)
{
    return a == b || (a && b && structurallyEqual(*a, *b));
}

bool sameNode(const Node &a, const Node &b)
{
    return a.kind == b.kind && (a.kind != NodeKind::Input || a.name == b.name) && a.op == b.op
           && a.inputs == b.inputs && a.types == b.types && sameAttributes(a.attributes, b.attributes)
           && sameData(a.data, b.data) && sameCalled(a.function, b.function);
}

} // namespace

bool sameData(const Data &a, const Data &b)
{
    return a == b
           || (a && b && a->dtype() == b->dtype() && a->shape() == b->shape()
               && std::ranges::equal(a->bytes(), b->bytes()));
}

bool sameAttributes(const ops::Attributes &a, const ops::Attributes &b)
{
    return std::ranges::equal(a, b, [](const auto &x, const auto &y) {
        return x.first == y.first && sameValue(x.second, y.second);
    });
}

bool structurallyEqual(const Function &a, const Function &b)
{
    return a.outputs == b.outputs && a.outputNames == b.outputNames
           && std::ranges::equal(a.nodes, b.nodes, sameNode);
}

} // namespace nestwright::graph
