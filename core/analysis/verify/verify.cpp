// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/verify/verify.h"

#include "core/analysis/access/complete_regions.h"
#include "core/analysis/verify/verify_types.h"
#include "core/ir/buffer_regions.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"
#include "core/script/tvmscript/parser.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <unordered_set>

namespace nestwright::analysis {

using ir::Buffer;
using ir::Expr;
using ir::Stmt;
using ir::Var;

namespace {

using Ids = std::unordered_set<ir::StmtId>;

/// One function; throws UserError at the first fault.
class Verifier : public ir::Visitor {
public:
    Verifier(Level level, Undeclared undeclared, Ids &ids)
        : m_level(level)
        , m_undeclared(undeclared)
        , m_ids(ids)
    {
    }

    void run(const ir::PrimFunc &function)
    {
        if (!function.body)
            stop("verify.missing", "the function has no body");
        if (m_level == Level::Block && !function.root())
            stop("verify.level", "the function's body is no root block");
        m_root = function.root();
        params(function);
        stmt(function.body);
    }

    void stmt(const Stmt &s) override
    {
        const Place outer = m_place;
        if (const auto *loop = s.as<ir::For>(); loop && m_place.name.empty())
            m_place.stmt = loop->id;
        if (const auto *block = s.as<ir::Block>())
            m_place = {.stmt = block->id, .name = block->name};
        if (const auto fault = typeFault(s))
            stop(fault->code, fault->message);
        visit(s);
        m_place = outer;
    }

    void expr(const Expr &e) override
    {
        if (const auto fault = typeFault(e))
            stop(fault->code, fault->message);
        if (e.as<ir::VarNode>()) {
            use(Var::from(e));
        } else if (const auto *let = e.as<ir::Let>()) {
            expr(let->value);
            const Scope scope(*this, let->var);
            expr(let->body);
        } else {
            if (const auto *load = e.as<ir::BufferLoad>()) {
                use(load->buffer);
                if (m_level == Level::Flat && load->indices.size() > 1)
                    stop("verify.level",
                         "'" + load->buffer.name() + "' is read with several indices after lowering");
            }
            children(e);
        }
    }

private:
    struct Place {
        ir::StmtId stmt;
        std::string name; ///< of the block; empty outside blocks
    };

    /// A variable is visible as long as this lives.
    class Scope {
    public:
        Scope(Verifier &verifier, const Var &var) : m_verifier(verifier), m_var(var) { verifier.define(var); }
        ~Scope() { m_verifier.m_visible.erase(m_var); }
        Scope(const Scope &) = delete;
        Scope &operator=(const Scope &) = delete;

    private:
        Verifier &m_verifier;
        Var m_var;
    };

    [[noreturn]] void stop(const char *code, std::string message) const
    {
        support::Diagnostic diagnostic = support::diagnostic(code, std::move(message));
        if (!m_place.name.empty())
            diagnostic.message = "in block '" + m_place.name + "': " + diagnostic.message;
        if (m_place.stmt)
            diagnostic.locations.push_back({.file = {}, .stmt = m_place.stmt, .label = "here"});
        throw support::UserError(std::move(diagnostic));
    }

    void params(const ir::PrimFunc &function)
    {
        for (const ir::Param &param : function.params)
            define(param.var); // all of them first: a size may be a parameter that comes after the buffer
        for (const ir::Param &param : function.params) {
            if (!param.buffer && param.var.dtype().isHandle())
                m_pointers.insert(param.var); // which buffers may view
            if (!param.buffer)
                continue;
            // Sizes, strides and offset of a parameter may be variables, which it defines.
            for (const auto *exprs : {&param.buffer.shape(), &param.buffer->strides}) {
                for (const Expr &e : *exprs)
                    defineFree(e);
            }
            defineFree(param.buffer->elemOffset);
            if (!m_visible.contains(param.buffer->data))
                define(param.buffer->data);
            m_buffers.insert(param.buffer);
            m_pointers.insert(param.buffer->data); // which other buffers may view
        }
    }

    void defineFree(const Expr &e)
    {
        if (!e)
            return;
        for (const Var &var : ir::variablesOf(e)) {
            if (!m_visible.contains(var))
                define(var);
        }
    }

    void define(const Var &var)
    {
        if (!var)
            stop("verify.missing", "a variable's definition is missing");
        if (!m_visible.insert(var).second)
            stop("verify.redefined-variable",
                 "the variable '" + var.name() + "' is defined again where it is defined already");
        if (m_level == Level::Block && !m_defined.insert(var).second)
            stop("verify.redefined-variable", "the variable '" + var.name() + "' is defined in two places");
    }

    void use(const Var &var) const
    {
        if (!m_visible.contains(var))
            stop("verify.undefined-variable",
                 "the variable '" + var.name() + "' is used where it is not defined");
        if (m_outerLoops.contains(var)) {
            stop("verify.loop-in-block", "the variable '" + var.name()
                                             + "' of a loop outside the block is used; blocks use loops by "
                                               "way of their own variables");
        }
    }

