// SPDX-License-Identifier: Apache-2.0
#include "core/graph/onnx/importer.h"

#include "core/graph/onnx/calls.h"
#include "core/graph/onnx/refused.h"
#include "core/ir/builder.h"
#include "core/ops/tensor/shapes.h"
#include "core/support/errors.h"

#include <algorithm>
#include <format>
#include <unordered_map>

namespace nestwright::graph::onnx {

using support::diagnostic;
using support::fail;
using support::Result;
using support::ScheduleError;

namespace {

constexpr std::int64_t mostElements = (std::int64_t{1} << 31) - 1;
constexpr std::size_t mostNodesOfCalls = 200'000, deepestCall = 500;

const std::unordered_map<std::string_view, const ImportRow *> &importTable()
{
    static const auto table = [] {
        std::unordered_map<std::string_view, const ImportRow *> rows;
        for (const auto family :
             {elementwiseImports(), shapeImports(), constantImports(), indexImports(), reductionImports(),
              contractionImports(), windowImports(), normalizationImports(), resizeImports(),
              quantizationImports(), imageImports(), recurrentImports(), signalImports(), selectionImports(),
              einsumImports()}) {
            for (const ImportRow &row : family)
                rows.emplace(row.op, &row);
        }
        return rows;
    }();
    return table;
}

using Attributes = std::map<std::string, Attribute, std::less<>>;

/// A node of a function as it is where the function is called with these attributes.
OnnxNode bound(const OnnxNode &node, const Attributes &given)
{
    OnnxNode result = node;
    result.attributes.clear();
    for (const auto &[name, value] : node.attributes) {
        if (const auto *reference = std::get_if<AttributeReference>(&value)) {
            if (const auto found = given.find(reference->name); found != given.end())
                result.attributes.emplace(name, found->second);
        } else if (const auto *graph = std::get_if<std::shared_ptr<const OnnxGraph>>(&value)) {
            auto branch = std::make_shared<OnnxGraph>(**graph);
            for (OnnxNode &inner : branch->nodes)
                inner = bound(inner, given);
            result.attributes.emplace(name, std::shared_ptr<const OnnxGraph>(std::move(branch)));
        } else {
            result.attributes.emplace(name, value);
        }
    }
    return result;
}

class Importer {
public:
    Importer(const OnnxModel &model, const ImportOptions &options)
        : m_model(model)
        , m_options(options)
        , m_opset(model.opset)
    {
    }

    Imported run()
    {
        for (const OnnxValue &input : m_model.inputs)
            addInput(input);
        for (const OnnxNode &node : m_model.nodes)
            addNode(node);
        Values outputs;
        std::vector<std::string> names;
        for (const OnnxValue &output : m_model.outputs) {
            outputs.push_back(valueOf(output.name, "the model's outputs"));
            if (!outputs.back())
                throw ScheduleError(diagnostic("onnx.value", "an output of the model has no name"));
            names.push_back(output.name);
        }
        if (outputs.empty())
            throw ScheduleError(diagnostic("onnx.value", "the model has no outputs"));
        Function flat = m_builder.function();
        flat.outputs = std::move(outputs);
        flat.outputNames = std::move(names);
        Imported imported{withCalls(flat, m_imported), m_builder.fixedInputs(), {}};
        for (const auto &[name, var] : m_symbols)
            imported.symbolicSizes.push_back(name);
        return imported;
    }

private:
    void define(const std::string &name, Value value)
    {
        if (!m_values.emplace(name, value).second)
            throw ScheduleError(
                diagnostic("onnx.value", std::format("the value \"{}\" is defined twice", name)));
        m_defined.push_back(name);
    }

    ir::Expr sizeOf(const std::variant<std::int64_t, std::string> &dim, const OnnxValue &input, std::size_t i)
    {
        if (const auto *constant = std::get_if<std::int64_t>(&dim)) {
            if (*constant < 0 || *constant > mostElements)
                throw ScheduleError(
                    diagnostic("onnx.shape",
                               std::format("the input \"{}\" has a dimension of {}", input.name, *constant)));
            return ops::dimension(*constant);
        }
        const auto &name = std::get<std::string>(dim);
        if (const auto given = m_options.sizes.find(name); given != m_options.sizes.end())
            return ops::dimension(given->second);
        if (const auto data = m_options.data.find(input.name);
            data != m_options.data.end() && i < data->second->shape().size())
            return ops::dimension(data->second->shape()[i]);
        const auto found = m_symbols.try_emplace(name, name, ir::DataType::int32());
        return found.first->second;
    }

