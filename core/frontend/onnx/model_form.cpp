// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/codes.h"
#include "core/frontend/model_forms.h"
#include "core/frontend/onnx/decoding_inputs.h"
#include "core/frontend/onnx/file/size_expression.h"
#include "core/frontend/onnx/importer.h"
#include "core/graph/passes/declarations.h"
#include "core/graph/program/weight_files.h"
#include "core/support/errors/errors.h"
#include "core/support/parallel.h"
#include "core/support/phase.h"

#include <algorithm>
#include <format>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>

namespace nestwright::frontend {

using support::diagnostic;
using support::fail;
using support::Result;

namespace {

/// "a, b, c"
template <class Range, class Name = std::identity> std::string listed(const Range &range, Name name = {})
{
    std::string text;
    for (const auto &each : range)
        text += (text.empty() ? "" : ", ") + std::invoke(name, each);
    return text;
}

/// The input of that name, also one that need not be given; null when there is none.
const graph::onnx::OnnxValue *inputNamed(const graph::onnx::OnnxModel &model, const std::string &name)
{
    for (const auto *inputs : {&model.inputs, &model.defaulted}) {
        const auto found = std::ranges::find(*inputs, name, &graph::onnx::OnnxValue::name);
        if (found != inputs->end())
            return &*found;
    }
    return nullptr;
}

/// Symbolic sizes of the model's inputs that `sizes` does not name, each once.
std::vector<std::string> openSizes(const graph::onnx::OnnxModel &model, const Sizes &sizes)
{
    const graph::onnx::SizeExpressions expressions(model.inputs);
    std::vector<std::string> names;
    for (const graph::onnx::OnnxValue &input : model.inputs) {
        for (const auto &dim : input.shape) {
            const auto *stated = std::get_if<std::string>(&dim);
            if (!stated || sizes.contains(*stated))
                continue;
            for (const std::string &name : expressions.namesOf(*stated)) {
                if (!sizes.contains(name) && !std::ranges::contains(names, name))
                    names.push_back(name);
            }
        }
    }
    return names;
}

support::Diagnostic openSizesError(const std::vector<std::string> &names)
{
    support::Diagnostic told =
        diagnostic(codes::openSizes,
                   "the model leaves sizes open: "
                       + listed(names, [](const std::string &name) { return std::format("\"{}\"", name); }));
    for (const std::string &name : names) {
        told.locations.push_back({});
        told.locations.back().label = name;
    }
    told.hint = "give them, as in --size batch=1";
    return told;
}

/// Errors: "model.open-sizes", "model.input".
Result<void> checkInputs(const graph::onnx::OnnxModel &model, const Sizes &sizes, const GraphRequest &request)
{
    const std::vector<std::string> open = openSizes(model, sizes);
    if (!open.empty() && !request.leavesSizesOpen)
        return fail(openSizesError(open));
    const auto check = [&](const auto &given, bool isSequence) -> Result<void> {
        for (const auto &[name, data] : given) {
            const auto *found = inputNamed(model, name);
            if (!found)
                return fail("model.input", std::format("the model has no input \"{}\"; it has {}", name,
                                                       listed(model.inputs, &graph::onnx::OnnxValue::name)));
            if (found->isSequence != isSequence)
                return fail(
                    diagnostic("model.input", std::format("the input \"{}\" is a {}", name,
                                                          isSequence ? "tensor" : "sequence of tensors"))
                        .withHint(isSequence ? "give a file" : "give a folder of files 0.npy, 1.npy, …"));
        }
        return {};
    };
    if (auto checked = check(request.data, false); !checked)
        return checked;
    return check(request.sequences, true);
}

graph::Data held(ir::NdArray array) { return std::make_shared<const ir::NdArray>(std::move(array)); }

/// Puts what the files hold among the data. Errors: "model.input", those of readValue.
Result<void> readFiles(const graph::onnx::OnnxModel &model, GraphRequest &request)
{
    for (const auto &[name, path] : request.files) {
        const auto *input = inputNamed(model, name);
        auto value = graph::onnx::readValue(path, input ? *input : graph::onnx::OnnxValue{});
        if (!value)
            return fail(value.error());
        if (!*value) // an optional value that is missing
            continue;
        if (!input || !input->isSequence) {
            request.data[name] = held(std::move((*value)->front()));
            continue;
        }
        for (ir::NdArray &tensor : **value)
            request.sequences[name].push_back(held(std::move(tensor)));
    }
    return {};
}

/// Data by the names of the function's inputs.
std::map<std::string, graph::Data> dataOf(const GraphRequest &request)
{
    std::map<std::string, graph::Data> data = request.data;
    for (const auto &[name, tensors] : request.sequences) {
        for (std::size_t i = 0; i < tensors.size(); ++i)
            data[std::format("{}.{}", name, i)] = tensors[i];
    }
    return data;
}

/// The place of the node that gives the results of the model's node of that name: the last, where it was
/// imported as several.
std::optional<int> nodeNamed(const graph::Function &function, const std::string &name)
{
    const auto found = std::ranges::find_last_if(function.nodes, [&](const graph::Node &node) {
        return node.kind == graph::NodeKind::Operator && node.name == name;
    });
    return found.empty() ? std::nullopt
                         : std::optional(static_cast<int>(found.begin() - function.nodes.begin()));
}

/// The first outputs, `own` of them, are the model's: each comes behind the node that gives it.
void sortOutputs(graph::Function &function, std::size_t own)
{
    std::vector<std::size_t> order(function.outputs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {},
                             [&](std::size_t i) { return std::pair(function.outputs[i], i < own); });
    const std::vector<graph::Value> outputs = function.outputs;
    const std::vector<std::string> names = function.outputNames;
    for (std::size_t i = 0; i < order.size(); ++i) {
        function.outputs[i] = outputs[order[i]];
        function.outputNames[i] = names[order[i]];
    }
}

/// Makes results of nodes outputs of the model. Error: "model.output".
Result<void> fetch(graph::Function &function, const graph::SequenceOutputs &sequences,
                   const GraphRequest &request)
{
    std::vector<std::string> names = request.fetched;
    std::erase_if(names, [&](const std::string &name) { return sequences.contains(name); });
    if (names.empty() && !request.fetchesAll)
        return {};
    function = graph::inlineFunctions(function); // nodes of the model's functions have results too
    const std::size_t own = function.outputs.size();
    for (const graph::Node &node : function.nodes) {
        if (request.fetchesAll && node.kind == graph::NodeKind::Operator && !node.name.empty())
            names.push_back(node.name);
    }
    for (const std::string &name : names) {
        if (std::ranges::contains(function.outputNames, name))
            continue;
        const std::optional<int> place = nodeNamed(function, name);
        if (!place) {
            return fail(
                diagnostic("model.output", std::format("the model has no output and no node \"{}\"", name))
                    .withHint(std::format("its outputs: {}; --nodes FOLDER writes the results of all nodes",
                                          listed(function.outputNames))));
        }
        function.outputs.push_back({*place, 0});
        function.outputNames.push_back(name);
    }
    if (request.fetchesAll)
        sortOutputs(function, own);
    return {};
}

/// Weights of a model that are read from its file when somebody asks for them, while somebody has them.
using DeferredWeights = std::vector<std::weak_ptr<support::DeferredMemory>>;

DeferredWeights deferredWeights(const graph::onnx::OnnxModel &model)
{
    DeferredWeights weights;
    for (const auto &[name, tensor] : model.initializers) {
        if (tensor.data->deferredMemory())
            weights.emplace_back(tensor.data->deferredMemory());
    }
    return weights;
}

/// Reads those that passes kept as they are.
void read(const DeferredWeights &weights)
{
    const auto done = support::inParallel(std::ssize(weights), [&](std::int64_t place) {
        if (const auto memory = weights[static_cast<std::size_t>(place)].lock())
            (void)memory->bytes();
        return Result<void>();
    });
    NW_ASSERT(done, "what goes wrong is thrown");
}

Result<ModelGraph> graphOf(const std::string &path, const ModelSettings &settings, const GraphRequest &asked)
{
    GraphRequest request = asked;
    support::tellPhase("reading");
    auto model = graph::onnx::readModel(path);
    if (!model)
        return fail(model.error());
    Sizes sizes = settings.sizes;
    std::optional<graph::DecodingRoles> decoding;
    if (request.decodingPlaces) {
        auto inputs = graph::onnx::decodingInputs(*model, *request.decodingPlaces);
        if (!inputs)
            return fail(inputs.error());
        decoding = std::move(inputs->roles);
        sizes.insert(inputs->sizes.begin(), inputs->sizes.end());
    }
    if (auto read = readFiles(*model, request); !read)
        return fail(read.error());
    if (auto checked = checkInputs(*model, sizes, request); !checked)
        return fail(checked.error());
    support::tellPhase("importing");
    auto imported = graph::onnx::importModel(*model, {sizes, request.data, request.sequences});
    const DeferredWeights weights = deferredWeights(*model);
    *model = {}; // weights that passes replace are not held twice
    if (!imported)
        return fail(imported.error());
    std::vector<std::string> outputs = imported->function.outputNames;
    if (auto done = fetch(imported->function, imported->sequences, request); !done)
        return fail(done.error());
    const graph::WeightFiles files(imported->function);
    auto optimized =
        graph::optimize(std::move(imported->function),
                        {settings.level, settings.required, settings.disabled, request.keepRecords,
                         request.stop, target::Context({}, settings.machine)});
    if (!optimized)
        return fail(optimized.error());
    read(weights);
    if (auto unchanged = files.check(); !unchanged)
        return fail(unchanged.error());
    return ModelGraph{std::move(optimized->function),
                      settings.machine,
                      std::move(optimized->records),
                      std::move(outputs),
                      std::move(imported->sequences),
                      dataOf(request),
                      std::move(imported->narrowInputs),
                      std::move(imported->narrowResults),
                      std::move(decoding),
                      std::move(imported->lateOutputs),
                      std::move(imported->labels)};
}

Sizes onnxSizes(const std::string &path)
{
    constexpr std::int64_t places = 128;
    const auto model = graph::onnx::readModel(path);
    if (!model)
        return {};
    Sizes sizes;
    for (const std::string &name : openSizes(*model, {}))
        sizes[name] = 1;
    if (const auto decoding = graph::onnx::decodingInputs(*model, places)) {
        for (const auto &[name, size] : decoding->sizes)
            sizes[name] = size;
    }
    return sizes;
}

std::vector<ModelOperator> onnxOperators()
{
    std::vector<ModelOperator> operators;
    const auto add = [&](const graph::onnx::OperatorName &name, std::string_view refusal) {
        operators.push_back({name.domain.empty() ? "ai.onnx" : name.domain, name.op,
                             graph::onnx::readVersions(name.domain), std::string(refusal)});
    };
    const std::vector<graph::onnx::OperatorName> imported = graph::onnx::importedOperators();
    for (const graph::onnx::OperatorName &name : imported)
        add(name, {});
    for (const auto &[name, reason] : graph::onnx::refusedOperators()) {
        if (!std::ranges::contains(imported, name)) // some only in forms that are told where one is met
            add(name, reason);
    }
    return operators;
}

} // namespace

const ModelForm &onnxForm()
{
    static constexpr ModelForm form{.extension = ".onnx",
                                    .tensorExtension = ".pb",
                                    .open = graphOf,
                                    .suggestedSizes = onnxSizes,
                                    .operators = onnxOperators,
                                    .readTensor = graph::onnx::readTensor,
                                    .writeTensor = graph::onnx::writeTensor};
    return form;
}

} // namespace nestwright::frontend
