// SPDX-License-Identifier: Apache-2.0
/// Scaled dot-product attention: A. Vaswani et al., "Attention Is All You Need", 2017. Heads of queries may
/// share those of keys and values: J. Ainslie et al., "GQA", 2023.
#include "core/ops/nn/attention.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ops/nn/attention_types.h"
#include "core/ops/table/tensor_op_tables.h"
#include "core/ops/tensor/reduce_shape.h"

#include <array>
#include <format>
#include <limits>
#include <numeric>

namespace nestwright::ops {

namespace {

using ir::Expr;

/// How queries are put together: blocks of rows that share their keys and lie side by side in vectors.
struct Rows {
    bool isBlocked = false;   ///< else there are so few that vectors run along keys
    std::int64_t share = 1;   ///< heads of queries whose rows stand in one block, as they have the same keys
    std::int64_t queries = 1; ///< rows of each of them
    std::int64_t block = 1;   ///< rows of a block; the last one may hold some that mean nothing

    std::int64_t count() const { return share * queries; }
    std::int64_t blocks() const { return (count() + block - 1) / block; }
};

/// Scores, which are float32, of a vector.
std::int64_t vectorOf(const target::Machine &machine) { return machine.vectors.bytes / 4; }

Rows rowsOf(const AttentionSizes &sizes, const target::Machine &machine)
{
    const std::int64_t whole = vectorOf(machine);
    constexpr std::int64_t least = 4, many = 32;
    Rows rows;
    const std::int64_t *queries = ir::asInt(sizes.queries);
    if (!queries)
        return rows;
    rows.queries = *queries;
    const std::int64_t share = sizes.heads / sizes.groups;
    rows.share = *queries < whole ? share : 1;
    rows.isBlocked = rows.count() >= least;
    if (!rows.isBlocked) {
        rows.share = 1;
        return rows;
    }
    // Two vectors side by side read the keys half as often; where there are few vectors, a block half of
    // which means nothing costs more.
    const std::int64_t vectors = (rows.count() + whole - 1) / whole;
    rows.block = rows.count() <= whole / 2             ? whole / 2
                 : vectors % 2 == 0 || vectors >= many ? 2 * whole
                                                       : whole;
    return rows;
}

/// The stages of one call. Scores stand by key and row, so that rows lie in vectors and nothing is summed up
/// across lanes; they are needed one block of rows at a time.
class Attention {
public:
    Attention(te::Builder &builder, const CallSite &site, const Tensors &inputs)
        : m_builder(builder)
        , m_site(site)
        , m_inputs(inputs)
        , m_sizes(attentionSizes(site))
        , m_more(furtherInputs(site))
        , m_rows(rowsOf(m_sizes, site.machine))
        , m_layout(layoutOf(site, "layout"))
        , m_keyLayout(layoutOf(site, "key_layout"))
        , m_wide(std::max(sumType(site.input().dtype), sumType(site.dtype("precision")),
                          [](auto a, auto b) { return a.bits < b.bits; }))
    {
    }