    void addInput(const OnnxValue &input)
    {
        if (!input.otherType.empty()) {
            throw ScheduleError(
                diagnostic("onnx.type", std::format("the input \"{}\" is a {}, which is not supported",
                                                    input.name, input.otherType)));
        }
        const auto data = m_options.data.find(input.name);
        TensorType type{{}, input.dtype};
        if (input.hasShape) {
            for (std::size_t i = 0; i < input.shape.size(); ++i)
                type.shape.push_back(sizeOf(input.shape[i], input, i));
        } else if (data != m_options.data.end()) {
            type.shape = ops::shapeOf(data->second->shape());
        } else {
            throw ScheduleError(
                diagnostic("onnx.type", std::format("the input \"{}\" has no stated shape", input.name))
                    .withHint("export the model with the shapes of its inputs"));
        }
        double elements = 1;
        for (const std::int64_t size : type.constantShape().value_or(std::vector<std::int64_t>()))
            elements *= static_cast<double>(size);
        if (elements > static_cast<double>(mostElements))
            throw ScheduleError(
                diagnostic("onnx.shape", std::format("the input \"{}\", {}, has 2^31 elements or more",
                                                     input.name, type.str())));
        const Value value = m_builder.input(input.name, type);
        if (data != m_options.data.end()) {
            const TensorType given{ops::shapeOf(data->second->shape()), data->second->dtype()};
            if (!(given == type)) {
                throw ScheduleError(
                    diagnostic("onnx.shape", std::format("the input \"{}\" is {}, but {} is given",
                                                         input.name, type.str(), given.str())));
            }
            m_builder.assume(value, data->second);
        }
        define(input.name, value);
    }

    Value valueOf(const std::string &name, const std::string &reader)
    {
        if (name.empty())
            return {};
        if (const auto found = m_values.find(name); found != m_values.end())
            return found->second;
        const auto weight = m_model.initializers.find(name);
        if (weight != m_model.initializers.end() && m_calls.empty()) {
            const Value value = m_builder.constant(weight->second, name);
            m_values.emplace(name, value);
            return value;
        }
        throw ScheduleError(
            diagnostic("onnx.value",
                       std::format("{}: nothing before it gives the value \"{}\"", reader, name))
                .withHint("nodes must stand in the order in which they run"));
    }

    const OnnxGraph &branchOf(const OnnxNode &node, const char *name)
    {
        const auto found = node.attributes.find(name);
        const auto *graph = found == node.attributes.end()
                                ? nullptr
                                : std::get_if<std::shared_ptr<const OnnxGraph>>(&found->second);
        if (!graph)
            throw ScheduleError(
                diagnostic("onnx.attribute", std::format("{}: it has no graph \"{}\"", node.str(), name)));
        return **graph;
    }

    /// The nodes of the branch that is taken, which must be known now. What they name is not seen outside.
    void addTaken(const OnnxNode &node)
    {
        const Value condition = valueOf(node.inputs.empty() ? std::string() : node.inputs[0], node.str());
        const Data known = condition ? m_builder.dataOf(condition) : nullptr;
        if (!known || known->size() != 1)
            throw ScheduleError(refusal(node, m_opset));
        const OnnxGraph &branch = branchOf(node, known->at(0) != 0 ? "then_branch" : "else_branch");
        std::vector<std::string> outside;
        std::swap(outside, m_defined);
        for (const auto &[name, weight] : branch.initializers)
            define(name, m_builder.constant(weight, name));
        for (const OnnxNode &inner : branch.nodes)
            addNode(inner);
        Values results;
        for (const OnnxValue &output : branch.outputs)
            results.push_back(valueOf(output.name, node.str()));
        for (const std::string &name : m_defined)
            m_values.erase(name);
        m_defined = std::move(outside);
        defineOutputs(node, results);
    }

