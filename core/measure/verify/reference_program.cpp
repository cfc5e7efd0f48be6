// SPDX-License-Identifier: Apache-2.0
#include "core/measure/verify/reference_program.h"

#include "core/backend/backend.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"
#include "core/measure/verify/sound_program.h"

#include <algorithm>
#include <array>

namespace nestwright::measure {

namespace {

bool threadsMeet(const ir::Module &module)
{
    using namespace ir::intrinsics;
    bool found = false;
    for (const ir::Module::Entry &entry : module.functions()) {
        ir::forEachExpr(entry.function->body, [&](const ir::Expr &e) {
            const auto *call = e.as<ir::Call>();
            const auto is = [&](const ir::Intrinsic *intrinsic) { return call->callee == *intrinsic; };
            found = found
                    || (call
                        && std::ranges::any_of(std::array{&tvmStorageSync, &tvmThreadAllreduce,
                                                          &tvmWarpActiveMask, &tvmWarpShuffle,
                                                          &tvmWarpShuffleUp, &tvmWarpShuffleDown},
                                               is));
            return !found;
        });
    }
    return found;
}

class WithoutThreads : public ir::Rewriter {
public:
    ir::Stmt stmt(const ir::Stmt &s) override
    {
        ir::Stmt changed = children(s);
        const auto *loop = changed.as<ir::For>();
        if (!loop || loop->forKind != ir::ForKind::ThreadBinding)
            return changed;
        ir::For serial = *loop;
        serial.forKind = ir::ForKind::Serial;
        serial.thread.clear();
        return ir::make(std::move(serial));
    }
};

/// The module without the freedom that a kernel's own file gives its arithmetic.
ir::Module withExactArithmetic(const ir::Module &module)
{
    const std::string key(ir::fastMathKey);
    ir::Module result = module;
    for (const ir::Module::Entry &entry : module.functions()) {
        const ir::Block *root = entry.function->root();
        const bool ofRoot = root && root->annotations.contains(key);
        if (!ofRoot && !entry.function->attrs.contains(key))
            continue;
        ir::PrimFunc exact = *entry.function;
        exact.attrs.erase(key);
        if (ofRoot) {
            ir::Block plain = *root;
            plain.annotations.erase(key);
            exact.body = ir::make(std::move(plain));
        }
        result = result.with(entry.name, std::make_shared<const ir::PrimFunc>(std::move(exact)));
    }
    return result;
}

/// The module with memory that is provided from outside, so that no compiler knows it to be uninitialized.
ir::Module withGivenMemory(const ir::Module &module)
{
    ir::Module result = module;
    for (const ir::Module::Entry &entry : module.functions()) {
        if (!hasOwnMemory(*entry.function))
            continue;
        ir::PrimFunc function = *entry.function;
        function.attrs.insert_or_assign(std::string(ir::givenMemoryKey), ir::AttrValue(std::int64_t{1}));
        result = result.with(entry.name, std::make_shared<const ir::PrimFunc>(std::move(function)));
    }
    return result;
}

} // namespace

ReferenceProgram referenceProgram(const ir::Module &unscheduled, const target::Target &target)
{
    const ir::Module exact = withExactArithmetic(unscheduled);
    target::Target processor;
    if (!backend::isBuilt(processor.kind) || threadsMeet(unscheduled))
        return {exact, target};
    processor.threads = target.threads;
    return {withGivenMemory(ir::rewriteModule<WithoutThreads>(exact)), processor};
}

} // namespace nestwright::measure
