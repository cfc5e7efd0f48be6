// SPDX-License-Identifier: Apache-2.0
/// Nodes that hold graphs which run several times: the graph has no loops, so that each turn is imported
/// behind the one before.
#include "core/frontend/onnx/late/late_node.h"
#include "core/frontend/onnx/model_import.h"
#include "core/frontend/onnx/node_fault.h"
#include "core/frontend/onnx/refused.h"
#include "core/graph/program/memory_plan.h"
#include "core/ir/exact_integers.h"

#include <algorithm>
#include <limits>

namespace nestwright::graph::onnx {

using support::UserError;

namespace {

std::vector<std::int64_t> listOf(const OnnxNode &node, const char *name, std::size_t count)
{
    const auto found = node.attributes.find(name);
    if (found == node.attributes.end())
        return std::vector<std::int64_t>(count);
    const auto *list = std::get_if<std::vector<std::int64_t>>(&found->second);
    if (!list || list->size() != count)
        wrong("onnx.attribute", node, std::format("\"{}\" must be {} integers", name, count));
    return *list;
}

/// Whether the loop's body gives the condition that it gets, so that only the number of turns ends it.
bool keepsCondition(const OnnxGraph &body)
{
    std::string name = body.outputs[0].name;
    for (std::size_t i = body.nodes.size(); i-- > 0;) {
        const OnnxNode &node = body.nodes[i];
        if (node.op == "Identity" && node.inputs.size() == 1 && std::ranges::contains(node.outputs, name))
            name = node.inputs[0];
    }
    return body.inputs.size() > 1 && name == body.inputs[1].name;
}

/// The result of one turn of a loop; none where it cannot be joined with others.
Value rowOf(const ImportedValue &named)
{
    return named.narrow.isNarrow() || named.texts ? Value{} : named.tensor();
}

} // namespace

/// The turns of a loop while they are imported, which may be known only when the model runs.
class ModelImport::Turns {
public:
    /// `count`: how many there are at most, unless a condition ends the loop before.
    Turns(LateNode &late, LateNumber count) : m_late(late), m_count(std::move(count)) {}

    bool isBounded() const { return m_count.high < std::numeric_limits<std::int64_t>::max(); }
    const LateNumber &count() const { return m_count; }
    /// Number of turns made.
    LateNumber made() const { return m_depends || m_count.isKnown() ? m_made : m_count; }
    bool ends() const { return m_ends || m_next >= m_count.high; }
    /// Whether the turn that was begun last is made; none: it is.
    Value isMade() const { return m_isMade; }

