// SPDX-License-Identifier: Apache-2.0
#include "core/explore/judge/seal_inputs.h"

#include "core/measure/worker/kernel_arrays.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <format>

namespace nestwright::explore {

namespace {

void fillIntegers(ir::NdArray &array, const SealInput &input, std::mt19937_64 &random)
{
    const auto width = static_cast<std::size_t>(input.dtype.bytes());
    const std::span<std::byte> bytes = array.bytes();
    for (std::size_t at = 0; at + width <= bytes.size(); at += width) {
        std::uint64_t value = random();
        const std::uint64_t kind = input.isSmall ? 1 : random() % 3;
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
    for (const std::int64_t extent : input.shape) {
        if (extent < 0)
            return support::fail(
                support::diagnostic("seal.sizes", std::format("a buffer would have the extent {}", extent))
                    .withHint("give sizes with --size"));
        count *= static_cast<double>(extent);
    }
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
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(count); ++i) {
            const bool isNamed = !input.values.empty() && random() % 4 == 0;
            result.data<interp::Element>()[i] =
                isNamed ? input.values[random() % input.values.size()] : random() % interp::fieldPrime;
        }
    } else {
        fillIntegers(result, input, random);
    }
    return result;
}

interp::Sizes sealSizes(const ir::PrimFunc &function, const interp::Sizes &given, SealSizes kind,
                        std::span<const std::int64_t> integers, std::mt19937_64 &random)
{
    constexpr auto smallPrimes = std::to_array<std::int64_t>({7, 11, 13, 5, 17, 3, 19});
    constexpr auto largerPrimes = std::to_array<std::int64_t>({67, 37, 41, 31, 43, 29, 47});
    constexpr std::int64_t mostNamed = 136;
    std::vector<std::int64_t> named;
    std::ranges::copy_if(integers, std::back_inserter(named),
                         [](std::int64_t n) { return n > 1 && n <= mostNamed; });
    interp::Sizes sizes = given;
    std::size_t next = 0;
    const auto value = [&](std::size_t at) -> std::int64_t {
        switch (kind) {
        case SealSizes::Small: return smallPrimes[at];
        case SealSizes::Larger: return largerPrimes[at];
        case SealSizes::One: return 1;
        case SealSizes::Named:
        case SealSizes::NamedAgain: break;
        }
        return named.empty() ? 1 : named[random() % named.size()];
    };
    const auto give = [&](const ir::Expr &extent) {
        const ir::Var size = ir::Var::from(extent);
        if (size && !sizes.contains(size.name()))
            sizes.emplace(size.name(), value(next++ % smallPrimes.size()));
    };
    for (const ir::Param &param : function.params) {
        if (param.buffer)
            std::ranges::for_each(param.buffer.shape(), give);
        else if (!param.var.dtype().isFloating())
            give(param.var);
    }
    return sizes;
}

std::vector<std::int64_t> withSizes(std::span<const std::int64_t> integers, const interp::Sizes &sizes)
{
    std::vector<std::int64_t> result(integers.begin(), integers.end());
    for (const auto &[name, size] : sizes) {
        for (const std::int64_t near : {-1, 0, 1})
            result.push_back(size + near);
    }
    return result;
}

} // namespace nestwright::explore
