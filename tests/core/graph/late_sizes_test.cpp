// SPDX-License-Identifier: Apache-2.0
// Sizes that are known only when a model runs: each model gives what it gives where its inputs are constants,
// so that all sizes are known when it is opened.
#include "tests/core/graph/late_models.h"

#include <QtTest>

#include <algorithm>

using namespace nestwright;
using namespace nestwright::tests;
using namespace nestwright::tests::late;

namespace {

/// A chain of operators behind the rows that were chosen.
class Chain {
public:
    explicit Chain(std::uint32_t seed) : m_random(seed) {}

    OnnxModel made()
    {
        Values values{{chosenRows(m_maker), {true, false}}};
        if (below(3) == 0)
            values.push_back({m_maker.add("Relu", {"x"}), {false, false}});
        const int steps = 2 + below(5);
        for (int i = 0; i < steps; ++i)
            values.push_back(
                next(values[static_cast<std::size_t>(below(static_cast<int>(values.size())))], values));
        return m_maker.open({values.back().name, values[values.size() / 2].name});
    }

    /// Whether it asks for rows that must be there.
    bool picks() const { return m_picks; }

private:
    /// A matrix of floats.
    struct Matrix {
        std::string name;
        bool isLate[2]; ///< whether it stems from the chosen rows along each axis
    };
    using Values = std::vector<Matrix>;

    int below(int n) { return static_cast<int>(m_random() % static_cast<std::uint32_t>(n)); }
    std::int64_t axis() { return below(2); }

