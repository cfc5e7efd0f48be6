// SPDX-License-Identifier: Apache-2.0
/// RNN, GRU and LSTM of ONNX, unrolled over time. The inputs' contribution to the gates is one product for
/// all steps.
#include "core/frontend/onnx/integer_products.h"
#include "core/ir/build/builder.h"

#include <algorithm>
#include <format>

namespace nestwright::graph::onnx {

namespace {

constexpr std::int64_t longestSequence = 4096;

/// An activation as a node names it, with its parameters.
struct Activation {
    std::string name;
    double alpha = 0, beta = 0;
};

struct ActivationRow {
    std::string_view name, op;
    bool hasAlpha = false, hasBeta = false;
    double alpha = 0, beta = 0; ///< defaults
};

constexpr ActivationRow activationRows[] = {
    {"affine", "", true, true, 1, 0},
    {"elu", "nn.elu", true, false, 1},
    {"hardsigmoid", "nn.hard_sigmoid", true, true, 0.2, 0.5},
    {"leakyrelu", "nn.leaky_relu", true, false, 0.01},
    {"relu", "nn.relu"},
    {"scaledtanh", "tanh", true, true, 1, 1},
    {"sigmoid", "sigmoid"},
    {"softplus", "nn.softplus"},
    {"softsign", "nn.softsign"},
    {"tanh", "tanh"},
    {"thresholdedrelu", "nn.thresholded_relu", true, false, 1},
};

/// The steps of one node; `gates` matrices are stacked in its weights.
class Recurrence {
public:
    Recurrence(NodeImport &node, std::int64_t gates, std::vector<std::string> activations)
        : m_node(node)
        , m_gates(gates)
        , m_batchFirst(node.integer("layout", 0) != 0)
    {
        const Ints x = node.shape(0);
        Ints r = node.shape(2);
        if (isQuantized() && r.size() == 3)
            std::swap(r[1], r[2]);
        if (x.size() != 3 || r.size() != 3 || r[1] != gates * r[2])
            node.unsupported("the input and the weights must have three dimensions, of sizes that fit");
        m_steps = x[m_batchFirst ? 1 : 0];
        m_batch = x[m_batchFirst ? 0 : 1];
        m_hidden = r[2];
        node.requireOnly("hidden_size", m_hidden);
        node.accept({"output_sequence"}); // whether the first result is wanted, of operator sets before 7
        const std::string direction = node.text("direction", "forward");
        m_reversed = direction == "reverse"         ? std::vector{true}
                     : direction == "bidirectional" ? std::vector{false, true}
                                                    : std::vector{false};
        if (static_cast<std::int64_t>(m_reversed.size()) != r[0])
            node.unsupported(std::format("there are weights for {} directions", r[0]));
        if (m_steps < 1 || m_steps > longestSequence)
            node.unsupported(std::format("only sequences of 1 to {} steps are supported", longestSequence));
        readActivations(std::move(activations));
        m_input = m_batchFirst ? node.transpose(node.input(), {1, 0, 2}) : node.input();
        readLengths();
    }
    virtual ~Recurrence() = default;
    Recurrence(const Recurrence &) = delete;
    Recurrence &operator=(const Recurrence &) = delete;

    /// The states of all steps, and the last states.
    Values run()
    {
        Values all;
        std::vector<Values> last(2);
        for (std::size_t d = 0; d < m_reversed.size(); ++d) {
            Values state = runDirection(d, all);
            for (std::size_t i = 0; i < state.size(); ++i)
                last[i].push_back(m_node.reshape(state[i], {1, m_batch, m_hidden}));
        }
        const auto joined = [&](Values parts, std::int64_t axis, Ints order) {
            if (parts.empty())
                return Value{};
            const Value whole =
                parts.size() == 1 ? parts[0] : m_node.call("concatenate", std::move(parts), {{"axis", axis}});
            return m_batchFirst ? m_node.transpose(whole, std::move(order)) : whole;
        };
        return {joined(std::move(all), 1, {2, 0, 1, 3}), joined(std::move(last[0]), 0, {1, 0, 2}),
                joined(std::move(last[1]), 0, {1, 0, 2})};
    }

protected:
    /// The inputs' contribution to the gates at one step; by gate.
    struct Step {
        Value inputs;
        std::size_t direction = 0;
    };

