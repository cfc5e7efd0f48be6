// SPDX-License-Identifier: Apache-2.0
/// Models in which attributes that have their usual value are written, as some exporters do for all.
#pragma once

#include "core/frontend/onnx/importer.h"
#include "core/graph/equality.h"

#include <QString>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <sstream>

namespace nestwright::tests {

using namespace graph::onnx;

/// Attributes by operator and the operator set from which on they have these values.
using DefaultAttributes = std::map<std::string, std::map<std::int64_t, OnnxNode::Attributes>>;

inline Attribute attributeOf(const std::string &text)
{
    if (!text.starts_with('[')) {
        std::istringstream number(text);
        if (text.find_first_of(".e") != std::string::npos) {
            if (double real = 0; number >> real && number.eof())
                return real;
        } else if (std::int64_t integer = 0; number >> integer && number.eof()) {
            return integer;
        }
        return text;
    }
    std::istringstream items(text.substr(1, text.size() - 2));
    std::vector<std::string> words;
    for (std::string word; std::getline(items, word, ',');)
        words.push_back(word);
    if (std::ranges::all_of(words, [](const std::string &word) { return std::isdigit(word[0]); })) {
        std::vector<std::int64_t> integers;
        for (const std::string &word : words)
            integers.push_back(std::stoll(word));
        return integers;
    }
    return words;
}

inline DefaultAttributes readDefaults()
{
    DefaultAttributes all;
    std::ifstream file("tests/core/graph/default_attributes.txt");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with('#'))
            continue;
        std::istringstream words(line);
        std::string op, word;
        std::int64_t since = 0;
        words >> op >> since;
        OnnxNode::Attributes &attributes = all[op][since];
        while (words >> word) {
            const std::size_t equals = word.find('=');
            attributes.emplace(word.substr(0, equals), attributeOf(word.substr(equals + 1)));
        }
    }
    return all;
}

/// The model with those attributes of ONNX's operators that its nodes leave out.
inline OnnxModel withDefaults(OnnxModel model)
{
    static const DefaultAttributes defaults = readDefaults();
    for (OnnxNode &node : model.nodes) {
        const auto found = defaults.find(node.op);
        if (!node.domain.empty() || found == defaults.end())
            continue;
        if (const auto next = found->second.upper_bound(model.opset); next != found->second.begin())
            node.attributes.insert(std::prev(next)->second.begin(), std::prev(next)->second.end());
    }
    return model;
}

/// Change of a model by writing them; empty where there is none.
inline QString changeByDefaults(const Imported &plain, const support::Result<Imported> &written)
{
    if (!written)
        return QString::fromStdString("refused: " + written.error().message);
    return structurallyEqual(plain.function, written->function) ? "" : "another graph";
}

} // namespace nestwright::tests