    te::Tensor result()
    {
        const std::size_t wanted = resultOf(m_site);
        const auto unchanged = [](const Expr &e, const auto &) { return e; };
        const te::Tensor products = m_rows.isBlocked ? blockedProducts() : fewProducts();
        if (wanted == 0)
            return fromRows(products, unchanged, "scaled");
        if (wanted == 1)
            return fromRows(products, [&](const Expr &e, const auto &) { return capped(e); }, "capped");
        const te::Tensor scores = mapTensor(
            m_builder, products,
            [&](const Expr &e, const std::vector<Expr> &i) { return masked(capped(e), placeOf(i)); },
            "scores");
        if (wanted == 2)
            return fromRows(scores, unchanged, "masked");
        const std::size_t keys = 3;
        const ReducedShape rows{scores.shape(), {keys}, false};
        const te::Tensor largest = reduceTensor(m_builder, scores, rows, &te::max, unchanged, "largest");
        const te::Tensor exponential = mapTensor(
            m_builder, scores,
            [&](const Expr &e, const std::vector<Expr> &i) {
                return ir::callIntrinsic(ir::intrinsics::exp, {e - largest.at(rows.resultIndices(i))});
            },
            "exponential");
        const te::Tensor total = reduceTensor(m_builder, exponential, rows, &te::sum, unchanged, "total");
        // A row without any key has exponentials of 0, and gives 0.
        const auto share = [&](const Expr &e, const std::vector<Expr> &row, const Expr &head) {
            Expr sum = total.at(row);
            if (m_more.sink != 0) {
                const Expr sink = ir::cast(m_wide, m_inputs[m_more.sink](head));
                sum = sum + ir::callIntrinsic(ir::intrinsics::exp, {sink - largest.at(row)});
            }
            return ir::truncDiv(e, ir::select(ir::eq(sum, real(0, sum)), real(1, sum), sum));
        };
        if (wanted == 3) {
            return fromRows(
                exponential,
                [&](const Expr &e, const std::vector<Expr> &i) {
                    return share(e, rows.resultIndices(i), placeOf(i)[1]);
                },
                "weights");
        }
        const te::Tensor mixed = mixedValues(exponential);
        return m_builder.compute(
            arranged(m_layout, {m_sizes.batch, m_sizes.heads, m_sizes.queries, m_sizes.width}),
            {"b", "h", "i", "e"},
            [&](const std::vector<Expr> &own) {
                const std::vector<Expr> given = inOrder(m_layout, own);
                std::vector<Expr> row = rowPlace(given);
                const Expr shared =
                    share(mixed.at({row[0], row[1], row[2], row[3], given[3]}), row, given[1]);
                return te::Body(ir::cast(m_site.input().dtype, shared));
            },
            "attention");
    }

private:
    Expr headsOf(std::int64_t share) const { return dimension(m_sizes.heads / share); }
    /// The head of keys and values that belongs to a head of queries.
    Expr groupOf(const Expr &head) const
    {
        return m_sizes.heads == m_sizes.groups ? head
                                               : ir::floorDiv(head, Expr(m_sizes.heads / m_sizes.groups));
    }

    /// Position of a query's row: batch, heads that share keys, block, row of the block. `given`: batch,
    /// head, query.
    std::vector<Expr> rowPlace(const std::vector<Expr> &given) const
    {
        if (!m_rows.isBlocked)
            return {given[0], given[1], given[2], 0};
        const Expr row = m_rows.share == 1
                             ? given[2]
                             : ir::floorMod(given[1], Expr(m_rows.share)) * Expr(m_rows.queries) + given[2];
        const Expr heads = m_rows.share == 1 ? given[1] : ir::floorDiv(given[1], Expr(m_rows.share));
        if (m_rows.blocks() == 1)
            return {given[0], heads, 0, row};
        return {given[0], heads, ir::floorDiv(row, Expr(m_rows.block)),
                ir::floorMod(row, Expr(m_rows.block))};
    }

    /// Batch, head and query of the row `row` of a block; of those that mean nothing the last one.
    std::vector<Expr> queryOf(const Expr &batch, const Expr &heads, const Expr &block, const Expr &row) const
    {
        if (!m_rows.isBlocked)
            return {batch, heads, block};
        Expr number = m_rows.blocks() == 1 ? row : block * Expr(m_rows.block) + row;
        if (m_rows.count() % m_rows.block != 0)
            number = ir::min(number, Expr(m_rows.count() - 1));
        if (m_rows.share == 1)
            return {batch, heads, number};
        return {batch, heads * Expr(m_rows.share) + ir::floorDiv(number, Expr(m_rows.queries)),
                ir::floorMod(number, Expr(m_rows.queries))};
    }

    /// Batch, head, query and key of an element of the scores: batch, heads, block, key, row.
    std::vector<Expr> placeOf(const std::vector<Expr> &i) const
    {
        std::vector<Expr> place = queryOf(i[0], i[1], i[2], i[4]);
        place.push_back(i[3]);
        return place;
    }

