// SPDX-License-Identifier: Apache-2.0
#include "core/measure/worker/kernel_arrays.h"

#include "core/measure/codes.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <random>

namespace nestwright::measure {

using ir::DataType;
using ir::NdArray;

namespace {

void fillInRange(NdArray &array, std::uint64_t seed, const BufferSpec &spec)
{
    const auto [low, high] = *spec.range;
    std::mt19937_64 generator(seed);
    const auto span = static_cast<std::uint64_t>(high - low) + 1; // 0: all there are
    std::vector<std::int64_t> values(static_cast<std::size_t>(numbersIn(array)));
    for (std::int64_t &value : values) {
        const std::uint64_t bits = generator() >> 11;
        value = low + static_cast<std::int64_t>(span > 0 ? bits % span : bits);
    }
    if (spec.isAscending)
        std::ranges::sort(values);
    for (std::size_t i = 0; i < values.size(); ++i)
        array.set(static_cast<std::int64_t>(i), static_cast<double>(values[i]));
}

/// Bits of random integers. Those of 32 bits and more count as free of overflow.
int randomBits(DataType dtype, int integerBits)
{
    return dtype.bits < 32 ? dtype.bits : dtype.bits == 32 || integerBits < 18 ? integerBits : 34;
}

/// Floats of many magnitudes and either sign, among them zeros of both signs and numbers too small to have
/// all digits; integers of the whole range.
void fillWidely(NdArray &array, std::uint64_t seed, const BufferSpec &spec)
{
    std::mt19937_64 generator(seed);
    const DataType dtype = array.dtype();
    if (dtype.isBool())
        return array.fillRandom(seed);
    if (!dtype.isFloating()) {
        const int bits = randomBits(dtype, spec.integerBits);
        for (std::int64_t i = 0; i < numbersIn(array); ++i) {
            const auto drawn = static_cast<std::int64_t>(generator() >> (64 - bits));
            const std::int64_t half = std::int64_t{1} << (bits - 1);
            array.set(i, static_cast<double>(dtype.isUInt() ? drawn : drawn - half));
        }
        return;
    }
    const bool isHalf = dtype.code == ir::TypeCode::Float && dtype.bits == 16;
    const int exponents = isHalf ? 4 : 10;
    const double tiny = isHalf ? 0x1p-20 : dtype.bits == 64 ? 0x1p-1030 : 0x1p-130;
    // Runs of one sign: what begins at zero shows where a whole row is on its other side.
    int run = 0;
    double signOfRun = 0; // 0: each number its own
    for (std::int64_t i = 0; i < numbersIn(array); ++i) {
        const std::uint64_t bits = generator();
        if (run-- == 0) {
            run = 1 << (generator() % 11);
            signOfRun = static_cast<double>(generator() % 3) - 1;
        }
        const double fraction = 0.5 + static_cast<double>(bits >> 12) * 0x1p-53;
        const double sign = signOfRun != 0 ? signOfRun : bits & 1 ? -1 : 1;
        const int kind = static_cast<int>(bits >> 1 & 31);
        const int exponent = static_cast<int>(bits >> 6 & 63) % (2 * exponents + 1) - exponents;
        array.set(i, sign * (kind == 0 ? 0 : kind == 1 ? fraction * tiny : std::ldexp(fraction, exponent)));
    }
}

/// Small numbers, and NaN and both infinities at three places.
void fillSpecially(NdArray &array, std::uint64_t seed)
{
    array.fillRandom(seed);
    if (!array.dtype().isFloating() || numbersIn(array) < 4)
        return;
    std::mt19937_64 generator(seed ^ 0x5eed);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const double value : {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity})
        array.set(static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(numbersIn(array))),
                  value);
}

