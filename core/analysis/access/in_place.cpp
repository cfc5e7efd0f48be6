// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/in_place.h"

#include "core/analysis/access/regions.h"
#include "core/arith/iter_map/iter_map.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"

#include <algorithm>
#include <utility>

namespace nestwright::analysis {

namespace {

/// The accesses of a function to one buffer.
struct Uses {
    struct Load {
        const ir::BufferLoad *load;
        const ir::BufferStore *within; ///< null: it stands in no store
    };
    std::vector<Load> loads;
    std::vector<const ir::BufferStore *> stores;
    const ir::Block *block = nullptr; ///< block of the last store
    bool inLoop = false;              ///< the store stands in a loop within its block
    bool otherwise = false;           ///< touched in other ways than by loads and stores of single elements
};

class UseFinder : public ir::Visitor {
public:
    explicit UseFinder(const ir::PrimFunc &function)
    {
        for (const ir::Param &param : function.params) {
            if (param.buffer)
                m_byPointer[param.buffer->data].push_back(param.buffer);
        }
    }

    const Uses &of(const ir::Buffer &buffer) { return m_uses[buffer]; }
    bool usesPointer(const ir::Param &param) const
    {
        return m_variables.contains(param.var) || m_variables.contains(param.buffer->data)
               || m_byPointer.at(param.buffer->data).size() > 1;
    }
    bool hasWhile() const { return m_hasWhile; }

    void stmt(const ir::Stmt &s) override
    {
        if (const auto *block = s.as<ir::Block>())
            return inBlock(s, *block);
        m_hasWhile = m_hasWhile || s.kind() == ir::StmtKind::While;
        const int loops = m_loops;
        m_loops += s.kind() == ir::StmtKind::For ? 1 : 0;
        if (const auto *store = s.as<ir::BufferStore>()) {
            Uses &uses = m_uses[store->buffer];
            uses.stores.push_back(store);
            uses.block = m_block;
            uses.inLoop = m_loops > 0;
            uses.otherwise = uses.otherwise || isVector(store->indices);
            m_store = store;
        }
        children(s);
        m_store = nullptr;
        m_loops = loops;
    }

    void expr(const ir::Expr &e) override
    {
        if (e.as<ir::VarNode>())
            m_variables.insert(ir::Var::from(e));
        if (const auto *load = e.as<ir::BufferLoad>()) {
            Uses &uses = m_uses[load->buffer];
            uses.loads.push_back({load, m_store});
            uses.otherwise = uses.otherwise || isVector(load->indices);
        }
        if (const auto *call = e.as<ir::Call>()) {
            const ir::Intrinsic *intrinsic = call->callee.intrinsic();
            for (const ir::Expr &argument : call->args) { // address_of takes a load
                const auto *load = argument.as<ir::BufferLoad>();
                if (load && (!intrinsic || intrinsic->purity != ir::Purity::Pure))
                    m_uses[load->buffer].otherwise = true;
            }
        }
        children(e);
    }

    void buffer(const ir::Buffer &b) override
    {
        const auto known = m_byPointer.find(b->data);
        if (known == m_byPointer.end())
            return;
        for (const ir::Buffer &parameter : known->second)
            m_uses[parameter].otherwise = m_uses[parameter].otherwise || !(b == parameter);
    }

private:
    static bool isVector(const std::vector<ir::Expr> &indices)
    {
        return std::ranges::any_of(indices, [](const ir::Expr &index) { return index.dtype().lanes != 1; });
    }

    void inBlock(const ir::Stmt &s, const ir::Block &block)
    {
        for (const ir::MatchBuffer &match : block.matchBuffers)
            m_uses[match.source.buffer].otherwise = true;
        const ir::Block *outer = std::exchange(m_block, &block);
        const int loops = std::exchange(m_loops, 0);
        children(s);
        m_block = outer;
        m_loops = loops;
    }

