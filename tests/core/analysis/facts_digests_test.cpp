// SPDX-License-Identifier: Apache-2.0
/// Facts about random programs: the digest of each kind of fact, with the objections in words. A fact that
/// comes out otherwise shows here.
#include "core/analysis/access/accesses.h"
#include "core/analysis/access/footprint.h"
#include "core/analysis/access/in_place.h"
#include "core/analysis/access/index_inputs.h"
#include "core/analysis/access/regions.h"
#include "core/analysis/kernel/axes.h"
#include "core/analysis/kernel/block_kind.h"
#include "core/analysis/kernel/counts.h"
#include "core/analysis/kernel/reduction.h"
#include "core/analysis/kernel/stage_graph.h"
#include "core/script/print/printer.h"
#include "core/support/errors/errors.h"
#include "tests/support/digest.h"
#include "tests/support/outcomes.h"
#include "tests/support/programs.h"
#include "tests/support/random_program.h"

using namespace nestwright;
using namespace nestwright::tests;
using analysis::FunctionIndex;
using ir::StmtId;

namespace {

std::string said(const std::optional<support::Diagnostic> &objection)
{
    return objection ? objection->render() + ';' : ".;";
}

std::string kinds(const FunctionIndex &index)
{
    std::string text;
    for (const StmtId id : index.all()) {
        if (index.loop(id)) {
            text += said(analysis::whyNotCompactDataFlow(index, id));
            continue;
        }
        text += said(analysis::whyNotDominant(index, id)) + said(analysis::whyNotComplete(index, id))
                + said(analysis::whyNotReduction(index, id)) + said(analysis::whyNotAffine(index, id))
                + said(analysis::whyNotAffineOrCutShort(index, id))
                + said(analysis::whyNotCovered(index, id));
    }
    return text + said(analysis::whyNotStagePipeline(index, index.root()));
}

std::string touched(const FunctionIndex &index)
{
    std::string text;
    const auto add = [&](const std::vector<analysis::Access> &accesses, StmtId loop) {
        for (const analysis::Access &access : accesses) {
            arith::Analyzer analyzer;
            text += ' ' + access.region->buffer->name;
            for (const ir::Range &range :
                 analysis::touchedBelow(index, access.block, *access.region, loop, analyzer))
                text += ' ' + script::printExpr(range.min) + '+' + script::printExpr(range.extent);
        }
    };
    for (const StmtId loop : index.all()) {
        if (!index.loop(loop))
            continue;
        for (const StmtId block : index.childBlocks(loop)) {
            const analysis::Accesses accesses = analysis::accessesOf(index, block);
            add(accesses.reads, loop);
            add(accesses.writes, loop);
        }
    }
    return text;
}

std::string dependences(const FunctionIndex &index)
{
    std::string text;
    for (const StmtId id : index.all()) {
        if (!index.block(id))
            continue;
        for (const analysis::Dependence &each : index.scope(id).dependences)
            text += std::format("{} {} {} {};", each.from.value, each.to.value, static_cast<int>(each.kind),
                                each.buffer->name);
        for (const StmtId block : index.outputBlocks(id))
            text += std::to_string(block.value) + ' ';
    }
    return text;
}

std::string axes(const FunctionIndex &index)
{
    const auto found = analysis::loopAxes(index);
    std::string text;
    for (const StmtId id : index.all()) {
        if (!found.contains(id))
            continue;
        const analysis::LoopAxis &axis = found.at(id);
        text += std::format("{} {}{}{}", axis.block.value, axis.spatial, axis.reduce, axis.opaque);
        for (const std::string &name : axis.names)
            text += ' ' + name;
    }
    return text;
}

std::string footprints(const FunctionIndex &index)
{
    std::string text;
    for (const StmtId id : index.all()) {
        if (!index.loop(id))
            continue;
        for (const auto &all :
             {analysis::footprintOfIteration(index, id), analysis::footprintOfLoop(index, id)}) {
            for (const analysis::Footprint &each : all)
                text += std::format("{} {} {}{};", each.buffer->name, each.bytes.value_or(-1), each.read,
                                    each.written);
        }
    }
    return text;
}

std::string reductions(const FunctionIndex &index)
{
    std::string text;
    for (const StmtId id : index.all()) {
        const ir::Block *block = index.block(id);
        if (!block || !block->init)
            continue;
        try {
            const analysis::Reduction reduction = analysis::reductionOf(*block);
            for (const auto &part : {reduction.indices, reduction.identities, reduction.terms,
                                     reduction.combine(reduction.identities, reduction.terms)}) {
                for (const ir::Expr &e : part)
                    text += script::printExpr(e) + ';';
            }
        } catch (const support::UserError &error) {
            text += error.diagnostic().render();
        }
    }
    return text;
}

std::string counts(const ir::PrimFunc &function)
{
    const analysis::Counts all = analysis::countsOf(function, {{"n", 7}, {"m", 8}});
    std::string text = std::format("{} {} {} {} {};", all.flops, all.integerOps, all.transcendental,
                                   all.bytesRead, all.bytesWritten);
    for (const auto &[input, range] : analysis::indexInputs(function, {{"n", 7}, {"m", 8}}))
        text += std::format("{} {} {} {};", input, range.low, range.high, range.isAscending);
    return text;
}

std::string stages(const ir::Module &module, const ir::Function &function)
{
    std::string text;
    const analysis::StageGraph graph = analysis::stageGraph(module);
    for (const analysis::StageGraph::Node &node : graph.nodes)
        text += node.name + node.operation + node.summary + analysis::shapeText(node.shape, node.dtype);
    for (const analysis::StageGraph::Edge &edge : graph.edges)
        text += std::format("{} {};", edge.from, edge.to);
    for (const analysis::InPlace &pair : analysis::inPlacePairs(function))
        text += std::format("{} {};", pair.read, pair.written);
    return text;
}

QString outcomeOf(const QString &seed)
{
    Random random(seed.toULongLong());
    const ir::Module module = parsed(randomProgram(random));
    const ir::Function &function = module.mainEntry()->function;
    const FunctionIndex index(function);
    std::string outcome;
    for (const auto &[what, text] :
         {std::pair{"kinds", kinds(index)}, std::pair{"touched", touched(index)},
          std::pair{"dependences", dependences(index)}, std::pair{"axes", axes(index)},
          std::pair{"footprints", footprints(index)}, std::pair{"reductions", reductions(index)},
          std::pair{"counts", counts(*function)}, std::pair{"stages", stages(module, function)}})
        outcome += std::format("{} {}\n", what, digest(text));
    return QString::fromStdString(outcome).trimmed();
}

} // namespace

NW_OUTCOMES_TEST("tests/core/analysis/facts_digests.txt", outcomeOf)
