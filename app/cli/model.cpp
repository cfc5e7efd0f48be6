// SPDX-License-Identifier: Apache-2.0
#include "app/cli/model.h"

#include "app/cli/npy.h"
#include "app/cli/symbolic_sizes.h"
#include "core/graph/passes/all.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <format>
#include <functional>

namespace nestwright::cli {

using support::fail;
using support::Result;

void ModelOptions::add(CLI::App &app)
{
    app.add_option("MODEL", model, "an ONNX model")->required();
    app.add_option("-O", level, "level of optimisation: 0 none, 1 fusion, 2 folding too, 3 all")
        ->check(CLI::Range(0, 3))
        ->capture_default_str();
    app.add_option("--require", required, "a pass that runs at any level")->allow_extra_args(false);
    app.add_option("--disable", disabled, "a pass that does not run")->allow_extra_args(false);
    app.add_option("--size", sizes, "a symbolic dimension, as batch=1")->allow_extra_args(false);
}

void ModelOptions::addInputs(CLI::App &app)
{
    app.add_option("--in", inputs, "an input from a file, as X=x.npy or X=x.pb; others are zeros")
        ->allow_extra_args(false);
}

namespace {

/// "a, b, c"
template <class Range, class Name = std::identity> std::string listed(const Range &range, Name name = {})
{
    std::string text;
    for (const auto &each : range)
        text += (text.empty() ? "" : ", ") + std::invoke(name, each);
    return text;
}

/// The place of the node that gives the results of the model's node of that name: the last, where it was imported as several.
/// -1: none.
int nodeNamed(const graph::Function &function, const std::string &name)
{
    int found = -1;
    for (int i = 0; i < static_cast<int>(function.nodes.size()); ++i) {
        const graph::Node &node = function.at(i);
        if (node.kind == graph::NodeKind::Operator && node.name == name)
            found = i;
    }
    return found;
}

/// Makes results of nodes outputs of the model. Error: "model.output".
Result<void> fetch(graph::Function &function, const ModelOptions &options)
{
    std::vector<std::string> names = options.fetched;
    if (names.empty() && !options.fetchesAll)
        return {};
    function = graph::inlineFunctions(function); // nodes of the model's functions have results too
    for (const graph::Node &node : function.nodes) {
        if (options.fetchesAll && node.kind == graph::NodeKind::Operator && !node.name.empty())
            names.push_back(node.name);
    }
    for (const std::string &name : names) {
        if (std::ranges::contains(function.outputNames, name))
            continue;
        const int place = nodeNamed(function, name);
        if (place < 0) {
            return fail(
                support::diagnostic("model.output",
                                    std::format("the model has no output and no node \"{}\"", name))
                    .withHint(std::format("its outputs: {}; --nodes FOLDER writes the results of all nodes",
                                          listed(function.outputNames))));
        }
        function.outputs.push_back({place, 0});
        function.outputNames.push_back(name);
    }
    return {};
}

} // namespace

Result<OpenedModel> openModel(const ModelOptions &options)
{
    OpenedModel opened;
    const auto sizes = parseSizes(options.sizes);
    if (!sizes)
        return fail(sizes.error());
    for (const std::string &option : options.inputs) {
        const auto pair = parseAssignment(option, "usage.file");
        if (!pair)
            return fail(pair.error());
        auto array = readArray(pair->second);
        if (!array)
            return fail(array.error());
        opened.data[pair->first] = std::make_shared<const ir::NdArray>(std::move(*array));
    }
    auto model = graph::onnx::readModel(options.model);
    if (!model)
        return fail(model.error());
    for (const auto &[name, data] : opened.data) {
        if (std::ranges::find(model->inputs, name, &graph::onnx::OnnxValue::name) != model->inputs.end())
            continue;
        return fail("model.input", std::format("the model has no input \"{}\"; it has {}", name,
                                               listed(model->inputs, &graph::onnx::OnnxValue::name)));
    }
    auto imported = graph::onnx::importModel(*model, {*sizes, opened.data});
    *model = {}; // weights that passes replace are not held twice
    if (!imported)
        return fail(imported.error());
    if (auto done = fetch(imported->function, options); !done)
        return fail(done.error());
    graph::PassContext context;
    context.level = options.level;
    context.required = {options.required.begin(), options.required.end()};
    context.disabled = {options.disabled.begin(), options.disabled.end()};
    context.keepRecords = options.keepRecords;
    auto optimized = graph::optimize(std::move(imported->function), context);
    if (!optimized)
        return fail(optimized.error());
    imported->function = std::move(optimized->function);
    opened.records = std::move(optimized->records);
    opened.imported = std::move(*imported);
    return opened;
}

Result<void> setInputs(graph::Executor &executor, const std::map<std::string, graph::Data> &data,
                       OtherInputs others)
{
    const graph::Function &function = executor.program().function;
    const std::vector<int> inputs = function.inputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const graph::Node &input = function.at(inputs[i]);
        const auto given = data.find(input.name);
        ir::NdArray array(input.types[0].dtype, *input.types[0].constantShape());
        if (given == data.end() && others == OtherInputs::Random)
            array.fillRandom(i + 1);
        if (auto set = executor.setInput(i, given == data.end() ? array : *given->second); !set)
            return set;
    }
    return {};
}

Result<ir::NdArray> readArray(const std::string &path)
{
    return path.ends_with(".pb") ? graph::onnx::readTensor(path) : readNpy(path);
}

Result<void> writeArray(const std::string &path, const std::string &name, const ir::NdArray &array)
{
    return path.ends_with(".pb") ? graph::onnx::writeTensor(path, array, name) : writeNpy(path, array);
}

} // namespace nestwright::cli