    ir::BufferMap<Uses> m_uses;
    ir::VarMap<std::vector<ir::Buffer>> m_byPointer;
    ir::VarSet m_variables;
    const ir::Block *m_block = nullptr;
    const ir::BufferStore *m_store = nullptr;
    int m_loops = 0;
    bool m_hasWhile = false;
};

/// An element's place in a compact buffer.
ir::Expr placeOf(const ir::Buffer &buffer, const std::vector<ir::Expr> &indices)
{
    ir::Expr place = 0;
    for (std::size_t i = 0; i < indices.size(); ++i)
        place = place * buffer.shape()[i] + indices[i];
    return place;
}

bool isCompact(const ir::Buffer &buffer)
{
    return buffer->strides.empty() && buffer.hasDefaultOffset() && buffer->scope == "global"
           && buffer.dtype().lanes == 1;
}

/// Whether each run of the block that `store` stands in stores to another element: the indices are a
/// one-to-one map of all loops around the block.
bool storesEachElementOnce(const FunctionIndex &index, const ir::Block &block, const ir::BufferStore &store)
{
    if (index.scopeRoot(block.id) != index.root())
        return false;
    for (const StmtId id : index.loopsOf(block.id)) {
        if (index.loop(id)->forKind == ir::ForKind::ThreadBinding)
            return false;
    }
    ir::VarMap<ir::Expr> values;
    for (std::size_t i = 0; i < block.iterVars.size(); ++i)
        values.insert_or_assign(block.iterVars[i].var, block.iterValues[i]);
    std::vector<ir::Expr> indices;
    for (const ir::Expr &each : store.indices)
        indices.push_back(ir::substitute(each, values));
    const arith::Domains domains = loopDomains(index, block.id);
    return meetsEachElementOnce(indices, domains, {})
           || meetsEachElementOnce(indices, domains, block.predicate);
}

/// Whether every load of `read` is of the element at the place that the only store of `written` stores to.
bool readsWhereItWrites(const Uses &read, const ir::BufferStore &store, const ir::Block &block)
{
    arith::Analyzer analyzer;
    for (const ir::IterVar &iter : block.iterVars)
        analyzer.bind(iter.var, iter.domain);
    const ir::Expr place = placeOf(store.buffer, store.indices);
    return std::ranges::all_of(read.loads, [&](const Uses::Load &load) {
        return load.within == &store
               && analyzer.canProveEqual(place, placeOf(load.load->buffer, load.load->indices));
    });
}

} // namespace

bool meetsEachElementOnce(const std::vector<ir::Expr> &indices, const arith::Domains &loops,
                          const ir::Expr &predicate)
{
    ir::VarSet vars;
    for (const arith::VarRange &loop : loops)
        vars.insert(loop.var);
    for (const ir::Expr &index : indices) {
        bool isPlain = true;
        ir::forEachExpr(index, [&](const ir::Expr &e) {
            isPlain = isPlain && !e.as<ir::BufferLoad>() && !e.as<ir::Call>()
                      && (!e.as<ir::VarNode>() || vars.contains(ir::Var::from(e)));
            return isPlain;
        });
        if (!isPlain)
            return false;
    }
    arith::Analyzer analyzer;
    return loops.empty()
           || arith::detectIterMap(indices, loops, predicate, arith::IterMapLevel::Bijective, analyzer)
                  .has_value();
}

std::vector<InPlace> inPlacePairs(const ir::Function &function)
{
    UseFinder finder(*function);
    finder.stmt(function->body);
    if (!function->root() || finder.hasWhile())
        return {};
    const FunctionIndex index(function);
    const auto count = static_cast<int>(function->params.size());
    const auto param = [&](int i) -> const ir::Param & {
        return function->params[static_cast<std::size_t>(i)];
    };
    const auto isPlain = [&](int i) {
        return param(i).buffer && isCompact(param(i).buffer) && !finder.usesPointer(param(i))
               && !finder.of(param(i).buffer).otherwise;
    };
    std::vector<InPlace> pairs;
    for (int written = 0; written < count; ++written) {
        if (!isPlain(written))
            continue;
        const Uses &to = finder.of(param(written).buffer);
        if (to.stores.size() != 1 || !to.loads.empty() || to.inLoop
            || !storesEachElementOnce(index, *to.block, *to.stores.front()))
            continue;
        for (int read = 0; read < count; ++read) {
            if (!isPlain(read) || param(read).buffer.dtype().bytes() != param(written).buffer.dtype().bytes())
                continue;
            const Uses &from = finder.of(param(read).buffer);
            if (from.stores.empty() && !from.loads.empty()
                && readsWhereItWrites(from, *to.stores.front(), *to.block))
                pairs.push_back({read, written});
        }
    }
    return pairs;
}

} // namespace nestwright::analysis
