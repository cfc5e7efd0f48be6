// SPDX-License-Identifier: Apache-2.0
// Operators of the domain ai.onnx.ml but trees: each model beside numbers worked out by hand or by a plain
// loop, and text that goes beside the numbers.
#include "tests/core/graph/made_models.h"
#include "tests/core/graph/run_graph.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

using Ints = std::vector<std::int64_t>;
using Numbers = std::vector<double>;
using Texts = std::vector<std::string>;
using Attributes = std::map<std::string, Attribute, std::less<>>;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

ir::NdArray array(const Ints &shape, const Numbers &values, ir::DataType type = ir::DataType::float32())
{
    ir::NdArray made(type, shape);
    for (std::size_t i = 0; i < values.size(); ++i)
        made.set(static_cast<std::int64_t>(i), values[i]);
    return made;
}

OnnxTensor textTensor(const Ints &places, Texts texts)
{
    OnnxTensor tensor(std::make_shared<const ir::NdArray>(
        array({std::ssize(places)}, {places.begin(), places.end()}, ir::DataType::int64())));
    tensor.texts = std::make_shared<const Texts>(std::move(texts));
    return tensor;
}

OnnxNode mlNode(const std::string &op, Texts inputs, Texts outputs, Attributes attributes)
{
    OnnxNode made = node(op, std::move(inputs), std::move(outputs));
    made.domain = "ai.onnx.ml";
    made.attributes = std::move(attributes);
    return made;
}

/// A model on x; its outputs are those of the last node.
OnnxModel modelOf(std::vector<OnnxNode> nodes, const ir::NdArray &x)
{
    OnnxValue input = floats("x", {x.shape().begin(), x.shape().end()});
    input.dtype = x.dtype();
    OnnxModel made = model(std::move(nodes), {input});
    made.outputs.clear();
    for (const std::string &name : made.nodes.back().outputs)
        made.outputs.push_back(floats(name, {}));
    return made;
}

/// Outputs with their text, as "(shape) numbers" or "(shape) words", the same by the interpreter and
/// compiled.
std::string told(const OnnxModel &model, const std::vector<ir::NdArray> &inputs)
{
    const auto imported = importModel(model);
    if (!imported)
        return imported.error().message;
    const auto outputs = interpreted(imported->function, inputs);
    if (!outputs)
        return outputs.error().message;
    auto optimized = graph::optimize(imported->function, {});
    const auto run = compiled(std::move(optimized->function), inputs);
    if (!run)
        return run.error().message;
    if (const std::string wrong = difference(*outputs, *run); !wrong.empty())
        return "compiled: " + wrong;
    std::string text;
    for (std::size_t k = 0; k < outputs->size(); ++k) {
        const ir::NdArray &output = (*outputs)[k];
        text += k == 0 ? "(" : "; (";
        for (std::size_t i = 0; i < output.shape().size(); ++i)
            text += std::format("{}{}", i == 0 ? "" : ",", output.shape()[i]);
        text += ")";
        const auto labels = imported->labels.find(imported->function.outputNames[k]);
        const bool isText = labels != imported->labels.end() && labels->second.texts;
        for (std::int64_t i = 0; i < output.size(); ++i)
            text += isText ? " " + (*labels->second.texts)[static_cast<std::size_t>(output.at(i))]
                           : std::format(" {:.4g}", output.at(i));
        if (labels != imported->labels.end() && labels->second.columns) {
            for (const std::string &column : *labels->second.columns)
                text += " |" + column;
        }
    }
    return text;
}

std::string told(const std::string &op, const ir::NdArray &x, Attributes attributes, Texts outputs = {"y"})
{
    return told(modelOf({mlNode(op, {"x"}, std::move(outputs), std::move(attributes))}, x), {x});
}

const ir::NdArray matrix = array({3, 3}, {1, -3, 2, 0, 0, 0, -1, -2, -0.5});

} // namespace

class MlModelsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void features()
    {
        const ir::NdArray gaps = array({2, 3}, {1, missing, 2, missing, 4, missing});
        QCOMPARE(told("Imputer", gaps,
                      {{"replaced_value_float", missing}, {"imputed_value_floats", Numbers{5, 6, 7}}}),
                 "(2,3) 1 6 2 5 4 7");
        QCOMPARE(told("Imputer", array({1, 3}, {1, -3, 2}, ir::DataType::int64()),
                      {{"replaced_value_int64", std::int64_t{-3}}, {"imputed_value_int64s", Ints{9}}}),
                 "(1,3) 1 9 2");
        QCOMPARE(told("Scaler", array({1, 3}, {1, 3, 2}, ir::DataType::int64()),
                      {{"offset", Numbers{1, 2, 3}}, {"scale", Numbers{2, 2, 4}}}),
                 "(1,3) 0 2 -4");
        QCOMPARE(
            told("Scaler", array({1, 3}, {1, 3, 2}), {{"offset", Numbers{1, 2}}, {"scale", Numbers{2}}}),
            "node \"n\" (Scaler): \"offset\" must have one number, or one for each of 3 features, but has 2");
        QCOMPARE(told("Binarizer", matrix, {{"threshold", 0.5}}), "(3,3) 1 0 1 0 0 0 0 0 0");
        QCOMPARE(told("Normalizer", matrix, {{"norm", std::string("MAX")}}), "(3,3) 0.5 -1.5 1 0 0 0 2 4 1");
        QCOMPARE(told("Normalizer", matrix, {{"norm", std::string("L1")}}),
                 "(3,3) 0.1667 -0.5 0.3333 0 0 0 -0.2857 -0.5714 -0.1429");
        QCOMPARE(told("Normalizer", array({2}, {3, -4}), {{"norm", std::string("L2")}}), "(2) 0.6 -0.8");
        QCOMPARE(told("OneHotEncoder", array({1, 3}, {1.7, 2, 9}), {{"cats_int64s", Ints{2, 1}}}),
                 "(1,3,2) 0 1 1 0 0 0");
        QCOMPARE(
            told(modelOf({mlNode("FeatureVectorizer", {"x", "x"}, {"y"}, {{"inputdimensions", Ints{2, 4}}})},
                         matrix),
                 {matrix}),
            "(3,6) 1 -3 1 -3 2 0 0 0 0 0 0 0 -1 -2 -1 -2 -0.5 0");
    }

    void pickedFeatures()
    {
        OnnxModel picks = modelOf({mlNode("ArrayFeatureExtractor", {"x", "i"}, {"y"}, {})}, matrix);
        picks.initializers["i"] = {
            std::make_shared<const ir::NdArray>(array({2}, {2, 0}, ir::DataType::int64()))};
        QCOMPARE(told(picks, {matrix}), "(3,2) 2 1 0 0 -0.5 -1");
        const ir::NdArray vector = array({3}, {4, 5, 6});
        picks.inputs[0].shape = {3};
        QCOMPARE(told(picks, {vector}), "(1,2) 6 4");
        picks.initializers["i"] = {
            std::make_shared<const ir::NdArray>(array({1}, {3}, ir::DataType::int64()))};
        QCOMPARE(told(picks, {vector}),
                 "node \"n\" (ArrayFeatureExtractor): there is no feature 3: there are 3");
    }

    void labels()
    {
        const ir::NdArray x = array({4}, {1, 2, 9, 1}, ir::DataType::int64());
        QCOMPARE(
            told("LabelEncoder", x, {{"keys_int64s", Ints{1, 2, 1}}, {"values_int64s", Ints{10, 20, 30}}}),
            "(4) 10 20 -1 10"); // the first of two equal keys
        QCOMPARE(
            told("LabelEncoder", x, {{"keys_int64s", Ints{2, 1}}, {"values_strings", Texts{"two", "one"}}}),
            "(4) one two _Unused one");
        QCOMPARE(
            told(
                "LabelEncoder", x,
                {{"keys_int64s", Ints{2, 1}}, {"values_floats", Numbers{0.5, 0.25}}, {"default_float", 7.0}}),
            "(4) 0.25 0.5 7 0.25");
        QCOMPARE(told("LabelEncoder", array({3}, {missing, 1, 2}),
                      {{"keys_floats", Numbers{1, missing}}, {"values_floats", Numbers{10, 20}}}),
                 "(3) 20 10 -0");
        QCOMPARE(told("LabelEncoder", array({3}, {1, 0, 5}, ir::DataType::int64()),
                      {{"classes_strings", Texts{"a", "b"}}, {"default_string", std::string("?")}}),
                 "(3) b a ?");
        QCOMPARE(
            told("CategoryMapper", x, {{"cats_int64s", Ints{9, 2}}, {"cats_strings", Texts{"nine", "two"}}}),
            "(4) _Unused two nine _Unused");
        QCOMPARE(told("LabelEncoder", x, {{"keys_strings", Texts{"a"}}, {"values_int64s", Ints{1}}}),
                 "node \"n\" (LabelEncoder): its keys are text, but its input are numbers");
        QCOMPARE(told("ZipMap", array({1, 2}, {0.25, 0.75}), {{"classlabels_strings", Texts{"no", "yes"}}}),
                 "(1,2) 0.25 0.75 |no |yes");
    }

    /// Text that is picked, joined, compared, looked up and read as numbers; where it would be computed with,
    /// or comes from outside, that is told.
    void text()
    {
        const ir::NdArray x = array({3}, {2, 0, 1}, ir::DataType::int64());
        OnnxModel made = modelOf({node("Gather", {"words", "x"}, {"picked"})}, x);
        made.initializers["words"] = textTensor({0, 1, 0, 2}, {"b", "1.5", "c"});
        QCOMPARE(told(made, {x}), "(3) b b 1.5");
        const auto with = [&](OnnxNode last) {
            OnnxModel more = made;
            more.outputs = {floats(last.outputs[0], {})};
            more.initializers["others"] = textTensor({0, 0, 1}, {"c", "b"});
            more.initializers["numbers"] = textTensor({0, 1, 0}, {"1", "-2"});
            more.nodes.push_back(std::move(last));
            return told(more, {x});
        };
        OnnxNode joined = node("Concat", {"picked", "others"}, {"y"});
        joined.attributes = {{"axis", std::int64_t{0}}};
        QCOMPARE(with(joined), "(6) b b 1.5 c c b");
        QCOMPARE(with(node("Equal", {"others", "picked"}, {"y"})), "(3) 0 0 0");
        OnnxNode number = node("Cast", {"numbers"}, {"y"});
        number.attributes = {{"to", std::int64_t{1}}};
        QCOMPARE(with(number), "(3) 1 -2 1");
        number.inputs = {"picked"};
        QCOMPARE(with(number), "node \"n\" (Cast): \"b\" is no number");
        QCOMPARE(with(mlNode("LabelEncoder", {"picked"}, {"y"},
                             {{"keys_strings", Texts{"c", "b"}}, {"values_int64s", Ints{3, 4}}})),
                 "(3) 4 4 -1");
        QCOMPARE(with(mlNode("OneHotEncoder", {"picked"}, {"y"}, {{"cats_strings", Texts{"1.5", "b"}}})),
                 "(3,2) 0 1 0 1 1 0");
        QCOMPARE(with(node("Add", {"picked", "others"}, {"y"})),
                 "node \"n\" (Add): it would compute with text, which is not supported");
        OnnxNode constant = node("Constant", {}, {"y"});
        constant.attributes = {{"value_strings", Texts{"p", "q", "p"}}};
        QCOMPARE(with(constant), "(3) p q p");
        made.inputs[0].otherType = "text";
        const auto refused = importModel(made);
        QCOMPARE(refused.error().code, "onnx.text");
        QCOMPARE(refused.error().message, "the input \"x\" is text, which kernels do not compute with");
    }

    void linearModels()
    {
        QCOMPARE(told("LinearRegressor", matrix,
                      {{"coefficients", Numbers{1, 2, 3, 0, 1, 0}},
                       {"intercepts", Numbers{0.5, 0.25}},
                       {"targets", std::int64_t{2}}}),
                 "(3,2) 1.5 -2.75 0.5 0.25 -6 -1.75");
        const Attributes two{{"coefficients", Numbers{0.1, 0.2, 0.3}},
                             {"intercepts", Numbers{0.05}},
                             {"classlabels_strings", Texts{"no", "yes"}}};
        QCOMPARE(told("LinearClassifier", matrix, two, {"label", "y"}),
                 "(3) yes yes no; (3,2) 0.85 0.15 0.95 0.05 1.6 -0.6");
        Attributes logistic = two;
        logistic["post_transform"] = std::string("LOGISTIC");
        QCOMPARE(told("LinearClassifier", matrix, logistic, {"label", "y"}),
                 "(3) yes yes no; (3,2) 0.4626 0.5374 0.4875 0.5125 0.6457 0.3543");
        QCOMPARE(told("LinearClassifier", array({1, 3}, {1, 2, 3}),
                      {{"coefficients", Numbers{1, 0, 0, 0, 1, 0, 0, 0, -1}},
                       {"intercepts", Numbers{0, 0, 3}},
                       {"classlabels_ints", Ints{4, 6, 8}},
                       {"post_transform", std::string("SOFTMAX_ZERO")}},
                      {"label", "y"}),
                 "(1) 6; (1,3) 0.2689 0.7311 0");
    }

    void vectorMachines()
    {
        const Numbers vectors{1, 0, 0, 0, 1, 0, 0, 0, 1};
        const ir::NdArray x = array({2, 3}, {1, 2, -1, 0.5, 0, 2});
        const auto rbf = [&](std::int64_t row, std::int64_t vector) {
            double sum = 0;
            for (std::int64_t i = 0; i < 3; ++i)
                sum += std::pow(x.at(row * 3 + i) - vectors[static_cast<std::size_t>(vector * 3 + i)], 2);
            return std::exp(-0.5 * sum);
        };
        const Numbers weights{0.5, -1, 2};
        std::string expected = "(2,1)";
        for (std::int64_t row = 0; row < 2; ++row)
            expected += std::format(" {:.4g}", weights[0] * rbf(row, 0) + weights[1] * rbf(row, 1)
                                                   + weights[2] * rbf(row, 2) + 0.25);
        QCOMPARE(told("SVMRegressor", x,
                      {{"support_vectors", vectors},
                       {"coefficients", weights},
                       {"rho", Numbers{0.25}},
                       {"n_supports", std::int64_t{3}},
                       {"kernel_type", std::string("RBF")},
                       {"kernel_params", Numbers{0.5, 0, 3}}}),
                 QString::fromStdString(expected).toStdString());
        // One vector for each class: (0,1) = k0·1 - k1·1, (0,2) = k0·2 - k2·1, (1,2) = k1·2 - k2·2.
        const Attributes pairs{{"support_vectors", vectors},
                               {"vectors_per_class", Ints{1, 1, 1}},
                               {"coefficients", Numbers{1, -1, -1, 2, 2, -2}},
                               {"rho", Numbers{0, 0, 0}},
                               {"kernel_type", std::string("LINEAR")},
                               {"kernel_params", Numbers{0, 0, 0}},
                               {"classlabels_ints", Ints{10, 20, 30}}};
        QCOMPARE(told("SVMClassifier", x, pairs, {"label", "y"}), "(2) 20 30; (2,3) -1 3 6 0.5 -1 -4");
    }

    /// Of classes that win against each other with equal probability none is likelier; of two the pair tells.
    void coupledProbabilities()
    {
        const ir::NdArray x = array({1, 3}, {1, 1, 1});
        Attributes pairs{{"support_vectors", Numbers{1, 0, 0, 0, 1, 0, 0, 0, 1}},
                         {"vectors_per_class", Ints{1, 1, 1}},
                         {"coefficients", Numbers{0, 0, 0, 0, 0, 0}},
                         {"rho", Numbers{0, 0, 0}},
                         {"prob_a", Numbers{-1, -1, -1}},
                         {"prob_b", Numbers{0, 0, 0}},
                         {"kernel_type", std::string("LINEAR")},
                         {"classlabels_ints", Ints{1, 2, 3}}};
        QCOMPARE(told("SVMClassifier", x, pairs, {"label", "y"}), "(1) 3; (1,3) 0.3333 0.3333 0.3333");
        pairs["support_vectors"] = Numbers{1, 0, 0, 0, 1, 0};
        pairs["vectors_per_class"] = Ints{1, 1};
        pairs["coefficients"] = Numbers{1, 1};
        pairs["rho"] = Numbers{-1};
        pairs["prob_a"] = Numbers{-1};
        pairs["prob_b"] = Numbers{0};
        pairs["classlabels_ints"] = Ints{1, 2};
        QCOMPARE(told("SVMClassifier", x, pairs, {"label", "y"}), "(1) 1; (1,2) 0.7311 0.2689");
    }
};

QTEST_GUILESS_MAIN(MlModelsTest)
#include "ml_models_test.moc"
