// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"
#include "core/ir/purity.h"
#include "core/ir/threads.h"
#include "core/lower/kernel_launch.h"
#include "core/lower/passes/declarations.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <unordered_set>

namespace nestwright::lower {

using ir::Buffer;
using ir::Expr;
using ir::Stmt;
using ir::Var;

namespace {

/// Memory up to this size, made by a part that one thread runs, is that thread's own.
constexpr std::int64_t ownBytes = 4096;

bool isLaunched(const Stmt &s)
{
    const auto *loop = s.as<ir::For>();
    return loop && loop->forKind == ir::ForKind::ThreadBinding;
}

bool holdsKernels(const Stmt &s)
{
    bool found = false;
    ir::forEachStmt(s, [&](const Stmt &part) {
        found = found || isLaunched(part);
        return !found;
    });
    return found;
}

/// Variables and buffers that a statement uses and does not define, in the order of their first use.
class Captured final : public ir::Visitor {
public:
    std::vector<Var> scalars;
    std::vector<Buffer> buffers;

    explicit Captured(const Stmt &s)
    {
        stmt(s);
        for (const Buffer &view : m_views) { // of memory that nothing else names
            const auto sees = [&](const Buffer &buffer) { return buffer->data == view->data; };
            if (!m_defined.contains(view->data) && std::ranges::none_of(buffers, sees))
                buffers.emplace_back(ir::BufferNode(*view.get()));
        }
    }

    void stmt(const Stmt &s) override
    {
        if (const auto *view = s.as<ir::DeclBuffer>(); view && m_seen.insert(view->buffer).second)
            m_views.push_back(view->buffer);
        children(s);
    }
    void expr(const Expr &e) override
    {
        if (e.as<ir::VarNode>())
            use(Var::from(e));
        children(e);
    }
    void buffer(const Buffer &b) override
    {
        if (!m_defined.contains(b->data) && m_seen.insert(b).second)
            buffers.push_back(b);
        for (const Expr &part : b.shape())
            expr(part);
        if (b->elemOffset)
            expr(b->elemOffset);
    }
    void definition(const Var &v) override { m_defined.insert(v); }

private:
    void use(const Var &v)
    {
        if (!v.dtype().isHandle() && !m_defined.contains(v) && m_used.insert(v).second)
            scalars.push_back(v);
    }

    ir::VarSet m_defined, m_used;
    std::unordered_set<Buffer, ir::BufferHash> m_seen;
    std::vector<Buffer> m_views; ///< that are made in it
};

/// The parts of a function that a device runs become functions of their own, which the host launches.
class Splitting {
public:
    Splitting(ir::Module &module, std::string name) : m_module(module), m_name(std::move(name)) {}

    ir::Function host(const ir::PrimFunc &function)
    {
        m_isNoAlias = ir::isNoAlias(function);
        ir::PrimFunc result = function;
        result.body = onHost(function.body);
        return std::make_shared<const ir::PrimFunc>(std::move(result));
    }

private:
    Stmt onHost(const Stmt &s)
    {
        if (isLaunched(s))
            return launched(s);
        if (const auto *memory = s.as<ir::Allocate>())
            return below(*memory);
        if (const auto *view = s.as<ir::DeclBuffer>())
            return below(*view);
        if (!holdsKernels(s))
            return ir::isNoOp(s) ? s : byOneThread(s);
        switch (s.kind()) {
        case ir::StmtKind::Seq: return sequence(*s.as<ir::Seq>());
        case ir::StmtKind::AttrStmt: return onHost(s.as<ir::AttrStmt>()->body);
        case ir::StmtKind::LetStmt:
            requireKnown(s.as<ir::LetStmt>()->value);
            return below(*s.as<ir::LetStmt>());
        case ir::StmtKind::For:
            requireKnown(s.as<ir::For>()->min);
            requireKnown(s.as<ir::For>()->extent);
            return below(*s.as<ir::For>());
        case ir::StmtKind::IfThenElse: {
            ir::IfThenElse result = *s.as<ir::IfThenElse>();
            requireKnown(result.condition);
            result.thenCase = onHost(result.thenCase);
            if (result.elseCase)
                result.elseCase = onHost(result.elseCase);
            return ir::make(std::move(result));
        }
        default: break;
        }
        throw support::UserError(
            support::diagnostic("lower.host-code",
                                "loops over threads are within a statement that only a processor can run")
                .withHint("loops over threads may be in loops, branches and lets of values that are known "
                          "before the launch"));
    }

    template <class Node> Stmt below(const Node &node)
    {
        Node result = node;
        result.body = onHost(node.body);
        return ir::make(std::move(result));
    }

