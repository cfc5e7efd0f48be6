// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/onnx/calls.h"

#include "core/graph/equality.h"

#include <algorithm>
#include <map>
#include <set>

namespace nestwright::graph::onnx {

namespace {

/// Whether both compute the same with the same names.
bool sameFunction(const Function &a, const Function &b)
{
    const auto sameNode = [](const Node &x, const Node &y) {
        return x.kind == y.kind && x.name == y.name && x.op == y.op && x.attributes == y.attributes
               && x.function == y.function && sameData(x.data, y.data) && x.inputs == y.inputs
               && x.types == y.types;
    };
    return a.outputs == b.outputs && a.outputNames == b.outputNames
           && std::ranges::equal(a.nodes, b.nodes, sameNode);
}

/// A name as it is within the calls that `scope` names.
std::string nameWithin(const std::string &name, const std::string &scope)
{
    return !scope.empty() && name.starts_with(scope + '/') ? name.substr(scope.size() + 1) : name;
}

using Moved = std::map<Value, Value>;

class Folder {
public:
    Folder(const Function &flat, const std::vector<ImportedCall> &calls)
        : m_flat(flat)
        , m_calls(calls)
        , m_needed(flat.nodes.size())
    {
        for (const Value output : flat.outputs)
            m_needed[static_cast<std::size_t>(output.node)] = true;
        for (std::size_t i = flat.nodes.size(); i-- > 0;) {
            m_needed[i] = m_needed[i] || flat.nodes[i].kind == NodeKind::Input;
            for (const Value input : flat.nodes[i].inputs)
                m_needed[static_cast<std::size_t>(input.node)] =
                    m_needed[static_cast<std::size_t>(input.node)] || m_needed[i];
        }
    }

    Function run()
    {
        Function empty = m_flat;
        empty.nodes.clear();
        Builder builder(std::move(empty));
        Moved moved;
        fill(builder, moved, {0, static_cast<int>(m_flat.nodes.size())}, {});
        Values outputs;
        for (const Value output : m_flat.outputs)
            outputs.push_back(moved.at(output));
        return builder.finish(std::move(outputs), m_flat.outputNames);
    }

private:
    struct Places {
        int begin, end;
        bool contains(Value value) const { return begin <= value.node && value.node < end; }
    };

    bool isNeeded(int node) const { return m_needed[static_cast<std::size_t>(node)]; }
    bool beginsAt(int node) const { return m_next < m_calls.size() && m_calls[m_next].begin == node; }

    /// Adds the nodes at these places, with calls for those that calls gave.
    void fill(Builder &builder, Moved &moved, Places places, const std::string &scope)
    {
        for (int i = places.begin; i < places.end;) {
            while (beginsAt(i) && m_calls[m_next].end == i) // it gave no nodes
                ++m_next;
            if (beginsAt(i)) {
                const ImportedCall &call = m_calls[m_next++];
                addCall(builder, moved, call, scope);
                i = call.end;
                continue;
            }
            if (isNeeded(i))
                add(builder, moved, i, scope);
            ++i;
        }
    }

    void add(Builder &builder, Moved &moved, int place, const std::string &scope)
    {
        Node node = m_flat.at(place);
        node.name = nameWithin(node.name, scope);
        Values inputs;
        for (const Value input : node.inputs)
            inputs.push_back(moved.at(input));
        const int added = builder.copy(node, std::move(inputs));
        for (int k = 0; k < static_cast<int>(node.types.size()); ++k)
            moved[{place, k}] = {added, k};
    }

    /// The values that the needed nodes at these places read from outside.
    std::set<Value> readFromOutside(Places places) const
    {
        std::set<Value> read;
        for (int i = places.begin; i < places.end; ++i) {
            if (!isNeeded(i))
                continue;
            for (const Value input : m_flat.at(i).inputs) {
                if (!places.contains(input))
                    read.insert(input);
            }
        }
        return read;
    }

    void addCall(Builder &builder, Moved &moved, const ImportedCall &call, const std::string &scope)
    {
        const Places places{call.begin, call.end};
        Values results;
        std::vector<std::string> names;
        for (std::size_t k = 0; k < call.results.size(); ++k) {
            const Value result = call.results[k];
            if (places.contains(result) && isNeeded(result.node) && !std::ranges::contains(results, result)) {
                results.push_back(result);
                names.push_back(call.resultNames[k]);
            }
        }
        if (results.empty()) {
            while (m_next < m_calls.size() && m_calls[m_next].begin < call.end)
                ++m_next;
            return;
        }
        const std::set<Value> read = readFromOutside(places);
        Builder body(call.op);
        Moved inside;
        Node node;
        for (std::size_t k = 0; k < call.inputs.size(); ++k) {
            const Value input = call.inputs[k];
            if (!read.contains(input) || inside.contains(input))
                continue;
            inside[input] = body.input(call.inputNames[k], m_flat.typeOf(input));
            node.inputs.push_back(moved.at(input));
        }
        fill(body, inside, places, call.name);
        Values outputs;
        for (const Value result : results)
            outputs.push_back(inside.at(result));
        node.kind = NodeKind::Call;
        node.name = nameWithin(call.name, scope);
        node.function = shared(call.function, body.finish(std::move(outputs), std::move(names)));
        for (const Value output : node.function->outputs)
            node.types.push_back(node.function->typeOf(output));
        const int added = builder.add(std::move(node));
        for (std::size_t k = 0; k < results.size(); ++k)
            moved[results[k]] = {added, static_cast<int>(k)};
    }

    std::shared_ptr<const Function> shared(const OnnxFunction *function, Function made)
    {
        std::vector<std::shared_ptr<const Function>> &known = m_made[function];
        for (const auto &each : known) {
            if (sameFunction(*each, made))
                return each;
        }
        return known.emplace_back(std::make_shared<const Function>(std::move(made)));
    }

    const Function &m_flat;
    const std::vector<ImportedCall> &m_calls;
    std::vector<bool> m_needed;
    std::size_t m_next = 0; ///< of the calls
    std::map<const OnnxFunction *, std::vector<std::shared_ptr<const Function>>> m_made;
};

} // namespace

Function withCalls(const Function &flat, const std::vector<ImportedCall> &calls)
{
    return Folder(flat, calls).run();
}

} // namespace nestwright::graph::onnx