    /// `function` of the elements of a stage that holds the scores, by batch, head, query and key.
    te::Tensor fromRows(const te::Tensor &scores,
                        const std::function<Expr(const Expr &, const std::vector<Expr> &)> &function,
                        const std::string &name)
    {
        return m_builder.compute(
            {m_sizes.batch, m_sizes.heads, m_sizes.queries, m_sizes.keys}, {"b", "h", "i", "j"},
            [&](const std::vector<Expr> &i) {
                const std::vector<Expr> row = rowPlace(i), at{row[0], row[1], row[2], i[3], row[3]};
                return te::Body(ir::cast(m_site.input().dtype, function(scores.at(at), at)));
            },
            name);
    }

    Expr query(const std::vector<Expr> &place, const Expr &element) const
    {
        const Expr x =
            ir::cast(m_wide, m_inputs[0].at(arranged(m_layout, {place[0], place[1], place[2], element})));
        return x * real(m_site.real("scale"), x);
    }
    Expr key(const Expr &batch, const Expr &group, const Expr &place, const Expr &element) const
    {
        return ir::cast(m_wide, m_inputs[1].at(arranged(m_keyLayout, {batch, group, place, element})));
    }

    /// Products by block of rows: queries with rows innermost, times each key.
    te::Tensor blockedProducts()
    {
        const Expr heads = headsOf(m_rows.share), blocks = dimension(m_rows.blocks()),
                   rows = dimension(m_rows.block);
        const te::Tensor queries = m_builder.compute(
            {m_sizes.batch, heads, blocks, m_sizes.depth, rows}, {"b", "h", "o", "d", "i"},
            [&](const std::vector<Expr> &i) {
                return te::Body(query(queryOf(i[0], i[1], i[2], i[4]), i[3]));
            },
            "queries");
        return m_builder.compute(
            {m_sizes.batch, heads, blocks, m_sizes.keys, rows}, {"b", "h", "o", "j", "i"},
            [&](const std::vector<Expr> &i) {
                const te::IterVar d = te::reduceAxis(m_sizes.depth, "d");
                const Expr group = m_rows.share == 1 ? groupOf(i[1]) : i[1];
                return te::Body(te::sum(
                    queries.at({i[0], i[1], i[2], d.var, i[4]}) * key(i[0], group, i[3], d.var), {d}));
            },
            "products");
    }

    /// Products for few queries: each is summed in the lanes of one vector, since each key is read only once.
    te::Tensor fewProducts()
    {
        const std::int64_t *depth = ir::asInt(m_sizes.depth);
        const std::int64_t lanes = depth && *depth > 0 ? std::gcd(*depth, vectorOf(m_site.machine)) : 1;
        const Shape shape{m_sizes.batch, m_sizes.heads, m_sizes.queries, m_sizes.keys, 1};
        const te::Tensor parts = m_builder.compute(
            {m_sizes.batch, m_sizes.heads, m_sizes.queries, m_sizes.keys, dimension(lanes)},
            {"b", "h", "i", "j", "l"},
            [&](const std::vector<Expr> &i) {
                const te::IterVar d =
                    te::reduceAxis(dimension(ir::floorDiv(m_sizes.depth, Expr(lanes))), "d");
                const Expr element = d.var * Expr(lanes) + i[4];
                return te::Body(te::sum(query(i, element) * key(i[0], groupOf(i[1]), i[3], element), {d}));
            },
            "parts");
        return m_builder.compute(
            shape, {"b", "h", "i", "j", "r"},
            [&](const std::vector<Expr> &i) {
                const te::IterVar l = te::reduceAxis(dimension(lanes), "l");
                return te::Body(te::sum(parts.at({i[0], i[1], i[2], i[3], l.var}), {l}));
            },
            "products");
    }

    te::Tensor mixedValues(const te::Tensor &exponential)
    {
        const Shape &scores = exponential.shape();
        return m_builder.compute(
            {scores[0], scores[1], scores[2], scores[4], m_sizes.width}, {"b", "h", "o", "i", "e"},
            [&](const std::vector<Expr> &i) {
                const te::IterVar j = te::reduceAxis(m_sizes.keys, "j");
                const Expr group = m_rows.share == 1 ? groupOf(i[1]) : i[1];
                const Expr value = m_inputs[2].at(arranged(m_keyLayout, {i[0], group, j.var, i[4]}));
                return te::Body(
                    te::sum(exponential.at({i[0], i[1], i[2], j.var, i[3]}) * ir::cast(m_wide, value), {j}));
            },
            "mixed");
    }