    void use(const Buffer &buffer) const
    {
        if (!m_buffers.contains(buffer) && !m_pointers.contains(buffer->data)) {
            stop("verify.undefined-buffer",
                 "the buffer '" + buffer.name()
                     + "' is used, but is neither a parameter nor allocated around its use");
        }
    }

    void visit(const Stmt &s)
    {
        switch (s.kind()) {
        case ir::StmtKind::For: visitFor(*s.as<ir::For>()); return;
        case ir::StmtKind::Block: visitBlock(*s.as<ir::Block>()); return;
        case ir::StmtKind::LetStmt: {
            const auto &node = *s.as<ir::LetStmt>();
            expr(node.value);
            const Scope scope(*this, node.var);
            if (node.var.dtype().isHandle())
                m_pointers.insert(node.var);
            stmt(node.body);
            return;
        }
        case ir::StmtKind::Allocate: {
            const auto &node = *s.as<ir::Allocate>();
            for (const Expr &extent : node.extents)
                expr(extent);
            const Scope scope(*this, node.data);
            m_pointers.insert(node.data);
            stmt(node.body);
            m_pointers.erase(node.data);
            return;
        }
        case ir::StmtKind::DeclBuffer: {
            const auto &node = *s.as<ir::DeclBuffer>();
            if (!m_visible.contains(node.buffer->data))
                stop("verify.undefined-variable",
                     "the pointer of the buffer '" + node.buffer.name() + "' is not defined");
            shape(node.buffer);
            m_buffers.insert(node.buffer);
            stmt(node.body);
            m_buffers.erase(node.buffer);
            return;
        }
        case ir::StmtKind::AttrStmt: visitAttr(*s.as<ir::AttrStmt>()); return;
        case ir::StmtKind::BufferStore: {
            const auto &node = *s.as<ir::BufferStore>();
            use(node.buffer);
            if (m_level == Level::Flat && node.indices.size() > 1)
                stop("verify.level",
                     "'" + node.buffer.name() + "' is written with several indices after lowering");
            children(s);
            return;
        }
        default: children(s); return;
        }
    }

    void checkId(ir::StmtId id, const std::string &what)
    {
        // Copies of a loop, as unrolling and partitioning make them, share its id.
        if (m_level == Level::Flat)
            return;
        if (id && !m_ids.insert(id).second)
            stop("verify.id",
                 what + " has the id " + std::to_string(id.value) + ", which another loop or block has too");
    }

    void visitFor(const ir::For &loop)
    {
        checkId(loop.id, "the loop over '" + loop.var.name() + '\'');
        expr(loop.min);
        expr(loop.extent);
        const Scope scope(*this, loop.var);
        m_loops.push_back(loop.var);
        stmt(loop.body);
        m_loops.pop_back();
    }

    /// launch_thread defines its variable, which several launches may share.
    void visitAttr(const ir::AttrStmt &node)
    {
        if (node.value)
            expr(node.value);
        const Var thread = ir::launchedThread(node);
        if (thread && m_visible.insert(thread).second) {
            stmt(node.body);
            m_visible.erase(thread);
            return;
        }
        if (const auto *object = node.node.as<ir::Call>(); object && !object->callee.intrinsic())
            visitObject(*object);
        else if (node.node)
            expr(node.node);
        stmt(node.body);
    }

    /// An object that is no computed value, as a reducer: variables among its arguments are its own.
    void visitObject(const ir::Call &object)
    {
        std::vector<Var> own;
        for (const Expr &arg : object.args) {
            const Var var = Var::from(arg);
            if (!var)
                expr(arg);
            else if (m_visible.insert(var).second)
                own.push_back(var);
        }
        for (const Var &var : own)
            m_visible.erase(var);
    }

    void visitBlock(const ir::Block &block)
    {
        checkId(block.id, "the block");
        if (m_level == Level::Flat)
            stop("verify.level", "there is a block after lowering");
        if (&block == m_root && !block.iterVars.empty())
            stop("verify.level", "the root block has iteration variables");
        for (const Expr &value : block.iterValues)
            expr(value);
        expr(block.predicate);
        for (const ir::IterVar &iter : block.iterVars) {
            expr(iter.domain.min);
            expr(iter.domain.extent);
        }
        for (const ir::IterVar &iter : block.iterVars)
            define(iter.var);
        const ir::VarSet outerLoops = m_outerLoops;
        if (!block.iterVars.empty()) // a block without any of its own may use variables from outside
            m_outerLoops.insert(m_loops.begin(), m_loops.end());
        inside(block);
        m_outerLoops = outerLoops;
        for (const ir::IterVar &iter : block.iterVars)
            m_visible.erase(iter.var);
    }

