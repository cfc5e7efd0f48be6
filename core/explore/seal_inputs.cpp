// SPDX-License-Identifier: Apache-2.0
#include "core/explore/seal_inputs.h"

#include "core/interp/field.h"
#include "core/measure/kernel_arrays.h"

#include <algorithm>
#include <cstring>

namespace nestwright::explore {

namespace {

void fillIntegers(ir::NdArray &array, const SealInput &input, std::mt19937_64 &random)
{
    const auto width = static_cast<std::size_t>(input.dtype.bytes());
    const std::span<std::byte> bytes = array.bytes();
    for (std::size_t at = 0; at + width <= bytes.size(); at += width) {
        std::uint64_t value = random();
        const std::uint64_t kind = random() % 3;
        if (input.dtype.isBool())
            value &= 1;
        else if (kind == 1)
            value = value % 16 - (input.dtype.isUInt() ? 0 : 8);
        else if (kind == 2 && !input.integers.empty())
            value = static_cast<std::uint64_t>(input.integers[value % input.integers.size()]);
        std::memcpy(&bytes[at], &value, width);
    }
}

} // namespace

support::Result<ir::NdArray> sealInput(const SealInput &input, std::mt19937_64 &random)
{
    constexpr double mostElements = 1 << 28;
    const ir::DataType dtype = input.dtype;
    double count = dtype.lanes;
    for (const std::int64_t extent : input.shape)
        count *= static_cast<double>(std::max<std::int64_t>(extent, 0));
    if (count > mostElements)
        return support::fail(
            support::diagnostic("seal.too-large", "the arguments have too many elements to be run here")
                .withHint("seal it with smaller sizes"));
    ir::NdArray result(dtype.isFloating() ? ir::DataType::float_(64, dtype.lanes) : dtype, input.shape);
    if (input.range) {
        measure::BufferSpec spec;
        spec.range = {input.range->low, input.range->high};
        spec.isAscending = input.range->isAscending;
        measure::fillRandomly(result, random(), spec);
    } else if (dtype.isFloating()) {
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(count); ++i)
            result.data<std::uint64_t>()[i] = random() % interp::fieldPrime;
    } else {
        fillIntegers(result, input, random);
    }
    return result;
}

} // namespace nestwright::explore
