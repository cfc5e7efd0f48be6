// SPDX-License-Identifier: Apache-2.0
#include "core/lower/pipeline.h"

#include "core/analysis/verify/verify.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"
#include "core/ir/parameter_layout.h"
#include "core/ir/runnable.h"
#include "core/lower/custom_intrinsics.h"
#include "core/lower/passes/declarations.h"
#include "core/support/errors/codes.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <array>
#include <utility>

namespace nestwright::lower {

using support::fail;
using support::Result;

namespace {

constexpr std::array table{
    Pass{"lower-cross-thread-reduction", "threads that reduce together meet for it", Form::Blocks,
         Form::Blocks, lowerCrossThreadReduction},
    Pass{"lower-init-block", "init statements become guarded statements of the body", Form::Blocks,
         Form::Blocks, lowerInitBlock},
    Pass{"lower-blocks", "blocks become their statements", Form::Blocks, Form::Loops, lowerBlocks},
    Pass{"remove-undef", "stores of values that are left open go", Form::Blocks, {}, removeUndef},
    Pass{"lower-jumps",
         "loops that are left early run to their end under a flag",
         Form::Loops,
         {},
         lowerJumps},
    Pass{"unify-thread-binding",
         "the loops over threads of a kernel become one nest",
         Form::Loops,
         {},
         unifyThreadBinding},
    Pass{"compact-buffer-allocation", "allocations shrink to the region accessed", Form::Loops, Form::Loops,
         compactBufferAllocation},
    Pass{"flatten-buffer", "buffers become one-dimensional", Form::Loops, Form::Flat, flattenBuffer},
    Pass{"inject-virtual-thread",
         "virtual threads become loops around what differs between them",
         Form::Flat,
         {},
         injectVirtualThread},
    Pass{"lower-warp-memory",
         "memory of warps becomes registers of their lanes, or shared memory",
         Form::Flat,
         {},
         lowerWarpMemory},
    Pass{"inject-double-buffer",
         "memory that a loop fills and reads is filled a round ahead",
         Form::Flat,
         {},
         injectDoubleBuffer},
    Pass{"lower-thread-allreduce",
         "reductions of all threads become exchanges within warps, or trees in shared memory",
         Form::Flat,
         {},
         lowerThreadAllreduce},
    Pass{"simplify",
         "expressions become simpler under the ranges of the loops",
         Form::Blocks,
         {},
         simplifyAll},
    Pass{"storage-rewrite", "memory whose lifetimes do not meet becomes one", Form::Flat, {}, storageRewrite},
    Pass{"fuse-parallel-loops",
         "parallel loops behind each other become one where iterations keep to themselves",
         Form::Flat,
         {},
         fuseParallelLoops},
    Pass{"loop-partition", "loops are cut where their guards change", Form::Flat, {}, loopPartition},
    Pass{"stage-tiles",
         "tiles whose rows evict each other are worked on in a copy",
         Form::Flat,
         {},
         stageTiles},
    Pass{"hoist-if-then-else",
         "conditions that a loop does not change go out of it",
         Form::Flat,
         {},
         hoistIfThenElse},
    Pass{"vectorize-loop", "vectorized loops become vector statements", Form::Flat, {}, vectorizeLoop},
    Pass{"unroll-loop", "unrolled loops become copies of their bodies", Form::Flat, {}, unrollLoop},
    Pass{"remove-no-op", "removes statements without effect", Form::Loops, {}, removeNoOp},
    Pass{"common-subexpr-elim",
         "expressions that are computed twice become variables",
         Form::Flat,
         {},
         commonSubexprElim},
    Pass{"narrow-data-type",
         "indices of 64 bits that fit into 32 are computed in 32",
         Form::Flat,
         {},
         narrowDataType},
    Pass{"thread-sync", "threads wait where one needs what another stores", Form::Flat, {}, threadSync},
    Pass{"split-host-device",
         "kernels become functions that the host launches",
         Form::Flat,
         {},
         splitHostDevice},
    Pass{"verify-gpu-code", "refuses kernels that exceed a device", Form::Flat, {}, verifyGpuCode},
};

constexpr std::array<std::string_view, 17> processorOrder{"remove-undef",
                                                          "lower-init-block",
                                                          "lower-blocks",
                                                          "lower-jumps",
                                                          "compact-buffer-allocation",
                                                          "flatten-buffer",
                                                          "simplify",
                                                          "storage-rewrite",
                                                          "fuse-parallel-loops",
                                                          "loop-partition",
                                                          "simplify",
                                                          "stage-tiles",
                                                          "vectorize-loop",
                                                          "unroll-loop",
                                                          "simplify",
                                                          "remove-no-op",
                                                          "simplify"};

constexpr std::array<std::string_view, 23> deviceOrder{"remove-undef",
                                                       "lower-cross-thread-reduction",
                                                       "lower-init-block",
                                                       "lower-blocks",
                                                       "lower-jumps",
                                                       "unify-thread-binding",
                                                       "compact-buffer-allocation",
                                                       "flatten-buffer",
                                                       "lower-warp-memory",
                                                       "lower-thread-allreduce",
                                                       "inject-virtual-thread",
                                                       "inject-double-buffer",
                                                       "simplify",
                                                       "storage-rewrite",
                                                       "thread-sync",
                                                       "narrow-data-type",
                                                       "hoist-if-then-else",
                                                       "vectorize-loop",
                                                       "unroll-loop",
                                                       "simplify",
                                                       "remove-no-op",
                                                       "split-host-device",
                                                       "verify-gpu-code"};

analysis::Level levelOf(Form form)
{
    switch (form) {
    case Form::Blocks: return analysis::Level::Block;
    case Form::Loops: return analysis::Level::Any;
    case Form::Flat: return analysis::Level::Flat;
    }
    std::unreachable();
}

/// A module without blocks needs no passes that take them away.
bool hasBlocks(const ir::Module &module)
{
    return std::ranges::any_of(module.functions(),
                               [](const auto &entry) { return entry.function->root() != nullptr; });
}

/// The level that a module of any origin keeps in this form: one of its functions may have no blocks while
/// others do.
analysis::Level levelKept(Form form)
{
    return form == Form::Flat ? analysis::Level::Flat : analysis::Level::Any;
}

/// The form that all functions of the module have at least.
Form formOf(const ir::Module &module)
{
    if (hasBlocks(module))
        return Form::Blocks;
    bool isFlat = true;
    const auto note = [&](const std::vector<ir::Expr> &indices) { isFlat = isFlat && indices.size() <= 1; };
    for (const ir::Module::Entry &entry : module.functions()) {
        ir::forEachStmt(entry.function->body, [&](const ir::Stmt &s) {
            if (const auto *store = s.as<ir::BufferStore>())
                note(store->indices);
            return isFlat;
        });
        ir::forEachExpr(entry.function->body, [&](const ir::Expr &e) {
            if (const auto *load = e.as<ir::BufferLoad>())
                note(load->indices);
            return isFlat;
        });
    }
    return isFlat ? Form::Flat : Form::Loops;
}

Result<void> checkForm(const Pass &pass, Form form, const target::Target &target)
{
    if (form >= pass.from)
        return {};
    std::string before;
    for (const Pass *other : pipeline(target)) {
        if (other->name != pass.name && other->to && (*other->to > form || form == Form::Blocks)
            && *other->to <= pass.from)
            before += (before.empty() ? "" : ",") + std::string(other->name);
    }
    return fail(
        support::diagnostic("lower.form",
                            "the pass '" + std::string(pass.name) + "' works on programs "
                                + (pass.from == Form::Flat ? "of one-dimensional buffers" : "without blocks")
                                + ", but this one has "
                                + (form == Form::Blocks ? "blocks" : "buffers of several dimensions"))
            .withHint("run " + before + " before it"));
}

Result<void> checkInput(const ir::Module &module, Form form)
{
    auto sound = analysis::verify(module, levelKept(form), analysis::Undeclared::Allowed);
    if (!sound)
        sound.error().message = "the program is ill-formed: " + sound.error().message;
    return sound;
}

using Runner = support::PassRunner<ir::Module>;

Result<void> verifyLeft(const Pass &pass, const ir::Module &module, Form form)
{
    const auto sound = analysis::verify(module, pass.to ? levelOf(*pass.to) : levelKept(form),
                                        analysis::Undeclared::Allowed);
    if (!sound
        && sound.error().code == support::codes::tooDeep) // to be looked at; nothing is wrong with the pass
        return fail(sound.error());
    NW_ASSERT(sound, "the pass '" + std::string(pass.name)
                         + "' left an ill-formed program: " + sound.error().message);
    return {};
}

/// Runs the pass on a program that is well-formed and has that form; gives the form it has then.
Result<Form> run(Runner &runner, const Pass &pass, const target::Context &context, Form form)
{
    const ir::Module before = runner.program();
    const auto transform = [&](const ir::Module &module) { return pass.run(module, context); };
    const auto verify = [&](const ir::Module &after) {
        return after.same(before) ? Result<void>() : verifyLeft(pass, after, form);
    };
    if (const auto done = runner.run(pass.name, transform, verify); !done)
        return fail(done.error());
    return pass.to.value_or(form);
}

} // namespace

std::span<const Pass> passes() { return table; }

const Pass *findPass(std::string_view name) { return support::findPass(passes(), name); }

std::vector<const Pass *> pipeline(const target::Target &target)
{
    const std::span<const std::string_view> order =
        target.isGpu() ? std::span<const std::string_view>(deviceOrder) : processorOrder;
    std::vector<const Pass *> result;
    for (const std::string_view name : order)
        result.push_back(findPass(name));
    return result;
}

Result<PassRecord> runPass(const Pass &pass, const ir::Module &module, const target::Context &context)
{
    const Form form = formOf(module);
    if (const auto lowered = checkForm(pass, form, context.target); !lowered)
        return fail(lowered.error());
    if (const auto sound = checkInput(module, form); !sound)
        return fail(sound.error());
    Runner runner(module, {.keepRecords = true});
    if (const auto done = run(runner, pass, context, form); !done)
        return fail(done.error());
    return std::move(runner.takeRecords().front());
}

namespace {

Result<Lowered> lowerBy(std::span<const Pass *const> order, const ir::Module &module,
                        const target::Context &context, const support::PassOptions &options)
{
    const Result<ir::Module> known = lowerCustomIntrinsics(module, context.target);
    if (!known)
        return fail(known.error());
    for (const ir::Module::Entry &entry : known->functions()) {
        if (const auto what = ir::notRunnable(*entry.function))
            return fail(
                support::diagnostic("lower.unsupported",
                                    "the function '" + entry.name + "' cannot be compiled: it has " + *what)
                    .withHint("write that part with numbers and elements of buffers to run it"));
    }
    Runner runner(ir::withCompactParameters(*known), options);
    Form form = formOf(runner.program());
    if (const auto sound = checkInput(runner.program(), form); !sound)
        return fail(sound.error());
    for (const Pass *pass : order) {
        if (pass->from == Form::Blocks && pass->to && form != Form::Blocks)
            continue; // there are no blocks to take away
        const auto left = run(runner, *pass, context, form);
        if (!left)
            return fail(left.error());
        form = *left;
    }
    return Lowered{runner.takeProgram(), runner.takeRecords()};
}

} // namespace

Result<Lowered> lower(const ir::Module &module, const target::Context &context,
                      const support::PassOptions &options)
{
    return lowerBy(pipeline(context.target), module, context, options);
}

Result<ir::Module> lowerToThreads(const ir::Module &module, const target::Context &context,
                                  std::stop_token stop)
{
    std::vector<const Pass *> order = pipeline(context.target);
    order.erase(std::ranges::find(order, findPass("split-host-device")), order.end());
    auto lowered = lowerBy(order, module, context, {.keepRecords = false, .stop = std::move(stop)});
    if (!lowered)
        return fail(lowered.error());
    return std::move(lowered->module);
}

} // namespace nestwright::lower
