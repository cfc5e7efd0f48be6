// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/primitives/cache_users.h"

#include "core/arith/analyzer.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"

namespace nestwright::schedule {

namespace {

/// Indices move by the region's beginning where the cache holds only the region.
class CacheUser : public ir::Rewriter {
public:
    CacheUser(const ir::Buffer &buffer, const ir::Buffer &cache, const CacheRegion &cached)
        : m_buffer(buffer)
        , m_cache(cache)
        , m_cached(cached)
    {
    }

    ir::Expr expr(const ir::Expr &e) override
    {
        if (e.same(m_buffer->data))
            return m_cache->data;
        ir::Expr inside = children(e);
        const auto *load = inside.as<ir::BufferLoad>();
        if (!load || !(load->buffer == m_buffer))
            return inside;
        ir::BufferLoad copy = *load;
        copy.buffer = m_cache;
        shift(copy.indices);
        return ir::make(std::move(copy));
    }

    ir::Stmt stmt(const ir::Stmt &s) override
    {
        ir::Stmt inside = children(s);
        if (const auto *store = inside.as<ir::BufferStore>(); store && store->buffer == m_buffer) {
            ir::BufferStore copy = *store;
            copy.buffer = m_cache;
            shift(copy.indices);
            return ir::make(std::move(copy));
        }
        const auto *block = inside.as<ir::Block>();
        if (!block)
            return inside;
        ir::Block copy = *block;
        bool changed = change(copy.reads);
        changed = change(copy.writes) || changed;
        for (ir::MatchBuffer &match : copy.matchBuffers)
            changed = change(match.source) || changed;
        return changed ? ir::make(std::move(copy)) : inside;
    }

private:
    ir::Expr shifted(const ir::Expr &index, std::size_t d)
    {
        return m_cached.keepsShape ? index : m_analyzer.simplify(index - m_cached.region[d].min);
    }
    void shift(std::vector<ir::Expr> &indices)
    {
        for (std::size_t d = 0; d < indices.size(); ++d)
            indices[d] = shifted(indices[d], d);
    }
    bool change(ir::BufferRegion &region)
    {
        if (!(region.buffer == m_buffer))
            return false;
        region.buffer = m_cache;
        for (std::size_t d = 0; d < region.region.size(); ++d)
            region.region[d].min = shifted(region.region[d].min, d);
        return true;
    }
    bool change(std::vector<ir::BufferRegion> &regions)
    {
        bool changed = false;
        for (ir::BufferRegion &region : regions)
            changed = change(region) || changed;
        return changed;
    }

    const ir::Buffer &m_buffer, &m_cache;
    const CacheRegion &m_cached;
    arith::Analyzer m_analyzer;
};

} // namespace

ir::Stmt withCache(const ir::Stmt &s, const ir::Buffer &buffer, const ir::Buffer &cache,
                   const CacheRegion &cached)
{
    return CacheUser(buffer, cache, cached).stmt(s);
}

namespace {

class AccessReplacer : public ir::Rewriter {
public:
    AccessReplacer(const ir::Buffer &buffer, const ir::Buffer &with, const std::vector<ir::Expr> &indices)
        : m_buffer(buffer)
        , m_with(with)
        , m_indices(indices)
    {
    }

    ir::Expr expr(const ir::Expr &e) override
    {
        const ir::Expr inside = children(e);
        const auto *load = inside.as<ir::BufferLoad>();
        return load && load->buffer == m_buffer ? ir::load(m_with, m_indices) : inside;
    }

    ir::Stmt stmt(const ir::Stmt &s) override
    {
        ir::Stmt inside = children(s);
        if (const auto *store = inside.as<ir::BufferStore>(); store && store->buffer == m_buffer)
            return ir::store(m_with, store->value, m_indices);
        const auto *block = inside.as<ir::Block>();
        if (!block)
            return inside;
        ir::Block copy = *block;
        for (std::vector<ir::BufferRegion> *regions : {&copy.reads, &copy.writes}) {
            for (ir::BufferRegion &region : *regions) {
                if (region.buffer == m_buffer)
                    region = {m_with, ir::pointRegion(m_indices)};
            }
        }
        return ir::make(std::move(copy));
    }

private:
    const ir::Buffer &m_buffer, &m_with;
    const std::vector<ir::Expr> &m_indices;
};

} // namespace

ir::Stmt withAccessesAt(const ir::Stmt &s, const ir::Buffer &buffer, const ir::Buffer &with,
                        const std::vector<ir::Expr> &indices)
{
    return AccessReplacer(buffer, with, indices).stmt(s);
}

} // namespace nestwright::schedule