    Matrix next(const Matrix &m, const Values &all)
    {
        Maker &k = m_maker;
        const std::int64_t at = axis();
        const std::string &x = m.name;
        if (below(3) == 0)
            return layer(m);
        switch (below(25)) {
        case 0: return {k.add("Relu", {x}), {m.isLate[0], m.isLate[1]}};
        case 1: return {k.add("Transpose", {x}), {m.isLate[1], m.isLate[0]}};
        case 2: return {k.add("Add", {x, k.add("ReduceMax", {x, k.list({at})})}), {m.isLate[0], m.isLate[1]}};
        case 3:
            return {k.add("Sub", {x, k.add("ReduceMean", {x, k.list({0, 1})})}), {m.isLate[0], m.isLate[1]}};
        case 4: return {k.add("Softmax", {x}, {{"axis", at}}), {m.isLate[0], m.isLate[1]}};
        case 5: return {k.add("Concat", {x, x}, {{"axis", at}}), {m.isLate[0], m.isLate[1]}};
        case 6: { // with another one of the same width
            const std::string both = k.add("MatMul", {x, k.add("Transpose", {x})});
            return {k.add("Concat", {both, both, both}, {{"axis", at}}), {m.isLate[0], m.isLate[0]}};
        }
        case 7: return {k.add("MatMul", {k.add("Transpose", {x}), x}), {m.isLate[1], m.isLate[1]}};
        case 8: {
            const Ints begins{-3, -1, 0, 1, 2}, ends{-1, 1, 2, 4, 9, INT64_MAX};
            return {k.add("Slice", {x, k.list({begins[static_cast<std::size_t>(below(5))]}),
                                    k.list({ends[static_cast<std::size_t>(below(6))]}), k.list({at})}),
                    {m.isLate[0], m.isLate[1]}};
        }
        case 23: { // all but the last, by their number
            const std::string rows = k.add("Gather", {k.add("Shape", {x}), k.list({0})});
            return {k.add("Slice",
                          {x, k.list({below(2)}), k.add("Sub", {rows, k.list({1 + below(3)})}), k.list({0})}),
                    {m.isLate[0], m.isLate[1]}};
        }
        case 9:
            m_picks = true;
            return {k.add("Gather", {x, k.list({-1, 0})}, {{"axis", at}}),
                    {at != 0 && m.isLate[0], at != 1 && m.isLate[1]}};
        case 10: { // all elements, from the largest on
            const std::string flat = k.add("Reshape", {x, k.list({-1})});
            const std::string size = k.add("Unsqueeze", {k.add("Size", {x}), k.list({0})});
            const std::string best =
                k.add("TopK", {flat, k.add("Min", {size, k.list({3 + below(4)})})}, {}, 2);
            const std::string picked = k.add("Gather", {flat, best});
            return {k.add("Unsqueeze", {picked, k.list({at})}), {true, true}};
        }
        case 11: {
            const std::string places = k.add("Transpose", {k.add("NonZero", {x})});
            return {k.add("Unsqueeze", {k.add("GatherND", {x, places}), k.list({1})}), {true, false}};
        }
        case 12:
            return {k.add("Mul", {x, k.add("ConstantOfShape", {k.add("Shape", {x})})}),
                    {m.isLate[0], m.isLate[1]}};
        case 13:
            return {k.add("Expand", {k.add("ReduceMin", {x}), k.add("Shape", {x})}),
                    {m.isLate[0], m.isLate[1]}};
        case 14: {
            const std::string rows = k.add("Gather", {k.add("Shape", {x}), k.number(0)});
            const std::string counting =
                k.add("Range", {k.number(1), k.add("Add", {rows, k.number(1)}), k.number(2)});
            return {k.add("Unsqueeze", {k.add("CastLike", {counting, x}), k.list({at})}), {true, true}};
        }
        case 15:
            return {k.add("Unsqueeze",
                          {k.add("CastLike",
                                 {k.add("ArgMax", {x}, {{"axis", at}, {"keepdims", std::int64_t{0}}}), x}),
                           k.list({1 - at})}),
                    {m.isLate[0], m.isLate[1]}};
        case 16:
            return {k.add("CumSum", {x, k.number(at)}, {{"reverse", std::int64_t{below(2)}}}),
                    {m.isLate[0], m.isLate[1]}};
        case 17: return {k.add("Reshape", {x, k.list({0, -1})}), {m.isLate[0], m.isLate[1]}};
        case 18: {
            const std::string three = k.add("Unsqueeze", {x, k.list({2})});
            return {k.add("Flatten", {three}, {{"axis", std::int64_t{below(2)}}}), {true, true}};
        }
        case 19: { // sums of squares of a chosen half of the columns
            const std::string c =
                k.add("Greater", {k.add("ReduceSum", {x, k.list({at})}, {{"keepdims", std::int64_t{0}}}),
                                  k.constant(array(ir::DataType::float32(), {}, {0.5}))});
            return {k.add("Compress", {x, c}, {{"axis", 1 - at}}), {true, true}};
        }
        case 20: {
            const Matrix &other = all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
            return {k.add("Add", {x, k.add("ReduceProd", {other.name, k.list({0, 1})})}),
                    {m.isLate[0], m.isLate[1]}};
        }
        case 21: {
            const std::string indices = k.add("ArgMax", {x}, {{"axis", at}});
            return {k.add("GatherElements", {x, indices}, {{"axis", at}}), {m.isLate[0], m.isLate[1]}};
        }
        case 22: {
            const std::string indices = k.add("ArgMin", {x}, {{"axis", at}});
            const std::string most = k.add("ReduceMax", {x, k.list({at})});
            return {k.add("ScatterElements", {x, indices, most}, {{"axis", at}}), {m.isLate[0], m.isLate[1]}};
        }
        default: return {k.add("ReduceLogSumExp", {x, k.list({at})}), {m.isLate[0], m.isLate[1]}};
        }
    }

    /// The matrix as an image of one channel, and back.
    Matrix image(const Matrix &m, const std::string &op, std::vector<std::string> more,
                 std::map<std::string, Attribute, std::less<>> attributes)
    {
        Maker &k = m_maker;
        std::vector<std::string> inputs{k.add("Unsqueeze", {m.name, k.list({0, 1})})};
        inputs.insert(inputs.end(), more.begin(), more.end());
        const std::string y = k.add(op, std::move(inputs), std::move(attributes));
        return {k.add("Squeeze", {y, k.list({0, 1})}), {m.isLate[0], m.isLate[1]}};
    }

    std::string weights(const Ints &shape)
    {
        ir::NdArray made(ir::DataType::float32(), shape);
        for (std::int64_t i = 0; i < made.size(); ++i)
            made.set(i, below(5) - 2);
        return m_maker.constant(std::move(made));
    }

