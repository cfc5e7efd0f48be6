// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/primitives/interleaving.h"

#include "core/analysis/access/accesses.h"
#include "core/analysis/access/regions.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/schedule/edit.h"
#include "core/schedule/tree.h"
#include "core/script/print/printer.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

/// The regions of a buffer that a block accesses in one iteration of its nest.
struct Touch {
    StmtId block;
    ir::Buffer buffer;
    arith::Region region; ///< in terms of the nest's variables
    bool isWrite = false;
};

/// Undeclared accesses may be to any element.
void addHidden(std::vector<Touch> &touches, const analysis::FunctionIndex &index, StmtId block)
{
    const analysis::HiddenAccesses hidden = analysis::hiddenAccesses(index, block);
    for (const ir::Buffer &buffer : hidden.reads)
        touches.push_back({block, buffer, ir::fullRegion(buffer).region, false});
    for (const ir::Buffer &buffer : hidden.writes)
        touches.push_back({block, buffer, ir::fullRegion(buffer).region, true});
}

std::vector<Touch> touchesOf(const analysis::FunctionIndex &index, StmtId below)
{
    std::vector<Touch> touches;
    arith::Analyzer analyzer;
    const auto add = [&](StmtId block, const ir::BufferRegion &region, bool isWrite) {
        touches.push_back(
            {block, region.buffer, analysis::touchedBelow(index, block, region, below, analyzer), isWrite});
    };
    for (const StmtId id : analysis::blocksThrough(index, below)) {
        for (const ir::BufferRegion &read : index.block(id)->reads)
            add(id, read, false);
        for (const ir::BufferRegion &write : index.block(id)->writes)
            add(id, write, true);
        addHidden(touches, index, id);
    }
    return touches;
}

/// Whether some dimension keeps the two regions apart.
bool apart(const arith::Region &a, const arith::Region &b, arith::Analyzer &analyzer)
{
    for (std::size_t d = 0; d < a.size(); ++d) {
        if (analyzer.canProve(ir::ge(a[d].min, b[d].min + b[d].extent))
            || analyzer.canProve(ir::ge(b[d].min, a[d].min + a[d].extent)))
            return true;
    }
    return false;
}

arith::Region withValues(const arith::Region &region, const ir::VarMap<ir::Expr> &values)
{
    arith::Region result;
    for (const ir::Range &range : region)
        result.push_back(ir::substitute(range, values));
    return result;
}

/// Whether `a` at an iteration later than that of `b` (or, with `sameToo`, at the same) touches only other
/// elements.
bool apartWhenLater(const Touch &a, const Nest &nestA, const Touch &b, const Nest &nestB, bool sameToo)
{
    const std::size_t depth = nestA.size();
    // The iterations agree outside level `level` and differ there; below they are anything. The level 0 is
    // the innermost.
    for (std::size_t level = 0; level < depth + sameToo; ++level) {
        arith::Analyzer analyzer;
        ir::VarMap<ir::Expr> valuesA, valuesB;
        for (std::size_t i = 0; i < depth; ++i) {
            const ir::Expr &extent = nestA[i]->extent;
            const ir::DataType type = nestA[i]->var->dtype;
            const ir::Range whole{ir::constant(0, type), extent};
            const ir::Var here("here", type), there("there", type), ahead("ahead", type);
            analyzer.bind(here, whole);
            analyzer.bind(there, whole);
            analyzer.bind(ahead, ir::Range{ir::constant(1, type), extent - ir::constant(1, type)});
            const bool isEqual = level == depth || i > level;
            valuesB[nestB[i]->var] = ir::cast(nestB[i]->var->dtype, there);
            valuesA[nestA[i]->var] = isEqual ? ir::Expr(there) : i == level ? there + ahead : ir::Expr(here);
        }
        if (!apart(withValues(a.region, valuesA), withValues(b.region, valuesB), analyzer))
            return false;
    }
    return true;
}

[[noreturn]] void refuseOrder(const analysis::FunctionIndex &index, const Touch &first, const Touch &second)
{
    const auto element = [](const Touch &touch) {
        return script::printRegion({.buffer = touch.buffer, .region = touch.region});
    };
    refuse(
        diagnostic("schedule.order", "block " + named(*index.block(second.block)) + " would "
                                         + (second.isWrite ? "write " : "read ") + element(second)
                                         + " before block " + named(*index.block(first.block))
                                         + (first.isWrite ? " has written " : " has read ") + element(first))
            .at(first.block)
            .at(second.block)
            .withHint("the loops can be merged only where each iteration needs no later one of the other"));
}

void requireUnrelated(const analysis::FunctionIndex &index, const std::vector<Touch> &first,
                      const std::vector<Touch> &second)
{
    for (const Touch &a : first) {
        for (const Touch &b : second) {
            if (a.buffer->data == b.buffer->data && (a.isWrite || b.isWrite))
                refuseOrder(index, a, b);
        }
    }
}

} // namespace

void requireInterleavable(const analysis::FunctionIndex &index, StmtId holder, const std::vector<Nest> &nests)
{
    const std::vector<ir::Stmt> parts = partsOf(index.bodyOf(holder));
    std::vector<std::size_t> places; ///< of the nests among the parts
    std::vector<std::vector<Touch>> touches;
    for (const Nest &nest : nests) {
        const auto place =
            std::ranges::find_if(parts, [&](const ir::Stmt &s) { return s.get() == nest.back(); });
        if (place == parts.end())
            refuse(diagnostic("schedule.not-side-by-side",
                              "loop " + named(*nest.back()) + " does not stand directly in "
                                  + named(index.find(holder)) + ", so it may not run always")
                       .at(nest.back()->id)
                       .at(holder));
        places.push_back(static_cast<std::size_t>(place - parts.begin()));
        touches.push_back(touchesOf(index, nest.front()->id));
    }
    for (std::size_t a = 0; a < nests.size(); ++a) {
        // A nest passes the statements between its place and that of the last one.
        const auto [from, to] = std::minmax(places[a], places.back());
        for (std::size_t between = from + 1; between < to; ++between) {
            if (std::ranges::contains(places, between))
                continue;
            std::vector<Touch> passed;
            if (const auto *loop = parts[between].as<ir::For>())
                passed = touchesOf(index, loop->id);
            else if (const auto *part = parts[between].as<ir::Block>()) {
                const analysis::Accesses accesses = analysis::accessesOf(index, part->id);
                for (const analysis::Access &read : accesses.reads)
                    passed.push_back({read.block, read.region->buffer, {}, false});
                for (const analysis::Access &write : accesses.writes)
                    passed.push_back({write.block, write.region->buffer, {}, true});
                addHidden(passed, index, part->id);
            }
            requireUnrelated(index, touches[a], passed);
        }
        for (std::size_t b = 0; b < nests.size(); ++b) {
            if (places[a] >= places[b])
                continue;
            for (const Touch &first : touches[a]) {
                for (const Touch &second : touches[b]) {
                    if (first.buffer->data == second.buffer->data && (first.isWrite || second.isWrite)
                        && !(first.buffer == second.buffer
                             && apartWhenLater(first, nests[a], second, nests[b], b < a)))
                        refuseOrder(index, first, second);
                }
            }
        }
    }
}

} // namespace nestwright::schedule
