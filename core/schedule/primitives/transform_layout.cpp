// SPDX-License-Identifier: Apache-2.0
#include "core/ir/builder.h"
#include "core/ir/rewriter.h"
#include "core/schedule/bindings.h"
#include "core/schedule/block_rules.h"
#include "core/schedule/layout_map.h"
#include "core/schedule/primitives/all.h"
#include "core/schedule/storage_scope.h"
#include "core/schedule/tree.h"
#include "core/schedule/typed.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct TransformLayoutArgs {
    BlockId block;
    BufferRef buffer;
    IndexMap indexMap;
    ArgValue padValue;
    bool assumeInjective = false;
};

/// Every access to the buffer goes through the map.
class LayoutChanger : public ir::Rewriter {
public:
    LayoutChanger(const ir::Buffer &before, const ir::Buffer &after, const IndexMap &map)
        : m_before(before)
        , m_after(after)
        , m_map(map)
    {
    }

    ir::Buffer buffer(const ir::Buffer &b) override { return b == m_before ? m_after : b; }

    ir::Expr expr(const ir::Expr &e) override
    {
        const ir::Expr inside = children(e);
        const auto *load = inside.as<ir::BufferLoad>();
        const auto *old = e.as<ir::BufferLoad>();
        if (!load || !(old->buffer == m_before))
            return inside;
        ir::BufferLoad copy = *load;
        copy.indices = indices(copy.indices);
        return ir::make(std::move(copy));
    }

    ir::Stmt stmt(const ir::Stmt &s) override
    {
        if (const auto *loop = s.as<ir::For>())
            m_analyzer.bind(loop->var, {loop->min, loop->extent});
        const auto *old = s.as<ir::Block>();
        if (old)
            bindAll(m_analyzer, domainsOf(*old));
        const ir::Stmt inside = children(s);
        if (const auto *store = inside.as<ir::BufferStore>();
            store && s.as<ir::BufferStore>()->buffer == m_before) {
            ir::BufferStore copy = *store;
            copy.indices = indices(copy.indices);
            return ir::make(std::move(copy));
        }
        if (!old)
            return inside;
        ir::Block copy = *inside.as<ir::Block>();
        refuseMatches(*old);
        const bool reads = change(old->reads, copy.reads), writes = change(old->writes, copy.writes);
        return reads || writes ? ir::make(std::move(copy)) : inside;
    }

private:
    std::vector<ir::Expr> indices(const std::vector<ir::Expr> &old)
    {
        std::vector<ir::Expr> result = mapped(m_map, old);
        for (ir::Expr &index : result)
            index = m_analyzer.simplify(index);
        return result;
    }

    void refuseMatches(const ir::Block &block)
    {
        for (const ir::MatchBuffer &match : block.matchBuffers) {
            if (match.source.buffer == m_before)
                refuse(diagnostic("schedule.opaque-access", "block " + named(block) + " matches a part of '"
                                                                + m_before.name()
                                                                + "', whose layout must stay")
                           .at(block.id));
        }
    }

    bool change(const std::vector<ir::BufferRegion> &old, std::vector<ir::BufferRegion> &regions)
    {
        bool changed = false;
        for (std::size_t i = 0; i < old.size(); ++i) {
            if (!(old[i].buffer == m_before))
                continue;
            regions[i].region = region(regions[i].region);
            changed = true;
        }
        return changed;
    }

    /// The box that holds the images of all points of the region.
    arith::Region region(const arith::Region &old)
    {
        std::vector<ir::Expr> inputs;
        ir::VarMap<arith::IntervalSet> relaxed;
        bool isPoint = true;
        for (std::size_t d = 0; d < old.size(); ++d) {
            isPoint = isPoint && ir::isConstInt(old[d].extent, 1);
            const ir::Var var("d" + std::to_string(d), old[d].min.dtype());
            relaxed[var] = arith::IntervalSet::of(old[d]);
            inputs.push_back(var);
        }
        if (isPoint) {
            for (std::size_t d = 0; d < old.size(); ++d)
                inputs[d] = old[d].min;
            return ir::pointRegion(indices(inputs));
        }
        arith::Region result;
        for (const ir::Expr &index : mapped(m_map, inputs)) {
            const auto range = arith::toRange(arith::evalSet(index, relaxed, m_analyzer), m_analyzer);
            const ir::Expr &extent = m_after.shape()[result.size()];
            result.push_back(range ? m_analyzer.simplify(*range)
                                   : ir::Range{ir::constant(0, extent.dtype()), extent});
        }
        return result;
    }

    const ir::Buffer &m_before, &m_after;
    const IndexMap &m_map;
    arith::Analyzer m_analyzer;
};

ArgList transformLayout(Edit &edit, const TransformLayoutArgs &args)
{
    const ir::Block &block = edit.block(args.block.id);
    const ir::Buffer buffer = accessAt(block, args.buffer.side, args.buffer.index).buffer;
    const StmtId allocator = allocatorOf(edit, block, buffer);
    arith::Domains domain;
    for (std::size_t d = 0; d < buffer.shape().size(); ++d) {
        const ir::Expr &extent = buffer.shape()[d];
        domain.push_back(
            {ir::Var("d" + std::to_string(d), extent.dtype()), {ir::constant(0, extent.dtype()), extent}});
    }
    const LayoutMap layout = layoutMapOn(args.indexMap, domain, "buffer '" + buffer.name() + "'");
    ir::BufferNode node = *buffer.get();
    node.data = ir::Var(node.name, ir::DataType::handle());
    node.shape = layout.extents;
    node.strides.clear();
    node.axisSeparators = args.indexMap.axisSeparators;
    const ir::Buffer changed(std::move(node));
    edit.setBody(rewriteAt(edit.body(), {{allocator, [&](const ir::Stmt &s) {
                                              return LayoutChanger(buffer, changed, args.indexMap).stmt(s);
                                          }}}));
    return {};
}

} // namespace

Primitive transformLayoutPrimitive()
{
    return define<TransformLayoutArgs>(
        {.name = "transform_layout",
         .title = "Transform layout",
         .group = Group::Layout,
         .key = "",
         .summary = "Lays a buffer out in another way, which an index map gives.",
         .documentation =
             R"(The buffer gets the shape of the map's results, and every access goes through the map.

```
B = T.alloc_buffer((8, 8))      →   B = T.alloc_buffer((2, 8, 4))      lambda i, j: (j // 4, i, j % 4)
B[i, j] = …                         B[j // 4, i, j % 4] = …
```

**Legal** for a buffer that the function allocates and a map that is one to one on its shape: padding would be needed
otherwise.)"},
        {required<&TransformLayoutArgs::block>("block", "Block", "A block that accesses the buffer."),
         required<&TransformLayoutArgs::buffer>("buffer", "Buffer", "Which of its buffers.").attribute(),
         required<&TransformLayoutArgs::indexMap>("index_map", "Index map",
                                                  "From the old indices to the new ones.")
             .attribute(),
         optional<&TransformLayoutArgs::padValue>("pad_value", "Padding",
                                                  "What padding would hold; no map that is "
                                                  "accepted needs any.")
             .attribute(),
         optional<&TransformLayoutArgs::assumeInjective>("assume_injective_transform", "Assume one to one",
                                                         "Kept for scripts; the map is checked in any case.")
             .attribute()},
        transformLayout);
}

} // namespace nestwright::schedule