/// Small numbers, one of them another.
void fillNearly(NdArray &array, std::uint64_t seed)
{
    array.fillRandom(seed);
    if (numbersIn(array) == 0)
        return;
    std::mt19937_64 generator(seed ^ 0x5eed);
    const auto place = static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(numbersIn(array)));
    const double value = array.at(place);
    array.set(place, array.dtype().isBool() ? 1 - value : value < 1 ? value + 1 : value - 1);
}

void fillFromFile(NdArray &array, const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    const std::span<std::byte> bytes = array.bytes();
    file.read(reinterpret_cast<char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file || file.peek() != std::ifstream::traits_type::eof())
        throw support::UserError(support::diagnostic(
            codes::file, "the elements of an argument cannot be read from '" + path + '\''));
    array.normalizeBools();
}

DataType typeIn(Precision precision, DataType dtype)
{
    return precision == Precision::Bounded && dtype.isFloating() ? DataType::float_(64, dtype.lanes) : dtype;
}

} // namespace

std::string bufferName(const KernelFile &kernel, std::size_t buffer)
{
    for (const backend::Argument &argument : kernel.artifact.find(kernel.entry)->arguments) {
        if (argument.kind == backend::Argument::Kind::Buffer && buffer-- == 0)
            return argument.name;
    }
    return {};
}

std::int64_t numbersIn(const NdArray &array) { return array.size() * array.dtype().lanes; }

void fillRandomly(NdArray &array, std::uint64_t seed, const BufferSpec &spec, Values values)
{
    if (spec.range)
        return fillInRange(array, seed, spec);
    switch (values) {
    case Values::Small: return array.fillRandom(seed);
    case Values::Wide: return fillWidely(array, seed, spec);
    case Values::Special: return fillSpecially(array, seed);
    case Values::Near: return fillNearly(array, seed);
    }
}

std::string_view describe(Values values)
{
    switch (values) {
    case Values::Small: return "small numbers";
    case Values::Wide: return "numbers of all sizes";
    case Values::Special: return "NaN and infinities";
    case Values::Near: return "one of them changed";
    }
    return {};
}

std::vector<NdArray> emptyArrays(const ArgumentSet &set, Precision precision,
                                 std::span<const std::size_t> bounded)
{
    std::vector<NdArray> arrays;
    for (const BufferSpec &spec : set.buffers)
        arrays.emplace_back(typeIn(precision, spec.dtype), spec.shape);
    for (const std::size_t i : bounded)
        arrays.emplace_back(DataType::float_(64), set.buffers.at(i).shape);
    return arrays;
}

std::vector<NdArray> filledArrays(const ArgumentSet &set)
{
    std::vector<NdArray> arrays = emptyArrays(set);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const BufferSpec &spec = set.buffers[i];
        if (!spec.file.empty())
            fillFromFile(arrays[i], spec.file);
        else
            fillRandomly(arrays[i], set.seed * 1000003 + i, spec, set.values);
    }
    return arrays;
}

std::vector<NdArray> inDouble(std::span<const NdArray> arrays, const ArgumentSet &set,
                              std::span<const std::size_t> bounded)
{
    std::vector<NdArray> result = emptyArrays(set, Precision::Bounded, bounded);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        if (arrays[i].dtype() == result[i].dtype())
            result[i] = arrays[i];
        else
            for (std::int64_t k = 0; k < numbersIn(arrays[i]); ++k)
                result[i].set(k, arrays[i].at(k));
    }
    return result;
}

std::span<std::byte> invertElement(NdArray &array, std::size_t element)
{
    const std::size_t size = array.bytes().size() / static_cast<std::size_t>(array.size());
    const auto bytes = array.bytes().subspan(element * size, size);
    for (std::byte &each : bytes)
        each = array.dtype().isBool() ? each ^ std::byte{1} : ~each;
    return bytes;
}

void spoil(NdArray &array, std::byte pattern)
{
    std::ranges::fill(array.bytes(), array.dtype().isBool() ? std::byte{1} : pattern);
}

} // namespace nestwright::measure