    void end() { m_ends = m_depends = true; }
    /// Turns from the next one on are made only where `condition` holds.
    void require(Value condition)
    {
        m_isMade = m_isMade ? m_late.node.call("logical_and", {m_isMade, condition}) : condition;
    }
    void requireUnknown(Value condition)
    {
        m_depends = true;
        require(m_late.node.reshape(m_late.node.cast(condition, ir::DataType::boolean()), {}));
    }
    /// Begins a turn, and returns its number.
    std::int64_t begin()
    {
        if (!m_count.isKnown() && m_next >= m_count.low) {
            const Value place = m_late.node.constant(integerArray({m_next}, {}));
            require(m_late.node.call("less", {place, m_count.value}));
        }
        LateNumber one{1, 1, {}};
        if (m_isMade)
            one = {0, 1, m_late.node.cast(m_isMade, ir::DataType::int64())};
        m_made = m_late.sum(m_made, one);
        return m_next++;
    }

private:
    LateNode &m_late;
    LateNumber m_count, m_made{0, 0, {}};
    Value m_isMade;
    std::int64_t m_next = 0;
    bool m_ends = false, m_depends = false; ///< m_depends: on a condition
};

/// Ends the loop where the condition is known to be false.
void ModelImport::goOn(const OnnxNode &node, Turns &turns, const ImportedValue &condition)
{
    const Value value = condition.tensor();
    const bool isOpen = value && !m_builder.isKnown(value) && turns.isBounded();
    if (isOpen && m_builder.typeOf(value).constantShape() && bytesOf(m_builder.typeOf(value)) == 1
        && !m_builder.dataOf(value))
        turns.requireUnknown(value);
    else if (!isTrue(node, condition))
        turns.end();
}

/// Carries values on behind a turn that may not be made.
void ModelImport::carry(const OnnxNode &node, const Turns &turns, std::vector<ImportedValue> &state,
                        const std::vector<ImportedValue> &results, std::size_t first)
{
    for (std::size_t i = 0; i < state.size(); ++i) {
        const ImportedValue &next = results[first + i];
        const bool isSame = next.values == state[i].values;
        auto kept = turns.isMade() && !isSame ? chosen(node, turns.isMade(), next, state[i]) : next;
        if (!kept)
            wrong("onnx.unsupported", node,
                  "how often it runs is known only when the model runs, and what it carries on changes its "
                  "type");
        state[i] = std::move(*kept);
    }
}

void ModelImport::addLoop(const OnnxNode &node)
{
    std::vector<ImportedValue> inputs = inputsOf(node);
    inputs.resize(std::max<std::size_t>(inputs.size(), 2));
    const OnnxGraph &body = graphOf(node, "body");
    const std::size_t carried = inputs.size() - 2;
    if (body.outputs.size() < carried + 1)
        wrong("onnx.input", node, std::format("its graph must have {} outputs or more", carried + 1));
    LateNumber count{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max(), {}};
    NodeImport import(m_builder, node, m_opset, {inputs[0].tensor()});
    static constexpr ImportRow none{};
    LateNode late(import, none, m_late);
    if (const Value given = inputs[0].tensor()) {
        if (!m_late.bounds(given) && !m_builder.dataOf(given))
            throw UserError(refusal(node, m_opset));
        count = late.larger(late.number(0), {0, 0, {}});
    }
    Turns turns(late, count);
    std::vector<ImportedValue> state(inputs.begin() + 2, inputs.end());
    std::vector<Values> rows(body.outputs.size() - 1 - carried);
    if (!inputs[1].values.empty())
        goOn(node, turns, inputs[1]);
    const std::size_t nodesOfTurn = body.nodes.size() + 1;
    const bool allTurns = keepsCondition(body);
    if (!turns.ends() && allTurns)
        countNodes(node, nodesOfTurn, count.high);
    const auto resultsOfTurn = [&](std::int64_t turn) {
        ir::NdArray yes(ir::DataType::boolean(), {});
        yes.set(0, 1);
        std::vector<ImportedValue> given{{{m_builder.constant(integerArray({turn}, {}))}},
                                         {{m_builder.constant(std::move(yes))}}};
        given.insert(given.end(), state.begin(), state.end());
        return resultsOf(node, body, given, std::format("{}/{}", node.label(), turn));
    };
    while (!turns.ends()) {
        if (!allTurns)
            countNodes(node, nodesOfTurn);
        const std::vector<ImportedValue> results = resultsOfTurn(turns.begin());
        carry(node, turns, state, results, 1);
        for (std::size_t i = 0; i < rows.size(); ++i)
            rows[i].push_back(rowOf(results[1 + carried + i]));
        goOn(node, turns, results[0]);
    }
    const bool isForTypes = turns.made().high == 0 && !rows.empty();
    const std::vector<ImportedValue> like = isForTypes ? resultsOfTurn(0) : std::vector<ImportedValue>();
    for (std::size_t i = 0; i < rows.size(); ++i)
        state.push_back(isForTypes ? noRows(node, rowOf(like[1 + carried + i]), 0)
                                   : joined(node, rows[i], 0, turns.made()));
    defineOutputs(node, state);
}

/// The rows of a loop that never runs.
ImportedValue ModelImport::noRows(const OnnxNode &node, Value like, std::int64_t axis)
{
    if (!like)
        wrong("onnx.unsupported", node,
              "the result of each turn must be a tensor, of no narrow type and no text");
    NodeImport import(m_builder, node, m_opset, {like});
    Ints shape = import.shape();
    shape.insert(shape.begin() + import.axis(axis, import.rank() + 1), 0);
    return {{import.constant(ir::NdArray(import.type().dtype, std::move(shape)))}};
}

/// Stacks the rows from the turns of a loop along a new axis (counted from the end where negative); `count`
/// of them were made.
ImportedValue ModelImport::joined(const OnnxNode &node, Values rows, std::int64_t axis,
                                  const LateNumber &count)
{
    if (rows.empty() || std::ranges::contains(rows, Value{}))
        wrong("onnx.unsupported", node,
              "the result of each turn must be a tensor, of no narrow type and no text");
    NodeImport import(m_builder, node, m_opset, rows);
    static constexpr ImportRow none{};
    LateNode late(import, none, m_late);
    const std::int64_t at = import.axis(axis, import.rank() + 1);
    LateSizes::Axes axes;
    for (std::int64_t own = 0; own < import.rank(); ++own) {
        std::vector<std::pair<Value *, std::int64_t>> places;
        for (Value &row : rows)
            places.emplace_back(&row, own);
        late.put(axes, own < at ? own : own + 1, late.common(places));
    }
    late.put(axes, at, count);
    const Value result = stacked(import, rows, at);
    late.set(result, axes);
    return {{result}};
}

/// Runs a Scan over `rows` side by side, as loops are run: the last state, and the results of the turns.
std::vector<ImportedValue> ModelImport::scanned(const OnnxNode &node, std::vector<ImportedValue> state,
                                                const std::vector<ImportedValue> &rows, const ScanForm &form)
{
    const OnnxGraph &body = graphOf(node, "body");
    NodeImport import(m_builder, node, m_opset, {});
    static constexpr ImportRow none{};
    LateNode late(import, none, m_late);
    std::vector<std::pair<Value *, std::int64_t>> places;
    Values tensors;
    for (const ImportedValue &row : rows)
        tensors.push_back(row.tensor());
    const auto axisOf = [&](std::size_t i) {
        return import.axis(form.axes[i], m_builder.rankOf(tensors[i]));
    };
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const LateNumber own = late.size(tensors[i], axisOf(i)), first = late.size(tensors[0], axisOf(0));
        if (own.isKnown() && first.isKnown() && own.low != first.low)
            wrong("onnx.shape", node, "the inputs that it goes through differ in length");
        places.emplace_back(&tensors[i], axisOf(i));
    }
    Turns turns(late, late.common(places));
    const std::int64_t most = turns.count().high;
    const bool isLate = !turns.count().isKnown();
    if (isLate
        && (std::ranges::count(form.backwards, 0) != std::ssize(form.backwards)
            || std::ranges::count(form.madeBackwards, 0) != std::ssize(form.madeBackwards)))
        wrong("onnx.unsupported", node,
              "it goes backwards from an end that is known only when the model runs");
    std::vector<Values> made(form.madeAxes.size());
    countNodes(node, body.nodes.size() + rows.size(), most);
    const auto resultsOfTurn = [&](std::int64_t turn) {
        std::vector<ImportedValue> given = state;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::int64_t place = form.backwards[i] != 0 ? most - 1 - turn : turn;
            Value tensor = tensors[i];
            if (most == 0) { // for the types only
                Ints shape = import.shapeOf(tensor);
                shape[static_cast<std::size_t>(axisOf(i))] = 1;
                tensor = import.constant(ir::NdArray(m_builder.typeOf(tensor).dtype, shape));
            }
            const Value part = import.part(tensor, axisOf(i), most == 0 ? 0 : place);
            LateSizes::Axes axes;
            for (const auto &[axis, count] : m_late.of(tensors[i])) {
                if (axis != axisOf(i))
                    axes[axis < axisOf(i) ? axis : axis - 1] = count;
            }
            late.set(part, axes);
            given.push_back({.values = {part}, .narrow = rows[i].narrow, .texts = rows[i].texts});
        }
        return resultsOf(node, body, given, std::format("{}/{}", node.label(), turn));
    };
    while (!turns.ends()) {
        const std::vector<ImportedValue> results = resultsOfTurn(turns.begin());
        for (std::size_t i = 0; i < made.size(); ++i)
            made[i].push_back(rowOf(results[state.size() + i]));
        carry(node, turns, state, results, 0);
    }
    const std::vector<ImportedValue> like =
        most == 0 && !made.empty() ? resultsOfTurn(0) : std::vector<ImportedValue>();
    const std::size_t carried = state.size();
    for (std::size_t i = 0; i < made.size(); ++i) {
        if (form.madeBackwards[i] != 0)
            std::ranges::reverse(made[i]);
        state.push_back(most == 0 ? noRows(node, rowOf(like[carried + i]), form.madeAxes[i])
                                  : joined(node, made[i], form.madeAxes[i], turns.made()));
    }
    return state;
}

