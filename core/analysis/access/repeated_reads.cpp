// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/repeated_reads.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"

#include <algorithm>
#include <unordered_map>

namespace nestwright::analysis {

namespace {

using Bytes = std::unordered_map<ir::Var, std::int64_t, ir::VarHash>;

/// The most bytes of each buffer that a load of the statement reads in the iterations of the loop around it.
class Reads : public ir::Visitor {
public:
    Bytes bytes;

    void stmt(const ir::Stmt &s) override
    {
        const ir::For *outer = m_loop;
        if (const auto *loop = s.as<ir::For>())
            m_loop = loop;
        children(s);
        m_loop = outer;
    }
    void expr(const ir::Expr &e) override
    {
        if (const auto *load = e.as<ir::BufferLoad>()) {
            std::int64_t &most = bytes[load->buffer->data];
            most = std::max(most, iterationsOf(*load) * e.dtype().bytes() * e.dtype().lanes);
        }
        children(e);
    }

private:
    /// Iterations of the innermost loop in which the load moves on; 1 where it does not move.
    std::int64_t iterationsOf(const ir::BufferLoad &load) const
    {
        const std::int64_t *extent = m_loop ? ir::asInt(m_loop->extent) : nullptr;
        const bool moves = extent && std::ranges::any_of(load.indices, [&](const ir::Expr &index) {
                               return ir::uses(index, m_loop->var);
                           });
        return moves ? *extent : 1;
    }

    const ir::For *m_loop = nullptr; ///< the innermost
};

} // namespace

std::vector<bool> repeatedReads(const std::vector<ir::Stmt> &sequence, std::int64_t bytes)
{
    std::vector<bool> isRepeated;
    ir::VarSet before;
    for (const ir::Stmt &s : sequence) {
        Reads reads;
        reads.stmt(s);
        isRepeated.push_back(std::ranges::any_of(reads.bytes, [&](const auto &read) {
            return read.second > bytes && before.contains(read.first);
        }));
        for (const auto &[buffer, most] : reads.bytes)
            before.insert(buffer);
    }
    return isRepeated;
}

} // namespace nestwright::analysis
