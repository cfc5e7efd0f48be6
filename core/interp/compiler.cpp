// SPDX-License-Identifier: Apache-2.0
#include "core/interp/compiler.h"

#include "core/interp/codes.h"
#include "core/interp/parameters.h"
#include "core/interp/slot_bounds.h"
#include "core/interp/thread_group.h"
#include "core/interp/warp_code.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"
#include "core/ir/node/block_marker.h"
#include "core/ir/runnable.h"
#include "core/ir/strides.h"
#include "core/ir/undefined.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace nestwright::interp {

using ir::Expr;
using ir::Stmt;

namespace {
class StmtCompiler {
public:
    StmtCompiler(MemorySetups &setups, const Limits &limits)
        : m_setups(setups)
        , m_limits(limits)
        , m_findRaces(limits.findRaces)
    {
    }

    ExprCompiler exprs;

    StmtPtr compile(const Stmt &s)
    {
        const bool outer = std::exchange(exprs.meets, false);
        std::unique_ptr<StmtCode> code = make(s);
        code->meets = exprs.meets;
        exprs.meets = exprs.meets || outer;
        return code;
    }

private:
    using CodePtr = std::unique_ptr<StmtCode>;

    CodePtr make(const Stmt &s)
    {
        switch (s.kind()) {
        case ir::StmtKind::For: return compileFor(*s.as<ir::For>());
        case ir::StmtKind::Block: return compileBlock(*s.as<ir::Block>());
        case ir::StmtKind::BufferStore: return compileStore(*s.as<ir::BufferStore>());
        case ir::StmtKind::Seq: {
            auto code = std::make_unique<SeqCode>();
            for (const Stmt &part : s.as<ir::Seq>()->stmts)
                code->stmts.push_back(compile(part));
            return code;
        }
        case ir::StmtKind::IfThenElse: {
            const auto &node = *s.as<ir::IfThenElse>();
            auto code = std::make_unique<IfCode>();
            code->condition = exprs.compileInt(node.condition);
            code->thenCase = compile(node.thenCase);
            if (node.elseCase)
                code->elseCase = compile(node.elseCase);
            return code;
        }
        case ir::StmtKind::Evaluate: return makeEvaluate(s.as<ir::Evaluate>()->value);
        case ir::StmtKind::LetStmt: return compileLet(*s.as<ir::LetStmt>());
        case ir::StmtKind::AttrStmt: return compileAttr(*s.as<ir::AttrStmt>());
        case ir::StmtKind::Allocate: return compileAllocate(*s.as<ir::Allocate>());
        case ir::StmtKind::DeclBuffer: {
            const auto &node = *s.as<ir::DeclBuffer>();
            auto code = std::make_unique<DeclareCode>();
            const std::size_t memory = exprs.memoryOf(node.buffer);
            code->setup = exprs.viewSetup(node.buffer, exprs.defineView(node.buffer), memory);
            code->body = compile(node.body);
            return code;
        }
        case ir::StmtKind::While: {
            const auto &node = *s.as<ir::While>();
            auto code = std::make_unique<WhileCode>();
            code->condition = exprs.compileInt(node.condition);
            code->body = compile(node.body);
            return code;
        }
        case ir::StmtKind::AssertStmt: {
            const auto &node = *s.as<ir::AssertStmt>();
            auto code = std::make_unique<AssertCode>();
            code->condition = exprs.compileInt(node.condition);
            code->message = node.message;
            code->place = exprs.place;
            code->body = compile(node.body);
            return code;
        }
        }
        std::unreachable();
    }

    CodePtr makeEvaluate(const Expr &value)
    {
        const auto *call = value.as<ir::Call>();
        if (call && call->callee == ir::intrinsics::tvmStorageSync) {
            auto code = std::make_unique<BarrierCode>();
            const auto *scope = call->args.empty() ? nullptr : call->args[0].as<ir::StringImm>();
            code->ofWarp = scope && scope->value == "warp";
            code->place = exprs.place;
            exprs.meets = true;
            return code;
        }
        if (call
            && (call->callee == ir::intrinsics::breakLoop || call->callee == ir::intrinsics::continueLoop)) {
            auto code = std::make_unique<JumpCode>();
            code->jump = call->callee == ir::intrinsics::breakLoop ? Jump::Loop : Jump::Iteration;
            return code;
        }
        auto code = std::make_unique<EvaluateCode>();
        code->value = exprs.compile(value);
        return code;
    }

