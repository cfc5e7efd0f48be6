// SPDX-License-Identifier: Apache-2.0
#include "core/explore/judge/seal_draws.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nestwright::explore {

using support::Result;

namespace {

using ArrayShape = std::vector<std::int64_t>;

/// Lowered functions take flat buffers.
bool isSameMemory(const ArrayShape &before, const ArrayShape &after)
{
    const auto count = [](const ArrayShape &shape) {
        double elements = 1;
        for (const std::int64_t extent : shape)
            elements *= static_cast<double>(extent);
        return elements;
    };
    return before == after || (after.size() == 1 && count(before) == count(after));
}

std::vector<std::int64_t> mergedIntegers(std::set<std::int64_t> integers, const std::set<std::int64_t> &more)
{
    integers.insert(more.begin(), more.end());
    return {integers.begin(), integers.end()};
}

} // namespace

SealDraws::SealDraws(const ir::PrimFunc &unscheduled, const ir::PrimFunc &scheduled, const SealFacts &before,
                     const SealFacts &after, const interp::Sizes &sizes)
    : m_unscheduled(unscheduled)
    , m_scheduled(scheduled)
    , m_given(sizes)
    , m_constants(before.constants)
    , m_integers(mergedIntegers(before.integers, after.integers))
    , m_testsValues(before.testsValues || after.testsValues)
{
    m_constants.insert(m_constants.end(), after.constants.begin(), after.constants.end());
}

SealSizes SealDraws::kindOfSizes(int draw) const
{
    return static_cast<SealSizes>((m_hasIndices ? draw / 2 : draw) % sealSizeKinds);
}

/// Values that conditions may look for, in half of the draws; one more is that of several elements.
std::vector<interp::Element> SealDraws::valuesFor(int draw, const interp::Field &field,
                                                  std::mt19937_64 &random) const
{
    std::vector<interp::Element> values;
    if (!m_testsValues || draw % 4 == 0 || draw % 4 == 3)
        return values;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    values = {0, field.constant(infinity), field.constant(-infinity), field.constant(std::nan("")),
              random() % interp::fieldPrime};
    for (const double number : m_constants)
        values.push_back(field.constant(number));
    return values;
}

Result<SealArguments> SealDraws::arguments(int draw, const interp::Field &field, std::mt19937_64 &random,
                                           bool keepsIndices)
{
    const std::vector<interp::Element> values = valuesFor(draw, field, random);
    const interp::Sizes sizes = sealSizes(m_unscheduled, m_given, kindOfSizes(draw), m_integers, random);
    m_hasSizes = sizes.size() > m_given.size();
    const auto shapes = interp::argumentShapes(m_unscheduled, sizes);
    if (!shapes)
        return std::unexpected(shapes.error());
    const auto others = interp::argumentShapes(m_scheduled, sizes);
    if (!others || !std::ranges::equal(*shapes, *others, isSameMemory))
        return support::fail("seal.other-buffers", "the scheduled function takes buffers of other shapes");
    const auto ranges = analysis::indexInputs(m_unscheduled, sizes);
    const std::vector<std::int64_t> integers = withSizes(m_integers, sizes);
    SealArguments drawn;
    for (std::size_t i = 0; i < m_unscheduled.params.size(); ++i) {
        const ir::Param &param = m_unscheduled.params[i];
        if (!param.buffer) {
            drawn.scalars.push_back(param.var.dtype().isFloating()
                                        ? static_cast<std::int64_t>(random() % interp::fieldPrime)
                                        : sizes.at(param.var.name()));
            continue;
        }
        const auto range = ranges.find(i);
        const bool isIndex = range != ranges.end();
        m_hasIndices = m_hasIndices || isIndex;
        m_hasIntegers = m_hasIntegers || !param.buffer.dtype().isFloating();
        auto array = sealInput({.dtype = param.buffer.dtype(),
                                .shape = (*shapes)[drawn.arrays.size()],
                                .range = isIndex && keepsIndices ? &range->second : nullptr,
                                .integers = integers,
                                .values = values,
                                .isSmall = draw % 4 == 1},
                               random);
        if (!array)
            return std::unexpected(array.error());
        drawn.arrays.push_back(*std::move(array));
    }
    return drawn;
}

} // namespace nestwright::explore
