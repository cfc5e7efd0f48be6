// SPDX-License-Identifier: Apache-2.0
#include "core/explore/trace/replay_rows.h"

#include "core/ir/build/walk.h"
#include "core/ir/node/block_marker.h"
#include "core/script/print/printer.h"
#include "core/suggest/loop_nest.h"

#include <algorithm>
#include <utility>

namespace nestwright::explore {

namespace {

class RowMaker final : public ir::Visitor {
public:
    explicit RowMaker(const TraceTables &tables) : m_tables(tables) {}

    void stmt(const ir::Stmt &s) override
    {
        if (const auto *loop = s.as<ir::For>()) {
            addLoop(*loop);
            within(s);
        } else if (const auto *block = s.as<ir::Block>()) {
            const support::StmtId outer = std::exchange(m_stmt, block->id);
            children(s);
            m_stmt = outer;
        } else if (const auto *attr = s.as<ir::AttrStmt>()) {
            const support::StmtId marked = ir::markedBlock(*attr);
            const support::StmtId outer = std::exchange(m_stmt, marked ? marked : m_stmt);
            children(s);
            m_stmt = outer;
        } else if (const auto *store = s.as<ir::BufferStore>()) {
            addRow({.stmt = m_stmt, .text = textOf(*store)});
        } else if (const auto *branch = s.as<ir::IfThenElse>()) {
            addRow({.stmt = {}, .text = "if " + script::printExpr(branch->condition)});
            within(s);
        } else {
            children(s);
        }
    }

    std::vector<ReplayRow> take() { return std::move(m_rows); }

private:
    static std::string textOf(const ir::BufferStore &store)
    {
        std::string text = store.buffer.name() + '[';
        for (std::size_t i = 0; i < store.indices.size(); ++i)
            text += (i ? ", " : "") + script::printExpr(store.indices[i]);
        return text + "] = " + script::printExpr(store.value);
    }

    void addLoop(const ir::For &loop)
    {
        const auto site = std::ranges::find(m_tables.loops, loop.id, &interp::LoopSite::loop);
        const std::string kind = suggest::kindBadge(loop);
        const bool isKnown = site != m_tables.loops.end();
        addRow({.stmt = loop.id,
                .text = "for " + loop.var.name() + " in " + script::printExpr(loop.extent)
                        + (kind.empty() ? "" : ", " + kind),
                .loop = isKnown ? static_cast<int>(site - m_tables.loops.begin()) : -1});
    }

    void addRow(ReplayRow row)
    {
        row.depth = m_depth;
        row.parent = m_parent;
        m_rows.push_back(std::move(row));
    }

    /// Visits a statement within the last row.
    void within(const ir::Stmt &s)
    {
        const int outer = std::exchange(m_parent, static_cast<int>(m_rows.size()) - 1);
        ++m_depth;
        children(s);
        --m_depth;
        m_parent = outer;
    }

    const TraceTables &m_tables;
    std::vector<ReplayRow> m_rows;
    support::StmtId m_stmt;
    int m_depth = 0, m_parent = -1;
};

} // namespace

std::vector<ReplayRow> replayRows(const ir::PrimFunc &function, const TraceTables &tables)
{
    RowMaker maker(tables);
    maker.stmt(function.body);
    return maker.take();
}

} // namespace nestwright::explore
