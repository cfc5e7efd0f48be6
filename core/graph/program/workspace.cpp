// SPDX-License-Identifier: Apache-2.0
#include "core/graph/program/workspace.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"

#include <algorithm>
#include <optional>

namespace nestwright::graph {

namespace {

std::vector<ir::Stmt> outermost(const ir::Stmt &body)
{
    const auto *sequence = body.as<ir::Seq>();
    return sequence ? sequence->stmts : std::vector{body};
}

std::optional<std::int64_t> sizeOf(const ir::Buffer &buffer)
{
    std::int64_t bytes = buffer.dtype().bytes();
    for (const ir::Expr &extent : buffer.shape()) {
        const std::int64_t *size = ir::asInt(extent);
        if (!size)
            return std::nullopt;
        bytes *= *size;
    }
    return bytes;
}

} // namespace

KernelWithWorkspace withWorkspace(const ir::Module &scheduled)
{
    const ir::Module::Entry &entry = *scheduled.mainEntry();
    const ir::Block *root = entry.function->root();
    if (!root)
        return {scheduled, {}};
    KernelWithWorkspace result;
    ir::PrimFunc function = *entry.function;
    ir::Block body = *root;
    body.allocBuffers.clear();
    const std::vector<ir::Stmt> nests = outermost(root->body);
    for (const ir::Buffer &buffer : root->allocBuffers) {
        const auto users =
            std::ranges::count_if(nests, [&](const ir::Stmt &nest) { return ir::uses(nest, buffer); });
        const std::optional<std::int64_t> bytes = sizeOf(buffer);
        if (users < 2 || !bytes || buffer->scope != "global" || !buffer->strides.empty()
            || !buffer.hasDefaultOffset()) {
            body.allocBuffers.push_back(buffer);
            continue;
        }
        function.params.push_back({ir::Var(buffer.name() + "_handle", ir::DataType::handle()), buffer});
        result.bytes.push_back(*bytes);
    }
    if (result.bytes.empty())
        return {scheduled, {}};
    function.body = ir::make(std::move(body));
    result.module = scheduled.with(entry.name, std::make_shared<const ir::PrimFunc>(std::move(function)));
    return result;
}

} // namespace nestwright::graph