    /// The next state; the first value is the one that the node's first result holds.
    virtual Values next(const Step &step, const Values &state) = 0;
    /// Gates whose bias of the state is not added to the inputs' contribution.
    virtual bool keepsStateBias(std::int64_t gate) const { return static_cast<void>(gate), false; }
    /// Inputs of the node that hold the first state.
    virtual std::vector<std::size_t> stateInputs() const { return {5}; }

    Value call(std::string_view op, Values inputs, ops::Attributes attributes = {})
    {
        return m_node.call(op, std::move(inputs), std::move(attributes));
    }
    Value add(Value a, Value b) { return call("add", {a, b}); }
    Value multiply(Value a, Value b) { return call("multiply", {a, b}); }
    Value oneLess(Value x) { return call("subtract", {m_node.scalarLike(1, x), x}); }
    NodeImport &node() { return m_node; }

    /// Columns of gate `i` among those of all gates.
    Value gate(Value columns, std::int64_t i, std::int64_t count = 1)
    {
        return call("strided_slice", {columns},
                    {{"begin", Ints{i * m_hidden}},
                     {"end", Ints{(i + count) * m_hidden}},
                     {"axes", Ints{1}},
                     {"strides", Ints{1}}});
    }

    /// The state's product with the weights of `count` gates from `first` on.
    Value recurrent(std::size_t direction, Value state, std::int64_t first, std::int64_t count)
    {
        return product(state, 2, direction, first, count);
    }

    /// The product of rows of `x` with the weights of gates, which input 1 or 2 holds.
    Value product(Value x, std::size_t weights, std::size_t direction, std::int64_t first, std::int64_t count)
    {
        if (isQuantized())
            return productWithGates(m_node, x, weights, direction, first * m_hidden,
                                    (first + count) * m_hidden);
        const Value rows = part(m_node.input(weights), direction, first, count);
        return call("nn.matmul", {x, m_node.reshape(rows, {count * m_hidden, -1})}, {{"transpose_b", true}});
    }

    /// Rows of gates [first, first + count) of a direction.
    Value part(Value stacked, std::size_t direction, std::int64_t first, std::int64_t count)
    {
        const auto d = static_cast<std::int64_t>(direction);
        const auto key = std::tuple{stacked.node, d, first, count};
        const auto found = m_parts.find(key);
        if (found != m_parts.end())
            return found->second;
        const Value rows = call("strided_slice", {stacked},
                                {{"begin", Ints{d, first * m_hidden}},
                                 {"end", Ints{d + 1, (first + count) * m_hidden}},
                                 {"axes", Ints{0, 1}},
                                 {"strides", Ints{1, 1}}});
        return m_parts.emplace(key, rows).first->second;
    }

    /// Bias of the state for one gate, or nothing.
    Value stateBias(std::size_t direction, std::int64_t gate)
    {
        return m_node.has(3) ? part(m_node.input(3), direction, m_gates + gate, 1) : Value{};
    }

    /// Activation number `i` of the direction, after clipping its input.
    Value activated(std::size_t direction, std::size_t i, Value x, bool clips = true)
    {
        const double limit = m_node.real("clip", 0);
        if (limit > 0 && clips) {
            x = call("maximum", {x, m_node.scalarLike(-limit, x)});
            x = call("minimum", {x, m_node.scalarLike(limit, x)});
        }
        const Activation &f = m_activations[direction * m_activations.size() / m_reversed.size() + i];
        const auto row = std::ranges::find(activationRows, f.name, &ActivationRow::name);
        if (f.name == "affine")
            return add(multiply(x, m_node.scalarLike(f.alpha, x)), m_node.scalarLike(f.beta, x));
        if (f.name == "scaledtanh") {
            const Value y = call("tanh", {multiply(x, m_node.scalarLike(f.beta, x))});
            return multiply(y, m_node.scalarLike(f.alpha, x));
        }
        ops::Attributes attributes;
        if (row->hasAlpha)
            attributes["alpha"] = f.alpha;
        if (row->hasBeta)
            attributes["beta"] = f.beta;
        return call(row->op, {x}, attributes);
    }

private:
    /// Whether weights are integers, with a column for each gate's value.
    bool isQuantized() const { return m_node.node().op == "DynamicQuantizeLSTM"; }