/// Imports Scan. Before operator set 9 each sequence of a batch is scanned by itself, after an input of their
/// lengths.
void ModelImport::addScan(const OnnxNode &node)
{
    std::vector<ImportedValue> inputs = inputsOf(node);
    const OnnxGraph &body = graphOf(node, "body");
    const bool isBatch = m_opset < 9;
    if (isBatch && !inputs.empty()) {
        if (inputs[0].tensor())
            wrong("onnx.unsupported", node, "sequences of different lengths are not supported");
        inputs.erase(inputs.begin());
    }
    Values tensors;
    for (const ImportedValue &input : inputs)
        tensors.push_back(input.tensor());
    if (isBatch)
        requireKnownSizes(node, tensors);
    NodeImport import(m_builder, node, m_opset, tensors);
    const std::int64_t given = import.integer("num_scan_inputs", 0);
    if (given < 1 || given > static_cast<std::int64_t>(inputs.size()))
        wrong("onnx.unsupported", node, "num_scan_inputs must name one or more of its inputs");
    const auto count = static_cast<std::size_t>(given), carried = inputs.size() - count;
    if (body.outputs.size() < carried)
        wrong("onnx.input", node, std::format("its graph must have {} outputs or more", carried));
    const std::size_t made = body.outputs.size() - carried;
    const ScanForm form{listOf(node, "scan_input_axes", count),
                        listOf(node, isBatch ? "directions" : "scan_input_directions", count),
                        listOf(node, "scan_output_axes", made), listOf(node, "scan_output_directions", made)};
    const auto middle = inputs.begin() + static_cast<std::ptrdiff_t>(carried);
    if (!isBatch) {
        defineOutputs(node, scanned(node, {inputs.begin(), middle}, {middle, inputs.end()}, form));
        return;
    }
    std::vector<Values> results(body.outputs.size());
    for (std::int64_t sequence = 0; sequence < import.shape(inputs.size() - 1).at(0); ++sequence) {
        std::vector<ImportedValue> parts;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (import.rank(i) == 0 || sequence >= import.shape(i)[0])
                wrong("onnx.shape", node, "its inputs differ in the size of the batch");
            parts.push_back({.values = {import.part(import.input(i), 0, sequence)},
                             .narrow = inputs[i].narrow,
                             .texts = inputs[i].texts});
        }
        const auto behind = parts.begin() + static_cast<std::ptrdiff_t>(carried);
        const auto one = scanned(node, {parts.begin(), behind}, {behind, parts.end()}, form);
        for (std::size_t i = 0; i < results.size(); ++i)
            results[i].push_back(rowOf(one[i]));
    }
    std::vector<ImportedValue> joint;
    const std::int64_t sequences = import.shape(inputs.size() - 1).at(0);
    for (const Values &each : results)
        joint.push_back(joined(node, each, 0, {sequences, sequences, {}}));
    defineOutputs(node, joint);
}