    /// The axis of "threadIdx.x" … among those of a group; nothing for other loops.
    static std::optional<std::size_t> threadAxis(const ir::For &node)
    {
        constexpr std::string_view prefix = "threadIdx.", names = "xyz";
        if (!node.thread.starts_with(prefix) || node.thread.size() != prefix.size() + 1)
            return std::nullopt;
        const std::size_t axis = names.find(node.thread.back());
        return axis == std::string_view::npos ? std::nullopt : std::optional(axis);
    }

    /// Whether threads meet in it, so that they cannot run one after the other.
    static bool mayMeet(const Stmt &s)
    {
        bool found = false;
        ir::forEachExpr(s, [&](const Expr &e) {
            const auto *call = e.as<ir::Call>();
            found = found || (call && isMeeting(*call));
            return !found;
        });
        return found;
    }

    /// A loop over threads that meet in it, with the loops over others of the group.
    CodePtr makeThreads(const ir::For &node)
    {
        auto code = std::make_unique<ThreadsCode>();
        code->place = exprs.place;
        const auto note = [&](const ir::For &loop) {
            const std::optional<std::size_t> axis = threadAxis(loop);
            if (axis && (&loop == &node || ir::asInt(loop.extent)))
                code->extents[*axis].push_back(exprs.compileIndex(loop.extent));
        };
        note(node);
        ir::forEachStmt(node.body, [&](const Stmt &s) {
            if (const auto *loop = s.as<ir::For>())
                note(*loop);
            return true;
        });
        m_inGroup = true;
        CodePtr axis = makeThreadAxis(node);
        axis->meets = true;
        code->body = std::move(axis);
        m_inGroup = false;
        exprs.meets = false; // outside of the group it is one statement
        return code;
    }

    CodePtr makeThreadAxis(const ir::For &node)
    {
        auto code = std::make_unique<ThreadAxisCode>();
        code->axis = *threadAxis(node);
        code->min = exprs.compileIndex(node.min);
        code->extent = exprs.compileIndex(node.extent);
        code->slot = exprs.define(node.var);
        m_bounds.erase(code->slot);
        code->body = compile(node.body);
        return code;
    }

    /// A loop; the outermost one of those over blocks and threads is a launch.
    CodePtr compileFor(const ir::For &node)
    {
        if (!m_findRaces || node.forKind != ir::ForKind::ThreadBinding || m_inLaunch)
            return makeLoop(node);
        auto code = std::make_unique<LaunchCode>();
        m_inLaunch = true;
        code->body = makeLoop(node);
        m_inLaunch = false;
        return code;
    }

    CodePtr makeLoop(const ir::For &node)
    {
        if (threadAxis(node) && (m_inGroup || m_findRaces || mayMeet(node.body)))
            return m_inGroup ? makeThreadAxis(node) : makeThreads(node);
        auto code = std::make_unique<ForCode>();
        code->site = exprs.addLoop(node.id, node.var);
        if (m_findRaces && !m_inLaunch)
            watchIterations(node, *code);
        code->min = exprs.compileIndex(node.min);
        code->extent = exprs.compileIndex(node.extent);
        code->slot = exprs.define(node.var);
        m_bounds.erase(code->slot);
        if (const auto min = m_bounds.of(code->min), extent = m_bounds.of(code->extent); min && extent)
            m_bounds.set(code->slot, {min->first, min->last + extent->last - 1});
        const CodePlace outer = exprs.place;
        if (outer.blockName.empty())
            exprs.place.stmt = node.id;
        code->body = compile(node.body);
        code->isOfBlocks = node.thread.starts_with("blockIdx");
        exprs.place = outer;
        return code;
    }

    /// Watches the memory that a parallel loop writes: its iterations may race for that alone.
    void watchIterations(const ir::For &node, ForCode &code)
    {
        if (const auto own = m_limits.ownMemories.find(node.id); own != m_limits.ownMemories.end()) {
            for (const ir::Var &pointer : own->second) {
                if (const auto memory = exprs.knownMemory(pointer))
                    code.own.push_back(*memory);
            }
        }
        if (node.forKind != ir::ForKind::Parallel)
            return;
        code.isParallel = true;
        code.name = node.var.name();
        const auto watch = [&](const ir::Var &pointer) {
            if (const auto memory = exprs.knownMemory(pointer))
                exprs.watch(*memory);
        };
        ir::forEachStmt(node.body, [&](const Stmt &s) {
            if (const auto *store = s.as<ir::BufferStore>())
                watch(store->buffer->data);
            if (const auto *block = s.as<ir::Block>()) {
                for (const ir::MatchBuffer &match : block->matchBuffers)
                    watch(match.source.buffer->data);
            }
            if (const auto *let = s.as<ir::LetStmt>(); let && let->var.dtype().isHandle()) {
                if (const ir::Var from = ir::Var::from(let->value))
                    watch(from);
            }
            return true;
        });
    }