    /// Checks the parts stated in terms of the block's own variables.
    void inside(const ir::Block &block)
    {
        for (const auto *regions : {&block.reads, &block.writes}) {
            for (const ir::BufferRegion &region : *regions)
                visitRegion(region);
        }
        for (const Buffer &buffer : block.allocBuffers) {
            shape(buffer);
            if (!m_visible.contains(buffer->data))
                define(buffer->data);
            m_buffers.insert(buffer);
            m_pointers.insert(buffer->data);
        }
        ir::VarSet matched;
        for (const ir::MatchBuffer &match : block.matchBuffers) {
            visitRegion(match.source);
            defineMatched(match.buffer, matched);
            m_buffers.insert(match.buffer);
        }
        declared(block);
        if (block.init)
            stmt(block.init);
        stmt(block.body);
        for (const ir::MatchBuffer &match : block.matchBuffers)
            m_buffers.erase(match.buffer);
        for (const Var &var : matched)
            m_visible.erase(var);
        for (const Buffer &buffer : block.allocBuffers) {
            m_buffers.erase(buffer);
            m_pointers.erase(buffer->data);
            m_visible.erase(buffer->data);
        }
    }

    void visitRegion(const ir::BufferRegion &region)
    {
        use(region.buffer);
        for (const ir::Range &range : region.region) {
            expr(range.min);
            expr(range.extent);
        }
    }

    void shape(const Buffer &buffer)
    {
        for (const auto *exprs : {&buffer.shape(), &buffer->strides}) {
            for (const Expr &e : *exprs)
                expr(e);
        }
        if (buffer->elemOffset)
            expr(buffer->elemOffset);
    }

    /// Sizes, strides, offset and pointer of a matched buffer get their values from the matched region.
    void defineMatched(const Buffer &buffer, ir::VarSet &defined)
    {
        std::vector<Expr> exprs = buffer.shape();
        exprs.insert(exprs.end(), buffer->strides.begin(), buffer->strides.end());
        if (buffer->elemOffset)
            exprs.push_back(buffer->elemOffset);
        exprs.push_back(buffer->data);
        for (const Expr &e : exprs) {
            for (const Var &var : ir::variablesOf(e)) {
                if (!m_visible.contains(var)) {
                    define(var);
                    defined.insert(var);
                }
            }
        }
    }

    /// No statement but loops and blocks before the next blocks.
    static bool holdsOnlyBlocks(const Stmt &body)
    {
        bool only = true;
        ir::forEachStmt(body, [&](const Stmt &s) {
            only = only && (s.as<ir::For>() || s.as<ir::Block>() || s.as<ir::Seq>());
            return only && !s.as<ir::Block>();
        });
        return only;
    }

    /// The body touches nothing outside that the block does not declare.
    void declared(const ir::Block &block) const
    {
        if (&block == m_root || m_level != Level::Block || m_undeclared == Undeclared::Allowed
            || ir::attribute(block.annotations, script::detectAccessKey))
            return;
        // A block that only holds others together, as those made by partitioning, may leave it to them.
        if (block.iterVars.empty() && block.reads.empty() && block.writes.empty()
            && holdsOnlyBlocks(block.body))
            return;
        const AccessRegions found = accessRegions(block);
        for (const ir::BufferRegion &write : found.writes) {
            if (!ir::hasRegion(block.writes, write.buffer))
                stop("verify.undeclared-access",
                     "'" + write.buffer.name() + "' is written, but not among the block's writes");
        }
        for (const ir::BufferRegion &read : found.reads) {
            if (!ir::hasRegion(block.reads, read.buffer) && !ir::hasRegion(block.writes, read.buffer))
                stop("verify.undeclared-access",
                     "'" + read.buffer.name() + "' is read, but not among the block's reads");
        }
    }

    Level m_level;
    Undeclared m_undeclared;
    Ids &m_ids;
    const ir::Block *m_root = nullptr;
    Place m_place;
    ir::VarSet m_visible; ///< defined here
    ir::VarSet m_defined; ///< defined anywhere so far
    std::vector<Var> m_loops;
    ir::VarSet m_outerLoops; ///< loops outside the block we are in
    ir::VarSet m_pointers;   ///< memory of parameters, and allocations
    std::unordered_set<Buffer, ir::BufferHash> m_buffers;
};

support::Result<void> verifyWith(const ir::PrimFunc &function, Level level, Undeclared undeclared, Ids &ids)
try {
    Verifier(level, undeclared, ids).run(function);
    return {};
} catch (const support::UserError &error) {
    return support::fail(error.diagnostic());
}

} // namespace

support::Result<void> verify(const ir::PrimFunc &function, Level level, Undeclared undeclared)
{
    Ids ids;
    return verifyWith(function, level, undeclared, ids);
}

support::Result<void> verify(const ir::Module &module, Level level, Undeclared undeclared)
{
    Ids ids;
    for (const ir::Module::Entry &entry : module.functions()) {
        if (auto result = verifyWith(*entry.function, level, undeclared, ids); !result) {
            support::Diagnostic diagnostic = result.error();
            diagnostic.message = "function '" + entry.name + "': " + diagnostic.message;
            return support::fail(std::move(diagnostic));
        }
    }
    return {};
}

} // namespace nestwright::analysis