    /// The nodes of a function of the model. They see its inputs only, and nothing sees what they name.
    void addCall(const OnnxNode &node, const OnnxFunction &function)
    {
        const auto refuse = [&](const std::string &why) {
            throw ScheduleError(diagnostic("onnx.function", std::format("{}: {}", node.str(), why)));
        };
        if (std::ranges::contains(m_calls, &function))
            refuse("the function calls itself");
        if (node.inputs.size() > function.inputs.size())
            refuse(std::format("the function has {} inputs, {} are given", function.inputs.size(),
                               node.inputs.size()));
        m_nodesOfCalls += function.nodes.size();
        if (m_nodesOfCalls > mostNodesOfCalls || m_calls.size() >= deepestCall)
            refuse("functions that call functions give too many nodes");

        std::unordered_map<std::string, Value> values;
        ImportedCall call{&function, node.op, node.name};
        for (std::size_t i = 0; i < function.inputs.size(); ++i) {
            call.inputs.push_back(i < node.inputs.size() ? valueOf(node.inputs[i], node.str()) : Value{});
            values[function.inputs[i]] = call.inputs.back();
        }
        Attributes attributes = function.defaults;
        for (const auto &[name, value] : node.attributes)
            attributes.insert_or_assign(name, value);
        std::vector<std::string> defined;
        std::int64_t opset = function.opset;
        const auto exchange = [&] {
            std::swap(values, m_values);
            std::swap(defined, m_defined);
            std::swap(opset, m_opset);
        };
        exchange();
        m_calls.push_back(&function);
        call.begin = static_cast<int>(m_builder.function().nodes.size());
        const std::size_t number = m_imported.size();
        m_imported.push_back(call);
        for (const OnnxNode &inner : function.nodes) {
            OnnxNode copy = bound(inner, attributes);
            if (!node.name.empty())
                copy.name = node.name + "/" + copy.label();
            addNode(copy);
        }
        Values results;
        for (const std::string &output : function.outputs)
            results.push_back(valueOf(output, node.str()));
        m_imported[number].results = results;
        m_imported[number].end = static_cast<int>(m_builder.function().nodes.size());
        m_calls.pop_back();
        exchange();
        defineOutputs(node, results);
    }

    void addNode(const OnnxNode &node)
    {
        if (const auto function = m_model.functions.find(node.key()); function != m_model.functions.end()) {
            addCall(node, function->second);
            return;
        }
        if (node.op == "If" && node.domain.empty()) {
            addTaken(node);
            return;
        }
        const ImportRow *row = nullptr;
        if (node.domain.empty()) {
            const auto found = importTable().find(node.op);
            row = found == importTable().end() ? nullptr : found->second;
        }
        if (!row)
            throw ScheduleError(refusal(node, m_opset));
        Values inputs;
        for (const std::string &input : node.inputs)
            inputs.push_back(valueOf(input, node.str()));
        NodeImport import(m_builder, node, m_opset, std::move(inputs));
        Values results;
        try {
            results = row->import(import);
        } catch (const ScheduleError &error) {
            support::Diagnostic told = error.diagnostic();
            told.message = std::format("{}: {}", node.str(), told.message);
            throw ScheduleError(std::move(told));
        }
        defineOutputs(node, results);
    }

    void defineOutputs(const OnnxNode &node, const Values &results)
    {
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i].empty())
                continue;
            if (i >= results.size() || !results[i])
                throw ScheduleError(diagnostic(
                    "onnx.unsupported", std::format("{}: its result {} is not supported", node.str(), i)));
            define(node.outputs[i], results[i]);
        }
    }

    const OnnxModel &m_model;
    const ImportOptions &m_options;
    Builder m_builder;
    std::unordered_map<std::string, Value> m_values;
    std::vector<std::string> m_defined; ///< names that the branch (or the model) being added defined
    std::map<std::string, ir::Var> m_symbols;
    std::int64_t m_opset;                      ///< of the model, or of the function that is being added
    std::vector<const OnnxFunction *> m_calls; ///< functions whose nodes are being added, outermost first
    std::vector<ImportedCall> m_imported;
    std::size_t m_nodesOfCalls = 0;
};

} // namespace

Result<Imported> importModel(const OnnxModel &model, const ImportOptions &options)
{
    try {
        return Importer(model, options).run();
    } catch (const ScheduleError &error) {
        return fail(error.diagnostic());
    }
}

std::vector<std::string_view> importedOperators()
{
    std::vector<std::string_view> names;
    for (const auto &[name, row] : importTable())
        names.push_back(name);
    std::ranges::sort(names);
    return names;
}

} // namespace nestwright::graph::onnx
