// SPDX-License-Identifier: Apache-2.0
#include "core/graph/run/decoder.h"

#include <algorithm>
#include <format>
#include <functional>
#include <numeric>

namespace nestwright::graph {

using support::fail;
using support::Result;

namespace {

Result<std::size_t> placeOf(const std::vector<std::string> &names, const std::string &name)
{
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
        return fail("decoding.roles", std::format("the program has no input or output \"{}\"", name));
    return static_cast<std::size_t>(found - names.begin());
}

/// Puts a row of `from` along an axis at the place `row` of `to`, which has a row less.
void takeRow(const ir::NdArray &from, std::int64_t taken, ir::NdArray &to, std::size_t axis, std::int64_t row)
{
    const auto &shape = from.shape();
    const auto product = [&](std::size_t begin, std::size_t end) {
        return std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(begin),
                               shape.begin() + static_cast<std::ptrdiff_t>(end), std::int64_t{1},
                               std::multiplies());
    };
    const std::int64_t bytes = product(axis + 1, shape.size()) * from.dtype().bytes(), rows = shape[axis];
    for (std::int64_t i = 0; i < product(0, axis); ++i) {
        const auto source = from.bytes().subspan(static_cast<std::size_t>((i * rows + taken) * bytes),
                                                 static_cast<std::size_t>(bytes));
        std::ranges::copy(source, to.bytes().begin() + (i * (rows - 1) + row) * bytes);
    }
}

} // namespace

Result<Decoder> Decoder::make(Executor executor, DecodingRoles roles)
{
    const Function &function = executor.program().function;
    std::vector<std::string> inputs;
    for (const int input : function.inputs())
        inputs.push_back(function.at(input).name);
    Decoder made(std::move(executor), std::move(roles));
    std::optional<support::Diagnostic> missing;
    const auto place = [&](const std::vector<std::string> &names, const std::string &name) {
        const auto found = placeOf(names, name);
        if (!found && !missing)
            missing = found.error();
        return found.value_or(0);
    };
    const std::vector<std::string> &outputs = made.m_executor.program().function.outputNames;
    made.m_tokens = place(inputs, made.m_roles.tokens);
    made.m_mask = place(inputs, made.m_roles.mask);
    made.m_logits = place(outputs, made.m_roles.logits);
    if (!made.m_roles.positions.empty())
        made.m_positions = place(inputs, made.m_roles.positions);
    for (const DecodingRoles::Cache &cache : made.m_roles.caches)
        made.m_caches.push_back({place(inputs, cache.input), place(outputs, cache.output), cache.axis});
    if (missing)
        return fail(std::move(*missing));
    ir::NdArray &mask = made.m_executor.input(made.m_mask);
    mask.set(mask.size() - 1, 1); // the token itself
    return made;
}

Result<std::int64_t> Decoder::step(std::int64_t token)
{
    if (m_position >= m_roles.places)
        return fail(support::diagnostic("decoding.full",
                                        std::format("all {} places for tokens are taken", m_roles.places))
                        .withHint("open the model with more places"));
    m_executor.input(m_tokens).set(0, static_cast<double>(token));
    if (m_positions)
        m_executor.input(*m_positions).set(0, static_cast<double>(m_position));
    if (auto done = m_executor.run(); !done)
        return fail(done.error());
    for (const CachePlace &cache : m_caches)
        takeRow(m_executor.output(cache.output), m_roles.inOrder ? m_position : m_roles.places,
                m_executor.input(cache.input), cache.axis, m_position);
    m_executor.input(m_mask).set(m_position, 1);
    ++m_position;
    const ir::NdArray &logits = m_executor.output(m_logits);
    const std::int64_t count = logits.shape().back();
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < count; ++i) {
        if (logits.at(i) > logits.at(best))
            best = i;
    }
    return best;
}

} // namespace nestwright::graph