    /// Neighbours without loops over threads go into one launch.
    Stmt sequence(const ir::Seq &node)
    {
        std::vector<Stmt> parts, together;
        const auto flush = [&] {
            if (!together.empty())
                parts.push_back(onHost(ir::seq(std::exchange(together, {}))));
        };
        for (const Stmt &part : node.stmts) {
            if (!holdsKernels(part)) {
                together.push_back(part);
                continue;
            }
            flush();
            parts.push_back(onHost(part));
        }
        flush();
        return ir::seq(std::move(parts));
    }

    /// Refuses an expression of the host that rests on memory of the device.
    static void requireKnown(const Expr &e)
    {
        if (!ir::isPure(e))
            throw support::UserError(
                support::diagnostic("lower.host-code",
                                    "whether and how often a kernel is launched rests on values in memory")
                    .withHint("move the condition or loop into the loops over threads"));
    }

    /// Memory that the part makes is its thread's own where it is small, and made by the host where it is
    /// not.
    Stmt byOneThread(const Stmt &s)
    {
        class Memories : public ir::Rewriter {
        public:
            std::vector<ir::Allocate> large;
            ir::BufferMap<Buffer> own;

            Stmt stmt(const Stmt &s) override
            {
                Stmt changed = children(s);
                const auto *memory = changed.as<ir::Allocate>();
                if (!memory || !memory->values.empty())
                    return changed;
                Expr bytes = memory->dtype.bytes() * memory->dtype.lanes;
                for (const Expr &extent : memory->extents)
                    bytes = bytes * ir::cast(ir::DataType::int64(), extent);
                const std::int64_t *known = ir::asInt(bytes);
                if (!known || *known > ownBytes) {
                    large.push_back(*memory);
                    const auto *view = memory->body.as<ir::DeclBuffer>();
                    return view && view->buffer->data == memory->data ? view->body : memory->body;
                }
                ir::forEachStmt(memory->body, [&](const Stmt &part) {
                    const auto *view = part.as<ir::DeclBuffer>();
                    if (view && view->buffer->data == memory->data) {
                        ir::BufferNode node = *view->buffer.get();
                        node.scope = "local";
                        own[view->buffer] = Buffer(std::move(node));
                    }
                    return true;
                });
                ir::Allocate result = *memory;
                result.scope = "local";
                return ir::make(std::move(result));
            }
        } memories;
        Stmt body = memories.stmt(s);
        body = launched(ir::substituteBuffers(body, memories.own));
        for (ir::Allocate memory : memories.large) {
            for (const Expr &extent : memory.extents)
                requireKnown(extent);
            memory.body = body;
            body = ir::make(std::move(memory));
        }
        return body;
    }

    Stmt launched(const Stmt &s)
    {
        const Captured captured(s);
        KernelLaunch launch;
        launch.kernel = nextName();
        ir::PrimFunc kernel;
        Stmt body = s;
        ir::VarSet passed;
        for (const Buffer &buffer : captured.buffers) {
            if (passed.insert(buffer->data).second) {
                kernel.params.push_back({Var(buffer.name(), ir::DataType::handle()), buffer});
                launch.arguments.push_back(buffer->data);
            } else { // another view of the same memory
                ir::DeclBuffer view;
                view.buffer = buffer;
                view.body = std::move(body);
                body = ir::make(std::move(view));
            }
        }
        for (const Var &scalar : captured.scalars) {
            kernel.params.push_back({scalar, {}});
            launch.arguments.push_back(scalar);
        }
        for (const ir::For *loop = s.as<ir::For>(); loop; loop = loop->body.as<ir::For>()) {
            const auto axis = ir::threadAxisOf(*loop);
            if (!axis || axis->rank == ir::ThreadRank::Virtual)
                break;
            auto &extents = axis->rank == ir::ThreadRank::Block ? launch.blocks : launch.threads;
            extents[axis->dimension] = loop->extent;
        }
        kernel.attrs[std::string(ir::noAliasKey)] = Expr(ir::boolImm(m_isNoAlias));
        kernel.attrs[std::string(kernelKey)] = Expr(ir::boolImm(true));
        kernel.body = std::move(body);
        m_module = m_module.with(launch.kernel, std::make_shared<const ir::PrimFunc>(std::move(kernel)));
        return launch.stmt();
    }

    std::string nextName()
    {
        for (;;) {
            std::string name = m_name + "_kernel" + (m_kernels == 0 ? "" : "_" + std::to_string(m_kernels));
            ++m_kernels;
            if (!m_module.find(name))
                return name;
        }
    }

    ir::Module &m_module;
    std::string m_name;
    int m_kernels = 0;
    bool m_isNoAlias = true;
};

} // namespace

ir::Module splitHostDevice(const ir::Module &module, const target::Context &)
{
    ir::Module result = module;
    for (const ir::Module::Entry &entry : module.functions())
        result = result.with(entry.name, Splitting(result, entry.name).host(*entry.function));
    return result;
}

} // namespace nestwright::lower