/// Imports SequenceMap: the body runs once for each place of its sequences; other inputs are the same each
/// time.
void ModelImport::addSequenceMap(const OnnxNode &node)
{
    const std::vector<ImportedValue> inputs = inputsOf(node);
    const OnnxGraph &body = graphOf(node, "body");
    if (inputs.empty() || !inputs[0].isSequence)
        wrong("onnx.type", node, "its first input is no sequence of tensors");
    std::vector<ImportedValue> made(body.outputs.size(), ImportedValue{{}, true});
    for (std::size_t i = 0; i < inputs[0].values.size(); ++i) {
        countNodes(node, body.nodes.size());
        std::vector<ImportedValue> given;
        for (const ImportedValue &input : inputs) {
            if (input.isSequence && i >= input.values.size())
                wrong("onnx.shape", node, "its sequences differ in length");
            given.push_back(input.isSequence ? ImportedValue{{input.values[i]}, false, input.narrow} : input);
        }
        const auto results = resultsOf(node, body, given, std::format("{}/{}", node.label(), i));
        for (std::size_t k = 0; k < made.size(); ++k) {
            if (!results[k].tensor())
                wrong("onnx.type", node, "its graph must give tensors");
            made[k].values.push_back(results[k].tensor());
            made[k].narrow = results[k].narrow;
        }
    }
    defineOutputs(node, made);
}

} // namespace nestwright::graph::onnx