    /// A layer of a network, or an operator that makes axes longer.
    Matrix layer(const Matrix &m)
    {
        Maker &k = m_maker;
        const std::int64_t at = axis(), stride = 1 + below(2);
        const std::string &x = m.name;
        const Matrix same{"", {m.isLate[0], m.isLate[1]}};
        const auto named = [&](std::string name) {
            return Matrix{std::move(name), {same.isLate[0], same.isLate[1]}};
        };
        switch (below(18)) {
        case 0:
            return image(m, "Conv", {weights({1, 1, 3, 2})},
                         {{"pads", Ints{1, below(2), 1, 1}}, {"strides", Ints{stride, 1}}});
        case 1:
            return image(m, "ConvTranspose", {weights({1, 1, 3, 3})},
                         {{"pads", Ints{below(2), 1, below(2), 1}}, {"strides", Ints{stride, 1}}});
        case 2:
            return image(
                m, "MaxPool", {},
                {{"kernel_shape", Ints{3, 2}}, {"pads", Ints{1, 0, 1, 1}}, {"strides", Ints{1, stride}}});
        case 3:
            return image(m, "AveragePool", {},
                         {{"kernel_shape", Ints{2, 3}},
                          {"pads", Ints{1, 1, 0, 1}},
                          {"count_include_pad", std::int64_t{below(2)}},
                          {"strides", Ints{stride, 1}}});
        case 4: return image(m, below(2) == 0 ? "GlobalAveragePool" : "GlobalMaxPool", {}, {});
        case 5: return image(m, "InstanceNormalization", {weights({1}), weights({1})}, {});
        case 6:
            return image(m, "Resize",
                         {"", k.constant(array(ir::DataType::float32(), {4}, {1, 1, below(2) + 1.0, 1.5}))},
                         {{"mode", std::string(below(2) == 0 ? "nearest" : "linear")}});
        case 7: { // to a size that follows from its own
            const std::string size = k.add("Shape", {x}), sum = k.add("Add", {size, k.list({2, 1})});
            const std::string all = k.add("Concat", {k.list({1, 1}), sum}, {{"axis", std::int64_t{0}}});
            return image(m, "Resize", {"", "", all},
                         {{"mode", std::string(below(2) == 0 ? "cubic" : "linear")},
                          {"coordinate_transformation_mode",
                           std::string(below(2) == 0 ? "align_corners" : "half_pixel")}});
        }
        case 8:
            return named(k.add("Pad", {x, k.list({below(3) - 1, below(2), below(3) - 1, below(3)}),
                                       k.constant(array(ir::DataType::float32(), {}, {3}))}));
        case 9: { // by its own size, at the front
            const std::string size = k.add("Shape", {x});
            return named(
                k.add("Pad", {x, k.add("Concat", {size, k.list({0, 1})}, {{"axis", std::int64_t{0}}})}));
        }
        case 10: return named(k.add("Tile", {x, k.list({1 + below(2), 1 + below(3)})}));
        case 11:
            return named(
                k.add("Slice", {x, k.list({below(2) == 0 ? -1 : 3}), k.list({below(2) == 0 ? 0 : -9}),
                                k.list({at}), k.list({-1 - below(2)})}));
        case 12:
            return named(k.add("Slice", {x, k.list({below(2)}), k.list({9}), k.list({at}), k.list({2})}));
        case 13: return named(k.add("Split", {x}, {{"axis", at}, {"num_outputs", std::int64_t{2}}}, 2));
        case 14: return named(k.add("Trilu", {x}, {{"upper", std::int64_t{below(2)}}}));
        case 15: {
            const char *equations[] = {"ij,ij->ij", "ij,kj->ik", "ji,jk->ik", "...j,kj->...k"};
            const std::string y = k.add("Einsum", {x, x}, {{"equation", std::string(equations[below(4)])}});
            return {y, {true, true}};
        }
        case 16: { // sums of rows up to each one
            auto body = std::make_shared<OnnxGraph>();
            body->nodes = {node("Gather", {x, "i"}, {"row"}), node("Add", {"s", "row"}, {"s2"}),
                           node("Relu", {"s2"}, {"r"}), node("Identity", {"go"}, {"on"})};
            body->inputs = {floats("i", {}), floats("go", {}), floats("s", {})};
            body->outputs = {floats("on", {}), floats("s2", {}), floats("r", {})};
            const std::string rows = k.add("Gather", {k.add("Shape", {x}), k.number(0)});
            const std::string none =
                k.add("ReduceSum", {k.add("Sub", {x, x}), k.list({0})}, {{"keepdims", std::int64_t{0}}});
            return named(k.add("Loop", {rows, "", none},
                               {{"body", std::shared_ptr<const OnnxGraph>(std::move(body))}}, 2));
        }
        default: {
            auto body = std::make_shared<OnnxGraph>();
            body->nodes = {node("Max", {"s", "e"}, {"s2"}), node("Sub", {"s2", "e"}, {"o"})};
            body->inputs = {floats("s", {}), floats("e", {})};
            body->outputs = {floats("s2", {}), floats("o", {})};
            const std::string none =
                k.add("ReduceSum", {k.add("Sub", {x, x}), k.list({0})}, {{"keepdims", std::int64_t{0}}});
            return named(k.add("Scan", {none, x},
                               {{"body", std::shared_ptr<const OnnxGraph>(std::move(body))},
                                {"num_scan_inputs", std::int64_t{1}}},
                               2));
        }
        }
    }

