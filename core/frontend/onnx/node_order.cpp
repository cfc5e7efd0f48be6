// SPDX-License-Identifier: Apache-2.0
/// ONNX wants nodes to stand in the order in which they run. Not all tools keep to that, and ONNX Runtime
/// takes any order.
#include "core/frontend/onnx/model_import.h"

#include <functional>
#include <set>

namespace nestwright::graph::onnx {

namespace {

/// Names that the graph gives values itself.
std::set<std::string> definedIn(const OnnxGraph &graph)
{
    std::set<std::string> names;
    for (const OnnxValue &input : graph.inputs)
        names.insert(input.name);
    for (const auto &[name, weight] : graph.initializers)
        names.insert(name);
    for (const OnnxNode &node : graph.nodes)
        names.insert(node.outputs.begin(), node.outputs.end());
    return names;
}

/// Calls `read` with each name that the node or a graph within it reads from around it.
void forEachRead(const OnnxNode &node, const std::function<void(const std::string &)> &read)
{
    for (const std::string &input : node.inputs)
        read(input);
    for (const auto &[name, value] : node.attributes) {
        const auto *graph = std::get_if<std::shared_ptr<const OnnxGraph>>(&value);
        if (!graph)
            continue;
        const std::set<std::string> own = definedIn(**graph);
        const auto readOutside = [&](const std::string &used) {
            if (!own.contains(used))
                read(used);
        };
        for (const OnnxNode &inner : (*graph)->nodes)
            forEachRead(inner, readOutside);
        for (const OnnxValue &output : (*graph)->outputs)
            readOutside(output.name);
    }
}

} // namespace

std::vector<const OnnxNode *> inOrder(const std::vector<OnnxNode> &nodes)
{
    std::unordered_map<std::string, std::size_t> madeBy;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (const std::string &output : nodes[i].outputs)
            madeBy.emplace(output, i);
    }
    std::vector<std::vector<std::size_t>> readers(nodes.size());
    std::vector<std::size_t> waitsFor(nodes.size());
    bool ordered = true;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        forEachRead(nodes[i], [&](const std::string &name) {
            const auto found = madeBy.find(name);
            if (name.empty() || found == madeBy.end())
                return;
            readers[found->second].push_back(i);
            ++waitsFor[i];
            ordered = ordered && found->second < i;
        });
    }
    std::vector<const OnnxNode *> result;
    if (ordered) {
        for (const OnnxNode &node : nodes)
            result.push_back(&node);
        return result;
    }
    std::set<std::size_t> ready; // the first of them is next
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (waitsFor[i] == 0)
            ready.insert(i);
    }
    std::vector<bool> taken(nodes.size());
    while (!ready.empty()) {
        const std::size_t next = *ready.begin();
        ready.erase(ready.begin());
        taken[next] = true;
        result.push_back(&nodes[next]);
        for (const std::size_t reader : readers[next]) {
            if (--waitsFor[reader] == 0)
                ready.insert(reader);
        }
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!taken[i])
            result.push_back(&nodes[i]);
    }
    return result;
}

} // namespace nestwright::graph::onnx
