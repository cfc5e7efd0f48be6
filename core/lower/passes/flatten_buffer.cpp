// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/strides.h"
#include "core/lower/passes/declarations.h"
#include "core/support/errors/errors.h"

#include <limits>

namespace nestwright::lower {

using ir::Buffer;
using ir::Expr;
using ir::Stmt;

namespace {

/// Elements from the first to the last of `buffer`.
Expr span(const Buffer &buffer)
{
    Expr total = 1;
    if (!ir::isStrided(buffer)) {
        for (const Expr &extent : buffer.shape())
            total = total * ir::cast(ir::DataType::int64(), extent);
    } else {
        for (std::size_t d = 0; d < buffer.shape().size(); ++d)
            total = total + (buffer.shape()[d] - 1) * buffer->strides[d];
    }
    if (const std::int64_t *known = ir::asInt(total))
        return Expr(*known);
    return total;
}

bool isFlat(const Buffer &buffer) { return buffer.shape().size() == 1 && buffer->strides.empty(); }

class Flattening : public ir::Rewriter {
public:
    Buffer flat(const Buffer &buffer)
    {
        if (isFlat(buffer))
            return buffer;
        Buffer &result = m_flat[buffer];
        if (!result) {
            ir::BufferNode node = *buffer.get();
            node.shape = {span(buffer)};
            node.strides.clear();
            node.axisSeparators.clear();
            result = Buffer(std::move(node));
        }
        return result;
    }

    Expr expr(const Expr &e) override
    {
        Expr changed = children(e);
        const auto *load = changed.as<ir::BufferLoad>();
        if (!load || isFlat(load->buffer))
            return changed;
        ir::BufferLoad result = *load;
        result.indices = {position(load->buffer, load->indices)};
        result.buffer = flat(load->buffer);
        return ir::make(std::move(result));
    }

    Stmt stmt(const Stmt &s) override
    {
        Stmt changed = children(s);
        if (const auto *store = changed.as<ir::BufferStore>(); store && !isFlat(store->buffer)) {
            ir::BufferStore result = *store;
            result.indices = {position(store->buffer, store->indices)};
            result.buffer = flat(store->buffer);
            return ir::make(std::move(result));
        }
        if (const auto *declared = changed.as<ir::DeclBuffer>(); declared && !isFlat(declared->buffer)) {
            ir::DeclBuffer result = *declared;
            result.buffer = flat(declared->buffer);
            return ir::make(std::move(result));
        }
        if (const auto *memory = changed.as<ir::Allocate>(); memory && memory->extents.size() != 1) {
            ir::Allocate result = *memory;
            ir::BufferNode shape;
            shape.shape = memory->extents;
            result.extents = {span(Buffer(std::move(shape)))};
            return ir::make(std::move(result));
        }
        return changed;
    }

    /// Flattens a function. The parameters keep their shapes, which give the sizes; the body sees their
    /// memory as one dimension.
    ir::Function flattened(const ir::Function &f)
    {
        ir::PrimFunc result = *f;
        result.body = stmt(f->body);
        for (std::size_t i = f->params.size(); i-- > 0;) {
            const Buffer &buffer = f->params[i].buffer;
            if (!buffer || !m_flat.contains(buffer))
                continue;
            ir::DeclBuffer view;
            view.buffer = flat(buffer);
            view.body = result.body;
            result.body = ir::make(std::move(view));
        }
        return result.body.same(f->body) ? f : std::make_shared<const ir::PrimFunc>(std::move(result));
    }

private:
    /// The flat index: row-major, or by the strides of the buffer; in 64 bits where 32 are not enough.
    static Expr position(const Buffer &buffer, const std::vector<Expr> &indices)
    {
        NW_ASSERT(indices.size() == buffer.shape().size(), "'" + buffer.name() + "' has another rank");
        const Expr elements = span(buffer); // owns the node of `size`
        const std::int64_t *size = ir::asInt(elements);
        const bool isLarge = size && *size > std::numeric_limits<std::int32_t>::max();
        Expr sum = 0;
        for (std::size_t d = 0; d < indices.size(); ++d) {
            Expr index = indices[d];
            if (isLarge)
                index = ir::cast(ir::DataType::int64().withLanes(index.dtype().lanes), index);
            if (ir::isStrided(buffer))
                sum = sum + index * buffer->strides[d];
            else
                sum = (d == 0 ? Expr(0) : sum * buffer.shape()[d]) + index;
        }
        return sum;
    }

    ir::BufferMap<Buffer> m_flat;
};

} // namespace

ir::Module flattenBuffer(const ir::Module &module, const target::Context &)
{
    ir::Module result = module;
    for (const ir::Module::Entry &entry : module.functions()) {
        ir::Function flat = Flattening().flattened(entry.function);
        if (flat != entry.function)
            result = result.with(entry.name, std::move(flat));
    }
    return result;
}

} // namespace nestwright::lower
