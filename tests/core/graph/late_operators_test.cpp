// SPDX-License-Identifier: Apache-2.0
// Layers, loops and operators that make axes longer, with sizes that are known only when a model runs: each
// model gives what it gives where its inputs are constants.
#include "tests/core/graph/late_models.h"

#include <QtTest>

#include <functional>

using namespace nestwright;
using namespace nestwright::tests;
using namespace nestwright::tests::late;

namespace {

ir::NdArray numbers(const Ints &shape)
{
    ir::NdArray made(ir::DataType::float32(), shape);
    for (std::int64_t i = 0; i < made.size(); ++i)
        made.set(i, static_cast<double>((i * 37 + 11) % 23) / 8 - 1);
    return made;
}

ir::NdArray scalar(double value) { return array(ir::DataType::float32(), {}, {value}); }

/// The chosen rows as a tensor of this shape, whose first axis is late.
std::string rowsAs(Maker &k, Ints shape)
{
    shape.insert(shape.begin(), -1);
    return k.add("Reshape", {chosenRows(k), k.list(shape)});
}

/// All chosen elements in a row.
std::string line(Maker &k)
{
    return k.add("Reshape", {k.add("Compress", {"x", "c"}, {{"axis", std::int64_t{0}}}), k.list({1, 1, -1})});
}

std::string weights(Maker &k, const Ints &shape) { return k.constant(numbers(shape)); }

using Body = std::shared_ptr<const OnnxGraph>;

Body body(std::vector<OnnxNode> nodes, const std::vector<std::string> &inputs,
          const std::vector<std::string> &outputs)
{
    auto graph = std::make_shared<OnnxGraph>();
    graph->nodes = std::move(nodes);
    for (const std::string &name : inputs)
        graph->inputs.push_back(floats(name, {}));
    for (const std::string &name : outputs)
        graph->outputs.push_back(floats(name, {}));
    return graph;
}

/// Number of rows chosen.
std::string countOf(Maker &k, const std::string &rows)
{
    return k.add("Gather", {k.add("Shape", {rows}), k.number(0)});
}

using Build = std::function<std::string(Maker &)>;
using Rows = std::vector<std::pair<const char *, Build>>;

const Rows parts{
    {"parted by a late number",
     [](Maker &k) {
         const std::string n = k.add("Unsqueeze", {countOf(k, chosenRows(k)), k.list({0})});
         const std::string flat = k.add("Reshape", {chosenRows(k), k.list({-1})});
         return k.add("Reshape", {flat, k.add("Concat", {k.list({2, -1}), n}, {{"axis", std::int64_t{0}}})},
                      {{"allowzero", std::int64_t{0}}});
     }},
    {"parted by a known number", [](Maker &k) { return k.add("Reshape", {chosenRows(k), k.list({2, -1})}); }},
    {"parted by another", [](Maker &k) { return k.add("Reshape", {line(k), k.list({1, 4, -1})}); }},
    {"the last row",
     [](Maker &k) {
         const std::string last =
             k.add("Slice", {chosenRows(k), k.list({-1}), k.list({1 << 30}), k.list({0})});
         return k.add("Squeeze", {last, k.list({0})});
     }},
    {"the last three rows",
     [](Maker &k) { return k.add("Slice", {chosenRows(k), k.list({-3}), k.list({1 << 30}), k.list({0})}); }},
    {"one scale for all",
     [](Maker &k) {
         const std::string zero = k.constant(array(ir::DataType::uint(8), {}, {3}));
         const std::string row = k.add("Reshape", {chosenRows(k), k.list({-1})});
         return k.add("DequantizeLinear", {k.add("QuantizeLinear", {row, "one", zero}), "one", zero});
     }},
    {"a known number in the place of a late one",
     [](Maker &k) { return k.add("Reshape", {rowsAs(k, {2, 2}), k.list({1, 4, -1})}); }},
};

/// Operators that repeat a row that stands alone.
const Rows ofOne{
    {"product, batch", [](Maker &k) { return k.add("MatMul", {rowsAs(k, {2, 2}), weights(k, {3, 2, 2})}); }},
    {"product, batch of the second",
     [](Maker &k) { return k.add("MatMul", {weights(k, {3, 2, 2}), rowsAs(k, {2, 2})}); }},
    {"einsum, batch",
     [](Maker &k) {
         return k.add("Einsum", {rowsAs(k, {2, 2}), weights(k, {3, 2, 2})},
                      {{"equation", std::string("bij,bjk->bik")}});
     }},
    {"what is added to a product",
     [](Maker &k) { return k.add("Gemm", {weights(k, {3, 2}), weights(k, {2, 4}), chosenRows(k)}); }},
    {"expanded", [](Maker &k) { return k.add("Expand", {chosenRows(k), k.list({5, 4})}); }},
    {"expanded before", [](Maker &k) { return k.add("Expand", {chosenRows(k), k.list({2, 3, 1})}); }},
};

const Rows layers{
    {"attention, batch",
     [](Maker &k) {
         const std::string r = rowsAs(k, {2, 2});
         return k.add("Attention", {r, r, r},
                      {{"q_num_heads", std::int64_t{1}}, {"kv_num_heads", std::int64_t{1}}});
     }},
    {"attention, sequence",
     [](Maker &k) {
         const std::string r = k.add("Unsqueeze", {chosenRows(k), k.list({0})});
         return k.add("Attention", {r, r, r},
                      {{"q_num_heads", std::int64_t{2}}, {"kv_num_heads", std::int64_t{2}}});
     }},
    {"attention, keys under a mask",
     [](Maker &k) {
         const std::string rows = chosenRows(k), r = k.add("Unsqueeze", {rows, k.list({0})});
         const std::string end = k.add("Unsqueeze", {countOf(k, rows), k.list({0})});
         const std::string mask = k.add("Slice", {weights(k, {3, 6}), k.list({0}), end, k.list({1})});
         return k.add("Attention", {k.constant(numbers({1, 3, 4})), r, r, mask},
                      {{"q_num_heads", std::int64_t{2}}, {"kv_num_heads", std::int64_t{2}}});
     }},
    {"average pool",
     [](Maker &k) {
         return k.add("AveragePool", {line(k)},
                      {{"kernel_shape", Ints{3}}, {"pads", Ints{1, 1}}, {"strides", Ints{2}}});
     }},
    {"batch norm",
     [](Maker &k) {
         return k.add("BatchNormalization", {line(k), weights(k, {1}), weights(k, {1}), weights(k, {1}),
                                             k.constant(array(ir::DataType::float32(), {1}, {2}))});
     }},
    {"convolution",
     [](Maker &k) {
         return k.add("Conv", {line(k), weights(k, {2, 1, 3})},
                      {{"pads", Ints{1, 1}}, {"strides", Ints{2}}, {"dilations", Ints{2}}});
     }},
    {"convolution, same",
     [](Maker &k) {
         return k.add("Conv", {line(k), weights(k, {2, 1, 3})}, {{"auto_pad", std::string("SAME_UPPER")}});
     }},
    {"transposed convolution",
     [](Maker &k) {
         return k.add("ConvTranspose", {line(k), weights(k, {1, 2, 4})},
                      {{"pads", Ints{1, 1}}, {"strides", Ints{2}}, {"output_padding", Ints{1}}});
     }},
    {"depth to space",
     [](Maker &k) {
         return k.add("DepthToSpace", {rowsAs(k, {4, 1, 1})}, {{"blocksize", std::int64_t{2}}});
     }},
    {"space to depth",
     [](Maker &k) {
         return k.add("SpaceToDepth", {rowsAs(k, {1, 2, 2})}, {{"blocksize", std::int64_t{2}}});
     }},
    {"global mean", [](Maker &k) { return k.add("GlobalAveragePool", {line(k)}); }},
    {"global maximum", [](Maker &k) { return k.add("GlobalMaxPool", {line(k)}); }},
    {"grid", [](Maker &k) { return k.add("GridSample", {rowsAs(k, {1, 2, 2}), rowsAs(k, {1, 2, 2})}); }},
    {"GRU",
     [](Maker &k) {
         return k.add("GRU",
                      {k.add("Transpose", {rowsAs(k, {2, 2})}, {{"perm", Ints{1, 0, 2}}}),
                       weights(k, {1, 6, 2}), weights(k, {1, 6, 2})},
                      {{"hidden_size", std::int64_t{2}}}, 2);
     }},
    {"instance norm",
     [](Maker &k) { return k.add("InstanceNormalization", {line(k), weights(k, {1}), weights(k, {1})}); }},
    {"LSTM, sequence",
     [](Maker &k) {
         return k.add(
             "LSTM",
             {k.add("Unsqueeze", {chosenRows(k), k.list({1})}), weights(k, {2, 8, 4}), weights(k, {2, 8, 2})},
             {{"hidden_size", std::int64_t{2}}, {"direction", std::string("bidirectional")}}, 2);
     }},
    {"maximum pool",
     [](Maker &k) { return k.add("MaxPool", {line(k)}, {{"kernel_shape", Ints{3}}, {"pads", Ints{1, 1}}}); }},
    {"resize",
     [](Maker &k) {
         return k.add("Resize", {line(k), "", k.constant(array(ir::DataType::float32(), {3}, {1, 1, 2}))},
                      {{"mode", std::string("linear")}});
     }},
};

const Rows products{
    {"Einsum",
     [](Maker &k) {
         const std::string r = chosenRows(k);
         return k.add("Einsum", {r, r}, {{"equation", std::string("ij,ik->jk")}});
     }},
    {"Einsum, one input",
     [](Maker &k) { return k.add("Einsum", {chosenRows(k)}, {{"equation", std::string("ij->j")}}); }},
    {"Einsum, ellipsis",
     [](Maker &k) {
         return k.add("Einsum", {rowsAs(k, {2, 2}), weights(k, {2, 3})},
                      {{"equation", std::string("...j,jk")}});
     }},
    {"Gemm, transposed",
     [](Maker &k) {
         const std::string r = chosenRows(k);
         return k.add("Gemm", {r, r, weights(k, {4})}, {{"transA", std::int64_t{1}}});
     }},
    {"vector", [](Maker &k) { return k.add("MatMul", {chosenRows(k), weights(k, {4})}); }},
    {"two batches",
     [](Maker &k) {
         const std::string a = rowsAs(k, {2, 2}), b = rowsAs(k, {2, 2});
         return k.add("MatMul", {a, b});
     }},
};

const Rows moves{
    {"flattened",
     [](Maker &k) { return k.add("Reshape", {k.add("Transpose", {chosenRows(k)}), k.list({-1})}); }},
    {"flattened, both late",
     [](Maker &k) {
         const std::string r = chosenRows(k), product = k.add("MatMul", {r, k.add("Transpose", {r})});
         return k.add("Reshape", {product, k.list({-1})});
     }},
    {"pad",
     [](Maker &k) { return k.add("Pad", {chosenRows(k), k.list({1, 2, 3, -1}), k.constant(scalar(7))}); }},
    {"pad by a late width",
     [](Maker &k) {
         const std::string n = k.add("Unsqueeze", {countOf(k, chosenRows(k)), k.list({0})});
         return k.add("Pad", {"x", k.add("Concat", {n, k.list({0, 1, 0})}, {{"axis", std::int64_t{0}}})});
     }},
    {"scatter of masked places",
     [](Maker &k) { // masked_scatter of torch
         const std::string found = k.add("Transpose", {k.add("NonZero", {"c"})});
         const std::string count = k.add("Gather", {k.add("Shape", {found}), k.list({0})});
         const std::string updates = k.add("Slice", {weights(k, {8, 4}), k.list({0}), count, k.list({0})});
         return k.add("ScatterND", {"x", found, updates});
     }},
    {"scatter of fewer updates",
     [](Maker &k) {
         const std::string all =
             k.add("Transpose", {k.add("NonZero", {k.add("Expand", {"c", k.list({4, 6})})})});
         const std::string count = k.add("Gather", {k.add("Shape", {all}), k.list({0})});
         const std::string updates = k.add("Slice", {weights(k, {24}), k.list({0}), count, k.list({0})});
         return k.add("ScatterND", {k.constant(numbers({4, 6})), all, updates});
     }},
    {"slice backwards",
     [](Maker &k) {
         return k.add("Slice", {chosenRows(k), k.list({-1}), k.list({INT64_MIN}), k.list({0}), k.list({-2})});
     }},
    {"slice by steps",
     [](Maker &k) {
         return k.add("Slice", {chosenRows(k), k.list({1}), k.list({INT64_MAX}), k.list({0}), k.list({2})});
     }},
    {"split",
     [](Maker &k) {
         return k.add("Split", {chosenRows(k)}, {{"axis", std::int64_t{0}}, {"num_outputs", std::int64_t{2}}},
                      2);
     }},
    {"tile", [](Maker &k) { return k.add("Tile", {chosenRows(k), k.list({3, 2})}); }},
    {"tile by a late number",
     [](Maker &k) {
         const std::string n = k.add("Unsqueeze", {countOf(k, chosenRows(k)), k.list({0})});
         return k.add("Tile", {"x", k.add("Concat", {k.list({1}), n}, {{"axis", std::int64_t{0}}})});
     }},
    {"Trilu", [](Maker &k) { return k.add("Trilu", {chosenRows(k)}, {{"upper", std::int64_t{0}}}); }},
};

/// A list of one size between 1 and 5 that follows from the values of the chosen rows.
std::string clippedSize(Maker &k)
{
    const std::string largest =
        k.add("ReduceMax", {chosenRows(k), k.list({0, 1})}, {{"keepdims", std::int64_t{0}}});
    const std::string clipped =
        k.add("Max", {k.add("Min", {largest, k.constant(scalar(5))}), k.constant(scalar(1))});
    return k.add("Unsqueeze", {k.add("Cast", {clipped}, {{"to", std::int64_t{7}}}), k.list({0})});
}

/// Grown by a ratio that follows from a size beside a late one, as boxes are for their masks.
std::string grownSize(Maker &k)
{
    const Attribute real = std::int64_t{1}, whole = std::int64_t{7};
    const std::string side = k.add("Gather", {k.add("Shape", {chosenRows(k)}), k.number(1)});
    const std::string known = k.add("Cast", {side}, {{"to", real}});
    const std::string ratio = k.add("Div", {k.add("Add", {known, k.constant(scalar(2))}), known});
    const std::string given = k.add("Cast", {clippedSize(k)}, {{"to", real}});
    return k.add("Cast", {k.add("Mul", {given, ratio})}, {{"to", whole}});
}

const Rows byValues{
    {"zeros",
     [](Maker &k) {
         const std::string shape =
             k.add("Concat", {clippedSize(k), k.list({4})}, {{"axis", std::int64_t{0}}});
         return k.add("Concat", {k.add("ConstantOfShape", {shape}), "x"}, {{"axis", std::int64_t{0}}});
     }},
    {"slice", [](Maker &k) { return k.add("Slice", {"x", clippedSize(k), k.list({9}), k.list({0})}); }},
    {"resize",
     [](Maker &k) {
         const std::string sizes =
             k.add("Concat", {k.list({1, 1}), clippedSize(k), k.list({3})}, {{"axis", std::int64_t{0}}});
         return k.add("Resize", {weights(k, {1, 1, 3, 2}), "", "", sizes}, {{"mode", std::string("cubic")}});
     }},
    {"grown",
     [](Maker &k) {
         return k.add("Tile",
                      {"x", k.add("Concat", {grownSize(k), k.list({1})}, {{"axis", std::int64_t{0}}})});
     }},
    {"tile",
     [](Maker &k) {
         return k.add("Tile",
                      {"x", k.add("Concat", {clippedSize(k), k.list({1})}, {{"axis", std::int64_t{0}}})});
     }},
    {"loop",
     [](Maker &k) {
         return k.add("Loop", {clippedSize(k), "", k.constant(scalar(0))},
                      {{"body", body({node("Add", {"s", "one"}, {"s2"}), node("Identity", {"go"}, {"on"})},
                                     {"i", "go", "s"}, {"on", "s2", "s2"})}},
                      2);
     }},
};

const Rows loops{
    {"loop",
     [](Maker &k) {
         const std::string r = chosenRows(k);
         return k.add("Loop", {countOf(k, r), "", k.constant(numbers({4}))},
                      {{"body", body({node("Gather", {r, "i"}, {"row"}), node("Add", {"s", "row"}, {"s2"}),
                                      node("Neg", {"s2"}, {"o"}), node("Identity", {"go"}, {"on"})},
                                     {"i", "go", "s"}, {"on", "s2", "o"})}},
                      2);
     }},
    {"loop that collects",
     [](Maker &k) {
         const std::string r = chosenRows(k), first = k.list({0});
         OnnxNode join = node("Concat", {"rows", "s"}, {"s2"});
         join.attributes = {{"axis", std::int64_t{0}}};
         return k.add(
             "Loop", {countOf(k, r), "", k.constant(ir::NdArray(ir::DataType::float32(), {0, 4}))},
             {{"body", body({node("Gather", {r, "i"}, {"row"}), node("Unsqueeze", {"row", first}, {"rows"}),
                             join, node("Identity", {"go"}, {"on"})},
                            {"i", "go", "s"}, {"on", "s2"})}});
     }},
    {"loop while",
     [](Maker &k) {
         const std::string r = chosenRows(k);
         const std::string limit = k.add("Cast", {countOf(k, r)}, {{"to", std::int64_t{1}}});
         return k.add("Loop", {k.number(5), "", k.constant(scalar(0))},
                      {{"body", body({node("Add", {"s", "one"}, {"s2"}), node("Less", {"s2", limit}, {"on"})},
                                     {"i", "go", "s"}, {"on", "s2", "s2"})}},
                      2);
     }},
    {"scan",
     [](Maker &k) {
         return k.add("Scan", {k.constant(numbers({4})), chosenRows(k)},
                      {{"num_scan_inputs", std::int64_t{1}},
                       {"body", body({node("Add", {"s", "e"}, {"s2"}), node("Mul", {"s2", "e"}, {"o"})},
                                     {"s", "e"}, {"s2", "o"})}},
                      2);
     }},
};

} // namespace