    CodePtr compileStore(const ir::BufferStore &node)
    {
        IntPtr mask = node.predicate ? exprs.compileInt(node.predicate) : nullptr;
        ValueCode value = exprs.compile(node.value);
        const ir::DataType dtype = node.buffer.dtype();
        if (dtype.isFloating() ? !value.f : !value.i) {
            stopWith(exprs.place, codes::unsupported,
                     exprs.place.name() + " stores a value of type '" + node.value.dtype().str() + "' in '"
                         + node.buffer.name() + "' of type '" + dtype.str() + '\'');
        }
        return makeStore(exprs.compileTarget(node.buffer, node.indices, true), std::move(value),
                         node.value.dtype().lanes, std::move(mask));
    }

    CodePtr compileLet(const ir::LetStmt &node)
    {
        if (node.var.dtype().isHandle()) {
            if (const ir::Var from = ir::Var::from(node.value)) // another name for a pointer
                exprs.aliasMemory(node.var, exprs.defineMemory(from));
            return make(node.body);
        }
        auto code = std::make_unique<LetCode>();
        code->value = exprs.compile(node.value);
        code->slot = exprs.define(node.var);
        code->lanes = std::max<int>(node.var.dtype().lanes, 1);
        code->body = compile(node.body);
        return code;
    }

    /// A launch of threads is a loop over them; ir::blockMarker has nothing to be run.
    CodePtr compileAttr(const ir::AttrStmt &node)
    {
        if (const ir::Var thread = ir::launchedThread(node)) {
            if (exprs.isDefined(thread) && std::ranges::contains(m_threads, thread))
                return make(node.body);
            auto code = std::make_unique<ForCode>();
            code->extent = exprs.compileIndex(node.value);
            code->slot = exprs.define(thread);
            m_threads.push_back(thread);
            code->body = compile(node.body);
            std::erase(m_threads, thread);
            return code;
        }
        const CodePlace outer = exprs.place;
        if (const support::StmtId block = ir::markedBlock(node)) {
            exprs.place.stmt = block;
            if (const auto *name = node.node.as<ir::StringImm>())
                exprs.place.blockName = name->value;
        }
        CodePtr body = make(node.body);
        exprs.place = outer;
        return body;
    }

    CodePtr compileAllocate(const ir::Allocate &node)
    {
        auto code = std::make_unique<AllocateCode>();
        code->allocation = {.memory = exprs.defineMemory(node.data),
                            .extents = {},
                            .dtype = exprs.elementsOf(node.dtype),
                            .name = node.data.name(),
                            .place = exprs.place};
        for (const Expr &extent : node.extents)
            code->allocation.extents.push_back(exprs.compileIndex(extent));
        share(code->allocation, node.scope);
        code->setups = &m_setups;
        code->body = compile(node.body);
        return code;
    }

    Allocation compileAlloc(const ir::Buffer &buffer)
    {
        const std::size_t memory = exprs.defineMemory(buffer->data);
        Allocation result{.memory = memory,
                          .extents = {},
                          .dtype = exprs.elementsOf(buffer.dtype()),
                          .name = buffer.name(),
                          .place = exprs.place};
        for (std::size_t i = 0; i < buffer.shape().size(); ++i) {
            // With strides, as storage_align makes them, the first dimension spans the memory.
            const bool padded = i == 0 && ir::isStrided(buffer);
            result.extents.push_back(
                exprs.compileIndex(padded ? buffer.shape()[0] * buffer->strides[0] : buffer.shape()[i]));
            if (padded)
                break;
        }
        (void)exprs.viewOf(buffer); // its view is set up with the memory
        share(result, buffer->scope);
        return result;
    }

    /// Memory that is made in a group is its threads' own only where its scope says so.
    void share(Allocation &allocation, std::string_view scope)
    {
        allocation.isShared = m_inGroup && !scope.starts_with("local") && !scope.starts_with("warp");
        exprs.meets = exprs.meets || allocation.isShared;
    }

