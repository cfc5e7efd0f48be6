// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/onnx/decoding_inputs.h"

#include "core/support/errors/errors.h"

#include <algorithm>
#include <format>

namespace nestwright::graph::onnx {

using support::diagnostic;
using support::fail;
using support::Result;
using support::UserError;

namespace {

[[noreturn]] void wrong(std::string what)
{
    throw UserError(
        diagnostic("decoding.inputs", std::move(what))
            .withHint(
                "a model that generates token by token has tokens, an attention mask, and past keys and "
                "values as inputs, and present ones as outputs"));
}

class Finder {
public:
    Finder(const OnnxModel &model, std::int64_t places) : m_model(model) { m_found.roles.places = places; }

    DecodingInputs run()
    {
        findCaches();
        for (const OnnxValue &input : m_model.inputs)
            give(input);
        DecodingRoles &roles = m_found.roles;
        roles.inOrder =
            std::ranges::contains(m_model.nodes, "com.microsoft:GroupQueryAttention", &OnnxNode::key);
        if (roles.tokens.empty())
            wrong("the model has no input of tokens");
        if (roles.mask.empty())
            wrong("the model has no attention mask, which keeps it from places that no token has taken yet");
        for (const OnnxValue &output : m_model.outputs) {
            const bool isCache =
                std::ranges::contains(roles.caches, output.name, &DecodingRoles::Cache::output);
            if (roles.logits.empty() && !isCache && output.dtype.isFloating())
                roles.logits = output.name;
        }
        if (roles.logits.empty())
            wrong("the model has no output of numbers for each token");
        return std::move(m_found);
    }

private:
    static bool isPast(const OnnxValue &value)
    {
        return value.name.contains("past") && value.shape.size() >= 3;
    }
    static bool isPresent(const OnnxValue &value)
    {
        return value.name.contains("present") || value.name.contains("updated");
    }

    /// The size of a dimension of an input; `what` is for the message.
    void setSize(const OnnxValue &input, std::size_t dim, std::int64_t size, std::string_view what)
    {
        if (dim >= input.shape.size())
            wrong(std::format("the input \"{}\" has too few dimensions", input.name));
        if (const auto *fixed = std::get_if<std::int64_t>(&input.shape[dim])) {
            if (*fixed != size)
                wrong(std::format("the input \"{}\" is made for {} {}, not {}", input.name, *fixed, what,
                                  size));
            return;
        }
        const auto [known, isNew] = m_found.sizes.emplace(std::get<std::string>(input.shape[dim]), size);
        if (!isNew && known->second != size)
            wrong(
                std::format("the size \"{}\" would have to be {} and {}", known->first, known->second, size));
    }

    void findCaches()
    {
        DecodingRoles &roles = m_found.roles;
        for (const OnnxValue &input : m_model.inputs) {
            if (isPast(input))
                roles.caches.push_back({input.name, {}, input.shape.size() - 2});
        }
        std::vector<std::string> present;
        for (const OnnxValue &output : m_model.outputs) {
            if (isPresent(output))
                present.push_back(output.name);
        }
        if (roles.caches.empty() || present.size() != roles.caches.size())
            wrong(std::format("the model has {} inputs of past and {} outputs of present keys and values",
                              roles.caches.size(), present.size()));
        for (std::size_t i = 0; i < present.size(); ++i)
            roles.caches[i].output = present[i];
    }

    void give(const OnnxValue &input)
    {
        DecodingRoles &roles = m_found.roles;
        if (isPast(input)) {
            const std::size_t axis = input.shape.size() - 2;
            if (const auto *fixed = std::get_if<std::int64_t>(&input.shape[axis]))
                roles.places = *fixed;
            setSize(input, 0, 1, "sequences");
            setSize(input, axis, roles.places, "places");
            return;
        }
        const bool isMask = input.name.contains("mask"), isPosition = input.name.contains("position");
        std::string &role = isMask ? roles.mask : isPosition ? roles.positions : roles.tokens;
        if (!role.empty() || input.shape.empty() || input.shape.size() > 2
            || (!isMask && !input.dtype.isIntegral()))
            wrong(std::format("nothing is known to give for the input \"{}\"", input.name));
        role = input.name;
        if (input.shape.size() == 2)
            setSize(input, 0, 1, "sequences");
        setSize(input, input.shape.size() - 1, isMask ? roles.places + 1 : 1, isMask ? "places" : "tokens");
    }

    const OnnxModel &m_model;
    DecodingInputs m_found;
};

} // namespace

Result<DecodingInputs> decodingInputs(const OnnxModel &model, std::int64_t places)
{
    try {
        return Finder(model, places).run();
    } catch (const UserError &error) {
        return fail(error.diagnostic());
    }
}

} // namespace nestwright::graph::onnx
