// SPDX-License-Identifier: Apache-2.0
#include "core/lower/pipeline.h"

#include "core/analysis/verify.h"
#include "core/ir/runnable.h"
#include "core/lower/custom_intrinsics.h"
#include "core/lower/passes/passes.h"
#include "core/support/errors.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace nestwright::lower {

using support::fail;
using support::Result;

namespace {

constexpr std::array table{
    Pass{"lower-init", "init statements become guarded statements of the body", Form::Blocks, Form::Blocks,
         lowerInit},
    Pass{"lower-blocks", "blocks become their statements", Form::Blocks, Form::Loops, lowerBlocks},
    Pass{"compact-buffers", "allocations shrink to what is touched", Form::Loops, Form::Loops,
         compactBuffers},
    Pass{"flatten-buffers", "buffers become one-dimensional", Form::Loops, Form::Flat, flattenBuffers},
    Pass{"simplify", "expressions become simpler under the ranges of the loops", Form::Flat, Form::Flat,
         simplifyAll},
    Pass{"partition-loops", "loops are cut where their guards change", Form::Flat, Form::Flat,
         partitionLoops},
    Pass{"stage-tiles", "tiles whose rows evict each other are worked on in a copy", Form::Flat, Form::Flat,
         stageTiles},
    Pass{"vectorize-loops", "vectorized loops become vector statements", Form::Flat, Form::Flat,
         vectorizeLoops},
    Pass{"unroll-loops", "unrolled loops become copies of their bodies", Form::Flat, Form::Flat, unrollLoops},
    Pass{"remove-no-ops", "what does nothing goes", Form::Flat, Form::Flat, removeNoOps},
};

constexpr std::array<std::string_view, 13> order{
    "lower-init",      "lower-blocks",  "compact-buffers", "flatten-buffers", "simplify",
    "partition-loops", "simplify",      "stage-tiles",     "vectorize-loops", "unroll-loops",
    "simplify",        "remove-no-ops", "simplify"};

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

} // namespace

std::span<const Pass> passes() { return table; }

const Pass *findPass(std::string_view name)
{
    const auto found = std::ranges::find(table, name, &Pass::name);
    return found == table.end() ? nullptr : &*found;
}

std::vector<const Pass *> pipeline(const Target &)
{
    std::vector<const Pass *> result;
    for (const std::string_view name : order)
        result.push_back(findPass(name));
    return result;
}

Result<PassRecord> runPass(const Pass &pass, const ir::Module &module, const Target &target)
{
    PassRecord record;
    record.name = pass.name;
    record.before = module;
    const auto start = std::chrono::steady_clock::now();
    try {
        record.after = pass.run(module, target);
    } catch (const support::ScheduleError &error) {
        return fail(error.diagnostic());
    }
    record.micros =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    record.unchanged = record.after.same(module);
    if (record.unchanged)
        return record;
    if (const auto sound = analysis::verify(record.after, levelOf(pass.to), analysis::Undeclared::Allowed);
        !sound)
        return fail("lower.pass",
                    "the pass '" + record.name + "' left an ill-formed program: " + sound.error().message);
    return record;
}

Result<Lowered> lower(const ir::Module &given, const Target &target, const LowerOptions &options)
{
    const Result<ir::Module> known = lowerCustomIntrinsics(given, target);
    if (!known)
        return fail(known.error());
    const ir::Module &module = *known;
    for (const ir::Module::Entry &entry : module.functions()) {
        if (const auto what = ir::notRunnable(*entry.function))
            return fail("lower.unsupported",
                        "the function '" + entry.name + "' cannot be compiled: it has " + *what);
    }
    Lowered result{module, {}};
    const bool withBlocks = hasBlocks(module);
    for (const Pass *pass : pipeline(target)) {
        if (options.stop.stop_requested())
            return fail("cancelled", "lowering was cancelled");
        if (pass->from == Form::Blocks && !withBlocks)
            continue;
        auto record = runPass(*pass, result.module, target);
        if (!record)
            return std::unexpected(record.error());
        result.module = record->after;
        if (options.keepRecords)
            result.records.push_back(std::move(*record));
    }
    return result;
}

} // namespace nestwright::lower