    Match compileMatch(const ir::MatchBuffer &node)
    {
        const ir::Buffer &source = node.source.buffer;
        const ir::Buffer &target = node.buffer;
        Match match;
        match.source = exprs.viewOf(source);
        if (source.shape().size() < target.shape().size()
            || node.source.region.size() != source.shape().size()) {
            stopWith(exprs.place, codes::unsupported,
                     exprs.place.name() + " matches '" + target.name() + "' with a region of '"
                         + source.name() + "' that has too few dimensions");
        }
        for (const ir::Range &range : node.source.region) {
            match.mins.push_back(exprs.compileIndex(range.min));
            match.extents.push_back(exprs.compileIndex(range.extent));
        }
        const std::size_t leading = source.shape().size() - target.shape().size();
        for (std::size_t i = 0; i < target.shape().size(); ++i) {
            if (const ir::Var size = ir::Var::from(target.shape()[i]); size && !exprs.isDefined(size))
                match.shapeSlots.emplace_back(exprs.define(size), leading + i);
        }
        for (std::size_t i = 0; i < target->strides.size(); ++i) {
            if (const ir::Var stride = ir::Var::from(target->strides[i]))
                match.strideSlots.emplace_back(exprs.define(stride), leading + i);
        }
        if (const ir::Var offset = ir::Var::from(target->elemOffset))
            match.offsetSlots.push_back(exprs.define(offset));
        for (const Expr &extent : target.shape())
            match.shape.push_back(exprs.compileIndex(extent));
        exprs.aliasMemory(target->data, exprs.memoryOf(source));
        match.view = exprs.defineView(target);
        return match;
    }

    CodePtr compileBlock(const ir::Block &node)
    {
        auto code = std::make_unique<BlockCode>();
        const CodePlace outer =
            std::exchange(exprs.place, CodePlace{.stmt = node.id, .blockName = node.name});
        code->place = exprs.place;
        if (!ir::isTrue(node.predicate))
            code->predicate = exprs.compileInt(node.predicate);
        for (std::size_t i = 0; i < node.iterVars.size(); ++i) {
            const ir::IterVar &iter = node.iterVars[i];
            BlockCode::Iter out;
            out.value = exprs.compileIndex(node.iterValues[i]);
            out.min = exprs.compileIndex(iter.domain.min);
            out.extent = exprs.compileIndex(iter.domain.extent);
            out.isReduce = iter.kind == ir::IterKind::Reduce;
            out.name = iter.var.name();
            out.slot = exprs.define(iter.var);
            m_bounds.bindIter(out);
            code->iters.push_back(std::move(out));
        }
        for (const ir::Buffer &buffer : node.allocBuffers)
            code->allocations.push_back(compileAlloc(buffer));
        for (const ir::MatchBuffer &match : node.matchBuffers)
            code->matches.push_back(compileMatch(match));
        code->setups = &m_setups;
        if (node.init)
            code->init = compile(node.init);
        code->body = compile(node.body);
        exprs.place = outer;
        return code;
    }

    MemorySetups &m_setups;
    const Limits &m_limits;
    SlotBounds m_bounds;
    std::vector<ir::Var> m_threads; ///< launched around here
    bool m_findRaces;
    bool m_inLaunch = false; ///< in a loop over blocks or threads
    bool m_inGroup = false;  ///< in a loop over threads that meet
};

} // namespace

Program compileProgram(const ir::PrimFunc &function, const Limits &limits)
{
    if (const auto what = ir::notRunnable(function))
        throw support::UserError(
            support::diagnostic(codes::unsupported, "the interpreter does not understand " + *what));
    Program program;
    program.setups = std::make_unique<MemorySetups>();
    StmtCompiler compiler(*program.setups, limits);
    compiler.exprs.field = limits.field;
    compileParams(function, compiler.exprs, program);
    program.body = compiler.compile(ir::withoutUndefined(function.body));
    *program.setups = std::move(compiler.exprs.setups());
    program.slotCount = compiler.exprs.slotCount();
    program.viewCount = compiler.exprs.viewCount();
    program.sites = std::move(compiler.exprs.sites());
    program.sites.memories = program.setups->size();
    std::ranges::transform(program.arguments, std::back_inserter(program.sites.arguments),
                           &Program::Argument::memory);
    return program;
}

} // namespace nestwright::interp