    void readActivations(std::vector<std::string> defaults)
    {
        std::vector<std::string> names = m_node.texts("activations");
        if (names.empty()) {
            for (std::size_t d = 0; d < m_reversed.size(); ++d)
                names.insert(names.end(), defaults.begin(), defaults.end());
        }
        if (names.size() > defaults.size() * m_reversed.size()) // one direction, but the usual value for two
            names.resize(defaults.size() * m_reversed.size());
        if (names.size() != defaults.size() * m_reversed.size())
            m_node.unsupported(
                std::format("there must be {} activations", defaults.size() * m_reversed.size()));
        const std::vector<double> alphas = m_node.reals("activation_alpha"),
                                  betas = m_node.reals("activation_beta");
        std::size_t alpha = 0, beta = 0;
        for (std::string name : names) {
            std::ranges::transform(name, name.begin(), [](char c) {
                return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
            });
            const auto row = std::ranges::find(activationRows, name, &ActivationRow::name);
            if (row == std::end(activationRows))
                m_node.unsupported(std::format("there is no activation \"{}\"", name));
            Activation found{name, row->alpha, row->beta};
            if (row->hasAlpha && alpha < alphas.size())
                found.alpha = alphas[alpha++];
            if (row->hasBeta && beta < betas.size())
                found.beta = betas[beta++];
            m_activations.push_back(std::move(found));
        }
    }

    /// For each step and sequence whether the sequence is that long; nothing where all are known to be.
    void readLengths()
    {
        if (!m_node.has(4))
            return;
        const Node &lengths = m_node.builder().function().at(m_node.input(4));
        if (lengths.isConstant()) {
            bool full = true;
            for (std::int64_t i = 0; i < lengths.data->size(); ++i)
                full = full && lengths.data->at(i) >= static_cast<double>(m_steps);
            if (full)
                return;
        }
        ir::NdArray steps(ir::DataType::int32(), {m_steps, 1, 1});
        for (std::int64_t t = 0; t < m_steps; ++t)
            steps.set(t, static_cast<double>(t));
        const Value counted = m_node.reshape(m_node.cast(m_node.input(4), ir::DataType::int32()), {1, -1, 1});
        m_within = call("less", {m_node.constant(std::move(steps)), counted});
    }

    /// Row `t` of a tensor with a row for each step, without that dimension.
    Value atStep(Value rows, std::int64_t t, std::int64_t width)
    {
        const Value row =
            call("strided_slice", {rows},
                 {{"begin", Ints{t}}, {"end", Ints{t + 1}}, {"axes", Ints{0}}, {"strides", Ints{1}}});
        return m_node.reshape(row, {m_batch, width});
    }

    /// The contribution of inputs and biases at all steps.
    Value contributions(std::size_t direction)
    {
        Value all = product(m_input, 1, direction, 0, m_gates);
        if (!m_node.has(3))
            return all;
        Values biases;
        for (std::int64_t g = 0; g < m_gates; ++g) {
            const Value own = part(m_node.input(3), direction, g, 1);
            biases.push_back(keepsStateBias(g) ? own : add(own, stateBias(direction, g)));
        }
        return add(all,
                   biases.size() == 1 ? biases[0] : call("concatenate", biases, {{"axis", std::int64_t{1}}}));
    }

    Values firstState(std::size_t direction)
    {
        Values state;
        for (const std::size_t input : stateInputs()) {
            if (!m_node.has(input)) {
                state.push_back(call("broadcast_to", {m_node.scalarLike(0, m_input)},
                                     {{"shape", Ints{m_batch, m_hidden}}}));
                continue;
            }
            const auto d = static_cast<std::int64_t>(direction);
            const Value one = call("strided_slice", {m_node.input(input)},
                                   {{"begin", Ints{d}},
                                    {"end", Ints{d + 1}},
                                    {"axes", Ints{m_batchFirst ? 1 : 0}},
                                    {"strides", Ints{1}}});
            state.push_back(m_node.reshape(one, {m_batch, m_hidden}));
        }
        return state;
    }

    /// Gives the last state, and adds the states of all steps to `all`.
    Values runDirection(std::size_t direction, Values &all)
    {
        const Value inputs = contributions(direction);
        Values state = firstState(direction), states(static_cast<std::size_t>(m_steps));
        for (std::int64_t i = 0; i < m_steps; ++i) {
            const std::int64_t t = m_reversed[direction] ? m_steps - 1 - i : i;
            Values found = next({atStep(inputs, t, m_gates * m_hidden), direction}, state);
            Value shown = found[0];
            if (m_within) {
                const Value within = atStep(m_within, t, 1);
                for (std::size_t k = 0; k < found.size(); ++k)
                    found[k] = call("where", {within, found[k], state[k]});
                shown = call("where", {within, shown, m_node.scalarLike(0, shown)});
            }
            state = std::move(found);
            if (m_node.wantsOutput(0))
                states[static_cast<std::size_t>(t)] = m_node.reshape(shown, {1, 1, m_batch, m_hidden});
        }
        if (m_node.wantsOutput(0))
            all.push_back(m_steps == 1 ? states[0]
                                       : call("concatenate", std::move(states), {{"axis", std::int64_t{0}}}));
        return state;
    }

