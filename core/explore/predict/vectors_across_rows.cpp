// SPDX-License-Identifier: Apache-2.0
#include "core/explore/predict/vectors_across_rows.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"

#include <algorithm>
#include <optional>

namespace nestwright::explore {

namespace {

class AcrossRows final : public ir::Rewriter {
public:
    ir::Expr expr(const ir::Expr &e) override
    {
        ir::Expr rebuilt = children(e);
        const auto *load = rebuilt.as<ir::BufferLoad>();
        auto indices = load ? acrossRows(load->buffer, load->indices) : std::nullopt;
        if (!indices)
            return rebuilt;
        ir::BufferLoad changed = *load;
        changed.indices = *std::move(indices);
        return ir::make(std::move(changed));
    }

    ir::Stmt stmt(const ir::Stmt &s) override
    {
        if (const auto *block = s.as<ir::Block>()) {
            for (const ir::MatchBuffer &match : block->matchBuffers)
                m_matched.push_back(match.buffer);
        }
        ir::Stmt rebuilt = children(s);
        const auto *store = rebuilt.as<ir::BufferStore>();
        auto indices = store ? acrossRows(store->buffer, store->indices) : std::nullopt;
        if (!indices)
            return rebuilt;
        ir::BufferStore changed = *store;
        changed.indices = *std::move(indices);
        return ir::make(std::move(changed));
    }

private:
    /// Nothing where they stay.
    std::optional<std::vector<ir::Expr>> acrossRows(const ir::Buffer &buffer,
                                                    std::vector<ir::Expr> indices) const
    {
        const auto *ramp = indices.empty() ? nullptr : indices.back().as<ir::Ramp>();
        if (!ramp || indices.size() < 2 || !std::ranges::contains(m_matched, buffer)
            || !ir::isConstInt(ramp->stride, 1))
            return std::nullopt;
        const std::int64_t *row = ir::asInt(buffer.shape().back());
        if (!row || ramp->lanes <= *row)
            return std::nullopt;
        ir::Expr over = indices.back();
        for (std::size_t d = indices.size() - 1; d > 0; --d) {
            const ir::Expr extent = ir::broadcast(buffer.shape()[d], ramp->lanes);
            indices[d] = ir::floorMod(over, extent);
            over = ir::broadcast(indices[d - 1], ramp->lanes) + ir::floorDiv(over, extent);
        }
        indices.front() = over;
        return indices;
    }

    std::vector<ir::Buffer> m_matched;
};

} // namespace

ir::Module withVectorsAcrossRows(const ir::Module &module) { return ir::rewriteModule<AcrossRows>(module); }

} // namespace nestwright::explore