    Maker m_maker;
    std::mt19937 m_random;
    bool m_picks = false;
};

} // namespace

class LateSizesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rowsThatAreChosen()
    {
        Maker maker;
        const OnnxModel made = maker.open({chosenRows(maker)});
        QCOMPARE(compared(made, {1, 4}), "2 × 4");
        QCOMPARE(compared(made, {0, 1, 2, 3, 4, 5}), "6 × 4");
        QCOMPARE(compared(made, {5}, true), "1 × 4");
        const auto imported = importModel(made);
        QVERIFY(imported);
        QCOMPARE(imported->lateOutputs.size(), 1U);
        QCOMPARE(imported->function.outputNames, (std::vector<std::string>{"v1", "v1.size0"}));
    }

    void nothingIsChosen()
    {
        Maker maker;
        const std::string rows = chosenRows(maker);
        const OnnxModel made = maker.open({maker.add("Add", {rows, rows}), maker.add("Shape", {rows})});
        const Outcome late = run(made, {matrix(1), chosen({})});
        QCOMPARE(late.error, "");
        QCOMPARE(late.outputs[0].shape(), (Ints{0, 4}));
        QCOMPARE(late.outputs[1].at(0), 0.0);
    }

    void placesOfElements()
    {
        Maker maker;
        const OnnxModel made = maker.open({maker.add("NonZero", {"x"}), maker.add("NonZero", {"c"})});
        QCOMPARE(compared(made, {1, 2}), "2 × 23, 1 × 2");
    }

    void partsBehindEachOther()
    {
        Maker maker;
        const std::string rows = chosenRows(maker);
        const std::string best = maker.add("TopK", {rows, maker.list({1})}, {{"axis", std::int64_t{0}}});
        QCOMPARE(
            compared(maker.open({maker.add("Concat", {rows, "x", rows, best}, {{"axis", std::int64_t{0}}})}),
                     {0, 3}),
            "11 × 4");
        QCOMPARE(compared(maker.open({maker.add("Concat", {"x", rows}, {{"axis", std::int64_t{0}}})}), {0, 3},
                          true),
                 "8 × 4");
    }

    /// Boxes of which only some count, and what is kept of them.
    void boxes()
    {
        Maker maker;
        const std::string rows = maker.add("Unsqueeze", {chosenRows(maker), maker.list({0})});
        const std::string scores =
            maker.add("ReduceMax", {rows, maker.list({2})}, {{"keepdims", std::int64_t{0}}});
        const std::string kept = maker.add(
            "NonMaxSuppression", {rows, maker.add("Unsqueeze", {scores, maker.list({1})}), maker.list({9}),
                                  maker.constant(array(ir::DataType::float32(), {1}, {0.1}))});
        const std::string which = maker.add("Gather", {kept, maker.list({2})}, {{"axis", std::int64_t{1}}});
        const std::string flat = maker.add("Squeeze", {which, maker.list({1})});
        QCOMPARE(compared(maker.open({kept, maker.add("Gather", {rows, flat}, {{"axis", std::int64_t{1}}})}),
                          {0, 2, 3, 5}),
                 "2 × 3, 1 × 2 × 4");
    }

    /// Either branch, when the model runs.
    void branches()
    {
        const auto branch = [](std::vector<OnnxNode> nodes, const std::string &output) {
            auto graph = std::make_shared<OnnxGraph>();
            graph->nodes = std::move(nodes);
            graph->outputs = {floats(output, {})};
            return std::shared_ptr<const OnnxGraph>(std::move(graph));
        };
        Maker maker;
        const std::string rows = chosenRows(maker);
        const std::string many = maker.add("Greater", {maker.add("Size", {rows}), maker.number(8)});
        const std::string result = maker.add("If", {many},
                                             {{"then_branch", branch({node("Relu", {"x"}, {"a"})}, "a")},
                                              {"else_branch", branch({node("Neg", {rows}, {"b"})}, "b")}});
        QCOMPARE(compared(maker.open({result}), {1, 2}), "2 × 4");
        QCOMPARE(compared(maker.open({result}), {1, 2, 3}), "6 × 4");
    }

    void refusals()
    {
        const auto refused = [&](const auto &of) {
            Maker maker;
            const std::string output = of(maker, chosenRows(maker));
            return QString::fromStdString(run(maker.open({output}), {matrix(1), chosen({1})}).error);
        };
        QCOMPARE(refused([](Maker &maker, const std::string &rows) { return maker.add("Det", {rows}); }),
                 "node \"v2\" (Det): axis 0 of its input \"v1\" has a size that is known only when the model "
                 "runs, "
                 "for which this operator is not supported");
        // Of another domain, though ONNX has an operator of that name.
        Maker maker;
        OnnxModel made = maker.open({maker.add("Gelu", {chosenRows(maker)})});
        made.nodes.back().domain = "com.microsoft";
        QVERIFY(
            run(made, {matrix(1), chosen({1})}).error.contains("for which this operator is not supported"));
    }

    /// Random chains of operators, by the interpreter and some by compiled code.
    void chains()
    {
        const int seed = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_SEED"),
                  given = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_COUNT"),
                  count = given > 0 ? given : 250;
        int same = 0;
        for (int i = seed; i < seed + count; ++i) {
            Chain chain(static_cast<std::uint32_t>(i));
            const OnnxModel made = chain.made();
            Ints which;
            for (std::int64_t row = 0; row < Maker::rows; ++row) {
                if (i % 7 != 6 && (i * 7LL + row * (i % 5 + 1)) % 3 != 0) // at times none
                    which.push_back(row);
            }
            if (which.empty() && chain.picks())
                continue;
            const Arrays inputs{matrix(static_cast<std::uint64_t>(i)), chosen(which)};
            const Outcome known = runKnown(made, inputs);
            if (!known.error.empty()) // the largest of nothing, a size that does not fit
                continue;
            const Outcome late = run(made, inputs, i % 8 == 0);
            std::string seedText = std::format("seed {}:\n", i);
            for (const OnnxNode &each : made.nodes) {
                seedText += each.outputs.back() + " = " + each.op;
                for (const std::string &input : each.inputs) {
                    const auto data = made.initializers.find(input);
                    seedText +=
                        " " + (data == made.initializers.end() ? input : valuesText(*data->second.data));
                }
                seedText += "\n";
            }
            for (const ir::NdArray &each : known.outputs)
                seedText += shapeText(each) + "; ";
            for (const ir::NdArray &each : late.outputs)
                seedText += shapeText(each) + "; ";
            if (late.error.contains("known only when the model runs"))
                continue;
            QVERIFY2(late.error.empty(), (seedText + late.error).c_str());
            const std::string other = difference(known.outputs, late.outputs);
            QVERIFY2(other.empty(), (seedText + other).c_str());
            ++same;
        }
        QVERIFY2(same > count / 2, qPrintable(QString::number(same)));
    }
};

QTEST_APPLESS_MAIN(LateSizesTest)
#include "late_sizes_test.moc"
