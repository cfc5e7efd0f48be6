// SPDX-License-Identifier: Apache-2.0
// Sizes that are known only when a model runs: each model gives what it gives where its inputs are constants,
// so that all sizes are known when it is opened.
#include "tests/core/graph/made_models.h"
#include "tests/core/graph/run_graph.h"

#include <QtTest>

#include <algorithm>
#include <random>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

using Ints = std::vector<std::int64_t>;
using Arrays = std::vector<ir::NdArray>;

graph::Data held(ir::NdArray array) { return std::make_shared<const ir::NdArray>(std::move(array)); }

ir::NdArray array(ir::DataType type, const Ints &shape, const std::vector<double> &values)
{
    ir::NdArray made(type, shape);
    for (std::size_t i = 0; i < values.size(); ++i)
        made.set(static_cast<std::int64_t>(i), values[i]);
    return made;
}

ir::NdArray whole(const Ints &values)
{
    return array(ir::DataType::int64(), {static_cast<std::int64_t>(values.size())},
                 {values.begin(), values.end()});
}

OnnxValue bools(std::string name, Ints shape)
{
    OnnxValue value = floats(std::move(name), {shape.begin(), shape.end()});
    value.dtype = ir::DataType::boolean();
    return value;
}

/// A model that is made operator by operator from the inputs x, a matrix of 6 by 4, and c, 6 truth values.
class Maker {
public:
    static constexpr std::int64_t rows = 6, columns = 4;

    Maker() { m_model = model({}, {floats("x", {rows, columns}), bools("c", {rows})}); }

    std::string add(const std::string &op, std::vector<std::string> inputs,
                    std::map<std::string, Attribute, std::less<>> attributes = {}, std::size_t results = 1)
    {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < results; ++i)
            names.push_back("v" + std::to_string(++m_count));
        OnnxNode made = node(op, std::move(inputs), names);
        made.name = names[0];
        made.attributes = std::move(attributes);
        m_model.nodes.push_back(std::move(made));
        return names.back();
    }
    std::string constant(ir::NdArray data)
    {
        const std::string name = "k" + std::to_string(++m_count);
        m_model.initializers[name] = {held(std::move(data))};
        return name;
    }
    std::string list(const Ints &values) { return constant(whole(values)); }
    std::string number(std::int64_t value)
    {
        return constant(array(ir::DataType::int64(), {}, {double(value)}));
    }

    OnnxModel open(std::vector<std::string> outputs) const
    {
        OnnxModel made = m_model;
        made.outputs.clear();
        for (std::string &output : outputs)
            made.outputs.push_back(floats(std::move(output), {}));
        return made;
    }

private:
    OnnxModel m_model;
    int m_count = 0;
};

/// The rows of x for which c holds.
std::string chosenRows(Maker &maker)
{
    return maker.add("Compress", {"x", "c"}, {{"axis", std::int64_t{0}}});
}

struct Outcome {
    Arrays outputs;
    std::string error;
};

Outcome run(const OnnxModel &model, const Arrays &inputs, bool byCode = false)
{
    const auto imported = importModel(model);
    if (!imported)
        return {{}, imported.error().message};
    auto outputs = byCode ? compiled(imported->function, inputs) : interpreted(imported->function, inputs);
    if (!outputs)
        return {{}, outputs.error().message};
    cutLateOutputs(imported->function, imported->lateOutputs, *outputs);
    outputs->erase(outputs->begin() + static_cast<std::ptrdiff_t>(model.outputs.size()), outputs->end());
    return {std::move(*outputs), {}};
}

/// The same with inputs that are constants.
Outcome runKnown(OnnxModel model, const Arrays &inputs)
{
    for (std::size_t i = 0; i < inputs.size(); ++i)
        model.initializers[model.inputs[i].name] = {held(inputs[i])};
    model.inputs.clear();
    return run(model, {});
}

ir::NdArray matrix(std::uint64_t seed)
{
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    ir::NdArray x(ir::DataType::float32(), {Maker::rows, Maker::columns});
    for (std::int64_t i = 0; i < x.size(); ++i)
        x.set(i, static_cast<double>(random() % 17) - 8);
    return x;
}

ir::NdArray chosen(const Ints &which)
{
    ir::NdArray c(ir::DataType::boolean(), {Maker::rows});
    for (const std::int64_t i : which)
        c.set(i, 1);
    return c;
}

std::string shapeText(const ir::NdArray &array)
{
    std::string text;
    for (const std::int64_t size : array.shape())
        text += (text.empty() ? "" : " × ") + std::to_string(size);
    return text;
}

std::string valuesText(const ir::NdArray &array)
{
    std::string text = "[";
    for (std::int64_t i = 0; i < array.size(); ++i)
        text += std::format("{}{}", i == 0 ? "" : " ", array.at(i));
    return text + "]";
}

/// The outputs for these rows, which must be those of constants; or what went wrong.
QString compared(const OnnxModel &model, const Ints &which, bool byCode = false)
{
    const Arrays inputs{matrix(3), chosen(which)};
    const Outcome late = run(model, inputs, byCode), known = runKnown(model, inputs);
    if (!late.error.empty() || !known.error.empty())
        return QString::fromStdString("late: " + late.error + "; known: " + known.error);
    if (const std::string other = difference(known.outputs, late.outputs); !other.empty())
        return QString::fromStdString(other);
    std::string shapes;
    for (const ir::NdArray &output : late.outputs)
        shapes += (shapes.empty() ? "" : ", ") + shapeText(output);
    return QString::fromStdString(shapes);
}

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

    Maker m_maker;
    std::mt19937 m_random;
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
        QCOMPARE(refused([](Maker &maker, const std::string &rows) {
                     return maker.add("Reshape", {maker.add("Transpose", {rows}), maker.list({-1})});
                 }),
                 "node \"v4\" (Reshape): it joins or parts axis 1, whose size is known only when the model "
                 "runs, with "
                 "others around it");
        QCOMPARE(refused([](Maker &maker, const std::string &rows) {
                     return maker.add("Split", {rows}, {{"axis", std::int64_t{0}}}, 2);
                 }),
                 "node \"v2\" (Split): parts of an axis whose size is known only when the model runs");
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
            const OnnxModel made = Chain(static_cast<std::uint32_t>(i)).made();
            Ints which;
            for (std::int64_t row = 0; row < Maker::rows; ++row) {
                if ((i * 7LL + row * (i % 5 + 1)) % 3 != 0)
                    which.push_back(row);
            }
            const Arrays inputs{matrix(static_cast<std::uint64_t>(i)), chosen(which)};
            const Outcome known = runKnown(made, inputs);
            if (!known.error.empty()) // empty tensors, for most
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