    Expr capped(const Expr &product) const
    {
        const double cap = m_site.real("softcap");
        if (!(cap > 0))
            return product;
        const Expr most = real(cap, product);
        return ir::callIntrinsic(ir::intrinsics::tanh, {ir::truncDiv(product, most)}) * most;
    }

    /// `score` with the bias; −∞ where the query does not see the key.
    Expr masked(const Expr &score, const std::vector<Expr> &i) const
    {
        Expr result = score;
        const Expr never = real(-std::numeric_limits<double>::infinity(), result);
        if (m_more.bias != 0) {
            const Expr bias = ir::cast(m_wide, broadcastLoad(m_inputs[m_more.bias], i));
            result = ir::select(ir::le(bias, real(hidingBias, bias)), bias, result + bias);
        }
        std::vector<Expr> seen;
        Expr offset = Expr(m_site.integer("offset"));
        if (m_more.lengths != 0) {
            const Expr length = index(broadcastLoad(m_inputs[m_more.lengths], {i[0]}));
            seen.push_back(ir::lt(i[3], length));
            offset = length - m_sizes.queries;
        }
        const Expr position = i[2] + offset;
        if (m_site.flag("causal"))
            seen.push_back(ir::le(i[3], position));
        if (const std::int64_t left = m_site.integer("left"); left >= 0)
            seen.push_back(ir::ge(i[3], position - Expr(left)));
        if (const std::int64_t right = m_site.integer("right"); right >= 0)
            seen.push_back(ir::le(i[3], position + Expr(right)));
        if (m_more.mask != 0)
            seen.push_back(broadcastLoad(m_inputs[m_more.mask], i));
        if (seen.empty())
            return result;
        return ir::select(te::all(seen), result, never);
    }

    te::Builder &m_builder;
    const CallSite &m_site;
    const Tensors &m_inputs;
    AttentionSizes m_sizes;
    FurtherInputs m_more;
    Rows m_rows;
    Layout m_layout, m_keyLayout;
    ir::DataType m_wide; ///< that everything is computed in
};

} // namespace

void addAttention(TensorOps &table)
{
    table.push_back(
        {.name = "nn.attention",
         .summary = "means of values, weighted by softmax of the products of queries and keys",
         .fusion = FusionKind::Opaque,
         .minInputs = 3,
         .maxInputs = 7,
         .attributes =
             {{"scale", 1.0, "products are multiplied by it"},
              {"softcap", 0.0, "above 0: products lie within ± of it, by tanh"},
              {"causal", false, "a query sees keys up to its own position"},
              {"offset", std::int64_t{0}, "position of the first query among the keys"},
              {"left", std::int64_t{-1}, "keys seen before a query's position; -1: all"},
              {"right", std::int64_t{-1}, "keys seen behind it; -1: all"},
              {"bias", false,
               "the next input is added to the products; -1e30 and less stands in their place"},
              {"mask", false, "the next input tells which keys a query sees"},
              {"lengths", false,
               "the next input tells how many keys count, by batch; the last query lies at the last of them"},
              {"sink", false,
               "the next input has a score for each head that counts as that of a key without a value"},
              {"layout", std::string("BHLD"),
               "order of batch, head, position and element in queries and result"},
              {"key_layout", std::string("BHLD"), "the same in keys and values"},
              {"precision", ir::DataType::void_(), "type to compute in, at least float32"},
              {"result", std::string("output"),
               "\"output\", or what it is made from: \"products\", \"capped\", \"masked\", \"weights\""}},
         .infer = &inferAttention,
         .compute = [](te::Builder &builder, const CallSite &site, const Tensors &inputs) {
             return Tensors{Attention(builder, site, inputs).result()};
         }});
}

} // namespace nestwright::ops
