// SPDX-License-Identifier: Apache-2.0
/// Faults of what the inner loop keeps in registers, and of what it has to load.
#include "core/explore/findings/rules.h"
#include "core/ir/build/builder.h"
#include "core/schedule/primitive.h"

#include <algorithm>
#include <cmath>
#include <format>
#include <utility>

namespace nestwright::explore {

namespace {

constexpr double storesOfSums = 0.25; ///< of the vectors of multiply-adds, that are stored in each iteration
constexpr double sumsFetched = 1.4;
constexpr std::int64_t farRow = 1024; ///< bytes, from one term to the next
constexpr double manyRows = 1.2e6;    ///< bytes of an operand that do not stay near
constexpr double readAgain = 16;      ///< times that elements are read at least
constexpr double acrossRows = 1.15, inSets = 1.3;

/// Whether loops within the innermost reduction are unrolled or vectors, few enough to be registers.
bool isTile(const SceneBlock &block, std::size_t reduction)
{
    return std::ranges::all_of(block.loops.begin() + static_cast<std::ptrdiff_t>(reduction) + 1,
                               block.loops.end(), [](const SceneLoop &loop) {
                                   return loop.kind == ir::ForKind::Unrolled
                                          || loop.kind == ir::ForKind::Vectorized || loop.extent <= 8;
                               });
}

std::optional<Symptom> findSumsInMemory(const Scene &scene)
{
    for (const SceneBlock &block : scene.blocks()) {
        const auto reduction = block.lastReduction();
        if (block.share < leastShare || !block.reduces || !reduction || *reduction + 1 == block.loops.size())
            continue;
        const backend::LoopCode *code = scene.code(block);
        if (!code || code->counts.flops <= 0)
            continue;
        const double lanes =
            std::max(1.0, code->vectorBits / (8.0 * static_cast<double>(block.elementBytes())));
        const double vectors = code->counts.flops / 2 / lanes;
        const int stores = code->counts.stores - code->counts.spills;
        if (stores < storesOfSums * vectors)
            continue;
        const std::string sums = block.block->writes.front().buffer.name();
        return Symptom{block.name, block.loops[*reduction].id,
                       std::format("The sums of {} are loaded and stored in each iteration of {}", sums,
                                   scene.name(block.loops[*reduction].id)),
                       isTile(block, *reduction) ? sumsFetched : 1};
    }
    return std::nullopt;
}

/// Gives the block sums of its own, which are copied behind those of one iteration of the loop. The copy.
StmtId addSums(StepChain &chain, StmtId block, StmtId loop)
{
    const StmtId copy = chain.applied(
        "cache_write",
        {{"block", block}, {"write_buffer_index", std::int64_t{0}}, {"storage_scope", std::string("local")}});
    chain.apply("reverse_compute_at", {{"block", copy}, {"loop", loop}});
    return copy;
}

/// The schedule with the copy by vectors, where that is legal.
void finishWithCopy(const StepChain &chain, StmtId copy, std::int64_t lanes, const std::string &title,
                    std::vector<Variation> &variations)
{
    if (!chain.isLegal())
        return;
    std::string ignored;
    StepChain byVectors(chain);
    computeByVectors(byVectors, chain.nest().loopsTo(copy).back(), lanes, ignored);
    (byVectors.isLegal() ? byVectors : chain).finish(variations, title);
}

/// A nest whose loops are free to be tiled: initial values are not apart, the loop over rows is serial.
struct PlainNest {
    StepPath path;
    bool wasParallel = false, wasDecomposed = false;
};

PlainNest plainNest(const Scene &scene, const SceneBlock &block)
{
    PlainNest nest{scene.path()};
    const auto take = [&nest](std::string_view primitive, StmtId subject) {
        const auto place = placeOfStep(nest.path, primitive, subject);
        if (place)
            nest.path = nest.path.without(*place);
        return place.has_value();
    };
    nest.wasDecomposed = take("decompose_reduction", block.id);
    if (const auto parallel = block.parallelLoop())
        nest.wasParallel = take("parallel", block.loops[*parallel].id);
    return nest;
}

/// The loops of a tile of results: rows, columns, and vectors of these where they are made already.
struct TileLoops {
    const SceneLoop *row = nullptr, *column = nullptr, *vector = nullptr, *sum = nullptr;
};

std::optional<TileLoops> tileLoops(const SceneBlock &block)
{
    TileLoops loops;
    for (const SceneLoop &loop : block.loops) {
        if (loop.isReduction) {
            if (std::exchange(loops.sum, &loop))
                return std::nullopt;
        } else if (loop.kind == ir::ForKind::Vectorized) {
            loops.vector = &loop;
        } else if (loop.kind != ir::ForKind::Serial) {
            return std::nullopt;
        } else {
            loops.row = std::exchange(loops.column, &loop);
        }
    }
    return loops.row && loops.sum ? std::optional(loops) : std::nullopt;
}

/// A tile of results with the reduction around it.
void addTile(const Scene &scene, const SceneBlock &block, std::int64_t rows, std::int64_t vectors,
             std::vector<Variation> &variations)
{
    const PlainNest nest = plainNest(scene, block);
    const Scene plain(nest.path, scene.target(), scene.machine(), scene.stop());
    const auto same = std::ranges::find(plain.blocks(), block.id, &SceneBlock::id);
    const auto loops = same == plain.blocks().end() ? std::nullopt : tileLoops(*same);
    const std::int64_t lanes = loops && loops->vector ? loops->vector->extent : lanesOf(scene, block);
    if (!loops || loops->row->extent % rows != 0
        || loops->column->extent % (loops->vector ? vectors : lanes * vectors) != 0)
        return;
    StepChain chain(nest.path);
    const auto split = [&chain](StmtId loop, schedule::ArgList factors) {
        factors.insert(factors.begin(), schedule::ArgValue());
        return chain.apply("split", {{"loop", loop}, {"factors", std::move(factors)}});
    };
    const schedule::ArgList i = split(loops->row->id, {rows});
    schedule::ArgList j =
        loops->vector ? split(loops->column->id, {vectors}) : split(loops->column->id, {vectors, lanes});
    if (loops->vector)
        j.emplace_back(loops->vector->id);
    if (i.size() != 2 || j.size() != 3)
        return;
    chain.apply("reorder", {{"loops", schedule::ArgList{i[0], j[0], loops->sum->id, i[1], j[1], j[2]}}});
    const StmtId copy = addSums(chain, block.id, *j[0].as<StmtId>());
    if (nest.wasParallel)
        chain.apply("parallel", {{"loop", i[0]}});
    chain.apply("unroll", {{"loop", i[1]}});
    chain.apply("unroll", {{"loop", j[1]}});
    if (!loops->vector)
        chain.apply("vectorize", {{"loop", j[2]}});
    if (nest.wasDecomposed)
        chain.apply("decompose_reduction", {{"block", block.id}, {"loop", loops->sum->id}});
    finishWithCopy(chain, copy, lanes,
                   std::format("Keep the sums of {} × {} results in registers", rows, vectors * lanes),
                   variations);
}

std::vector<Variation> mendSumsInMemory(const Scene &scene, const Symptom &symptom)
{
    std::vector<Variation> variations;
    const SceneBlock &block = *scene.block(symptom.block);
    std::size_t first = 0;
    while (first < block.loops.size() && !block.loops[first].isReduction)
        ++first;
    for (std::size_t below = 0; below < first && isTile(block, *block.lastReduction()); ++below) {
        StepChain chain(scene.path());
        const StmtId copy = addSums(chain, block.id, block.loops[below].id);
        finishWithCopy(chain, copy, lanesOf(scene, block),
                       std::format("Keep the sums of {} in registers", block.name), variations);
    }
    constexpr std::int64_t vectors = 2;
    for (const std::int64_t rows : {8, 6, 4, 3}) {
        if (rows * vectors <= target::registersOfSums(scene.machine()))
            addTile(scene, block, rows, vectors, variations);
    }
    return variations;
}

/// An operand whose terms lie in rows far from each other; the inner loop reads a piece of each row.
struct Operand {
    std::size_t access = 0;    ///< number among those of the block, which are its reads at first
    std::size_t axis = 0;      ///< dimension along which the piece lies
    std::int64_t piece = 1;    ///< elements
    std::int64_t distance = 0; ///< bytes from one term to the next
};

std::optional<Operand> unpackedOperand(const SceneBlock &block)
{
    const auto reduction = block.lastReduction();
    if (!block.reduces || !reduction || *reduction + 1 == block.loops.size() || !isTile(block, *reduction))
        return std::nullopt;
    for (std::size_t i = 0; i < block.accesses.size(); ++i) {
        const AccessStrides &access = block.accesses[i];
        const std::int64_t bytes = access.buffer.dtype().bytes();
        const std::int64_t distance = std::abs(access.strides[*reduction].value_or(0)) * bytes;
        if (access.isWrite || access.buffer->scope == "local" || distance < farRow)
            continue;
        const double whole = countedElements(access.buffer) * static_cast<double>(bytes);
        std::int64_t piece = 1;
        for (std::size_t loop = *reduction + 1; loop < block.loops.size(); ++loop)
            piece *= access.strides[loop].value_or(0) != 0 ? block.loops[loop].extent : 1;
        if (whole < manyRows || piece * bytes >= farRow || piece == 1)
            continue;
        return Operand{i, access.buffer.shape().size() - 1, piece, distance};
    }
    return std::nullopt;
}

std::optional<Symptom> findUnpackedOperand(const Scene &scene)
{
    for (const SceneBlock &block : scene.blocks()) {
        const auto operand = block.share < leastShare ? std::nullopt : unpackedOperand(block);
        if (!operand)
            continue;
        const AccessStrides &access = block.accesses[operand->access];
        // Reading again and again is what copying pays for.
        if (block.runs < readAgain * countedElements(access.buffer))
            continue;
        return Symptom{block.name, block.loops[*block.lastReduction()].id,
                       std::format("Pieces of {} elements of {} lie {} bytes apart", operand->piece,
                                   access.buffer.name(), operand->distance),
                       operand->distance % 4096 == 0 ? inSets : acrossRows};
    }
    return std::nullopt;
}

/// Variables of an index map, with the dimension `axis` in pieces: (k, j) → (j // 32, k, j % 32).
schedule::IndexMap piecesMap(std::size_t dimensions, std::size_t axis, std::int64_t piece)
{
    schedule::IndexMap map;
    for (std::size_t i = 0; i < dimensions; ++i)
        map.inputs.emplace_back("i" + std::to_string(i));
    const ir::Expr along = map.inputs[axis], size = ir::intImm(piece, ir::DataType::int32());
    map.outputs.push_back(ir::floorDiv(along, size));
    for (std::size_t i = 0; i < dimensions; ++i) {
        if (i != axis)
            map.outputs.emplace_back(map.inputs[i]);
    }
    map.outputs.push_back(ir::floorMod(along, size));
    return map;
}

std::vector<Variation> mendUnpackedOperand(const Scene &scene, const Symptom &symptom)
{
    std::vector<Variation> variations;
    const SceneBlock &block = *scene.block(symptom.block);
    const Operand operand = *unpackedOperand(block);
    const AccessStrides &access = block.accesses[operand.access];
    const auto number = static_cast<std::int64_t>(operand.access);
    StepChain chain(scene.path());
    const StmtId copy = chain.applied(
        "cache_read",
        {{"block", block.id}, {"read_buffer_index", number}, {"storage_scope", std::string("global")}});
    chain.apply("transform_layout",
                {{"block", block.id},
                 {"buffer", schedule::ArgList{std::string("read"), number}},
                 {"index_map", piecesMap(access.buffer.shape().size(), operand.axis, operand.piece)}});
    if (!chain.isLegal())
        return variations;
    const std::vector<StmtId> loops = chain.nest().loopsTo(copy);
    const schedule::ArgList parts =
        chain.apply("split", {{"loop", loops.back()}, {"factors", schedule::ArgList{{}, operand.piece}}});
    if (parts.size() == 2) {
        schedule::ArgList order{parts[0]};
        order.insert(order.end(), loops.begin(), loops.end() - 1);
        order.push_back(parts[1]);
        chain.apply("reorder", {{"loops", order}});
        chain.apply("vectorize", {{"loop", parts[1]}});
        if (scene.machine().threads > 1)
            chain.apply("parallel", {{"loop", parts[0]}});
    }
    chain.finish(variations,
                 std::format("Pack {} in pieces of {} elements", access.buffer.name(), operand.piece));
    return variations;
}

} // namespace

std::vector<FaultRule> registerRules()
{
    return {
        {.fault = Fault::SumsInMemory,
         .name = "sums-in-memory",
         .explanation = "Sums that stay in registers until the reduction is over need no loads and stores.",
         .find = findSumsInMemory,
         .remedies = mendSumsInMemory,
         .readsCode = true},
        {.fault = Fault::UnpackedOperand,
         .name = "unpacked-operand",
         .explanation = "Each piece lies in another page, and pieces at such distances share few sets of "
                        "the caches; in a packed copy they lie one after the other.",
         .find = findUnpackedOperand,
         .remedies = mendUnpackedOperand}};
}

} // namespace nestwright::explore