class LateOperatorsTest : public QObject {
    Q_OBJECT

    static void compareAll(const Rows &rows, bool alsoNone)
    {
        std::vector<Ints> choices{{1, 4}, {0, 1, 2, 3, 4, 5}, {3}};
        if (alsoNone)
            choices.push_back({});
        compareAll(rows, choices);
    }
    static void compareAll(const Rows &rows, const std::vector<Ints> &choices)
    {
        for (const auto &[name, build] : rows) {
            Maker maker;
            maker.define("one", scalar(1));
            const OnnxModel made = maker.open({build(maker)});
            for (const Ints &which : choices) {
                const QString outcome = compared(made, which, which.size() == 2);
                QVERIFY2(!outcome.isEmpty() && (outcome[0].isDigit() || outcome[0] == '('),
                         qPrintable(QString("%1, %2 rows: ").arg(name).arg(which.size()) + outcome));
            }
        }
    }

private Q_SLOTS:
    void ofLayers() { compareAll(layers, false); }
    void ofParts() { compareAll(parts, false); }
    void ofOneRow() { compareAll(ofOne, {Ints{3}, Ints{0}}); }
    void ofProducts() { compareAll(products, true); }
    void ofMoves() { compareAll(moves, true); }
    void ofLoops() { compareAll(loops, true); }
    void byValuesOfElements() { compareAll(byValues, true); }
};

QTEST_APPLESS_MAIN(LateOperatorsTest)
#include "late_operators_test.moc"