    NodeImport &m_node;
    std::int64_t m_gates;
    bool m_batchFirst;
    std::int64_t m_steps = 0, m_batch = 0, m_hidden = 0;
    std::vector<bool> m_reversed; ///< per direction
    std::vector<Activation> m_activations;
    Value m_input, m_within;
    std::map<std::tuple<int, std::int64_t, std::int64_t, std::int64_t>, Value> m_parts;
};

class Rnn : public Recurrence {
public:
    explicit Rnn(NodeImport &node) : Recurrence(node, 1, {"tanh"}) {}

private:
    Values next(const Step &step, const Values &state) override
    {
        const Value sum = add(step.inputs, recurrent(step.direction, state[0], 0, 1));
        return {activated(step.direction, 0, sum)};
    }
};

/// Gates: update, reset, candidate.
class Gru : public Recurrence {
public:
    explicit Gru(NodeImport &node)
        : Recurrence(node, 3, {"sigmoid", "tanh"})
        , m_resetLast(node.integer("linear_before_reset", 0) != 0)
    {
    }

private:
    bool keepsStateBias(std::int64_t gate) const override { return m_resetLast && gate == 2; }

    Values next(const Step &step, const Values &state) override
    {
        const std::size_t d = step.direction;
        const Value both = add(gate(step.inputs, 0, 2), recurrent(d, state[0], 0, 2));
        const Value open = activated(d, 0, both);
        const Value update = gate(open, 0), reset = gate(open, 1);
        Value carried;
        if (m_resetLast) {
            carried = recurrent(d, state[0], 2, 1);
            if (const Value bias = stateBias(d, 2))
                carried = add(carried, bias);
            carried = multiply(reset, carried);
        } else {
            carried = recurrent(d, multiply(reset, state[0]), 2, 1);
        }
        const Value candidate = activated(d, 1, add(gate(step.inputs, 2), carried));
        return {add(multiply(oneLess(update), candidate), multiply(update, state[0]))};
    }

    bool m_resetLast;
};

/// Gates: input, output, forget, candidate.
class Lstm : public Recurrence {
public:
    explicit Lstm(NodeImport &node) : Recurrence(node, 4, {"sigmoid", "tanh", "tanh"}) {}

private:
    std::vector<std::size_t> stateInputs() const override { return {5, 6}; }

    /// Adds the peephole of the cell to a gate.
    Value peeped(Value sum, std::size_t direction, std::int64_t weights, Value cell)
    {
        return node().has(7) ? add(sum, multiply(part(node().input(7), direction, weights, 1), cell)) : sum;
    }

    Values next(const Step &step, const Values &state) override
    {
        const std::size_t d = step.direction;
        const Value sums = add(step.inputs, recurrent(d, state[0], 0, 4)), cell = state[1];
        const Value in = activated(d, 0, peeped(gate(sums, 0), d, 0, cell));
        const Value forget = node().integer("input_forget", 0) != 0
                                 ? oneLess(in)
                                 : activated(d, 0, peeped(gate(sums, 2), d, 2, cell));
        const Value candidate = activated(d, 1, gate(sums, 3));
        const Value now = add(multiply(forget, cell), multiply(in, candidate));
        const Value out = activated(d, 0, peeped(gate(sums, 1), d, 1, now));
        return {multiply(out, activated(d, 2, now, false)), now};
    }
};

template <class Kind> Values recurrent(NodeImport &node) { return Kind(node).run(); }

constexpr ImportRow recurrentRows[] = {
    {"GRU", &recurrent<Gru>},
    {"LSTM", &recurrent<Lstm>},
    {"RNN", &recurrent<Rnn>},
};

} // namespace

Values quantizedLstm(NodeImport &node) { return Lstm(node).run(); }

std::span<const ImportRow> recurrentImports() { return recurrentRows; }

} // namespace nestwright::graph::onnx
