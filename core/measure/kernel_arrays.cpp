// SPDX-License-Identifier: Apache-2.0
#include "core/measure/kernel_arrays.h"

#include "core/measure/codes.h"
#include "core/support/errors.h"

#include <algorithm>
#include <fstream>
#include <random>

namespace nestwright::measure {

using ir::NdArray;

namespace {

constexpr std::size_t lineBytes = 64;

void fillInRange(NdArray &array, std::uint64_t seed, const BufferSpec &spec)
{
    const auto [low, high] = *spec.range;
    std::mt19937_64 generator(seed);
    const auto span = static_cast<std::uint64_t>(high - low) + 1; // 0: all there are
    std::vector<std::int64_t> values(static_cast<std::size_t>(array.size() * array.dtype().lanes));
    for (std::int64_t &value : values) {
        const std::uint64_t bits = generator() >> 11;
        value = low + static_cast<std::int64_t>(span > 0 ? bits % span : bits);
    }
    if (spec.isAscending)
        std::ranges::sort(values);
    for (std::size_t i = 0; i < values.size(); ++i)
        array.set(static_cast<std::int64_t>(i), static_cast<double>(values[i]));
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

NdArray inDouble(const NdArray &array)
{
    NdArray result(typeIn(Precision::Double, array.dtype()), array.shape());
    for (std::int64_t i = 0; i < array.size() * array.dtype().lanes; ++i)
        result.set(i, array.at(i));
    return result;
}

} // namespace

void fillRandomly(NdArray &array, std::uint64_t seed, const BufferSpec &spec)
{
    if (spec.range)
        fillInRange(array, seed, spec);
    else
        array.fillRandom(seed);
}

ir::DataType typeIn(Precision precision, ir::DataType dtype)
{
    return precision == Precision::Double && dtype.isFloating() ? ir::DataType::float_(64, dtype.lanes)
                                                                : dtype;
}

KernelArrays::KernelArrays(const MeasureRequest &request, Precision precision)
{
    for (std::size_t i = 0; i < request.buffers.size(); ++i) {
        const BufferSpec &spec = request.buffers[i];
        NdArray array(spec.dtype, spec.shape);
        const std::uint64_t seed = request.seed * 1000003 + i;
        if (!spec.file.empty())
            fillFromFile(array, spec.file);
        else
            fillRandomly(array, seed, spec);
        const bool changes = typeIn(precision, spec.dtype) != spec.dtype;
        m_arrays.push_back(changes ? inDouble(array) : std::move(array));
    }
    for (NdArray &array : m_arrays)
        m_pointers.push_back(&array);
}

Outputs::Outputs(const MeasureRequest &request, Precision precision)
{
    for (std::size_t i = 0; i < request.buffers.size(); ++i) {
        const BufferSpec &spec = request.buffers[i];
        if (!spec.written)
            continue;
        Place place{i, m_bytes, 0, typeIn(precision, spec.dtype), spec.shape};
        place.bytes =
            static_cast<std::size_t>(place.dtype.bytes()) * static_cast<std::size_t>(place.dtype.lanes);
        for (const std::int64_t extent : spec.shape)
            place.bytes *= static_cast<std::size_t>(extent);
        m_bytes += (place.bytes + lineBytes - 1) / lineBytes * lineBytes;
        m_places.push_back(std::move(place));
    }
}

void Outputs::save(const KernelArrays &arrays, std::span<std::byte> memory) const
{
    for (const Place &place : m_places)
        std::ranges::copy(arrays[place.buffer].bytes(),
                          memory.begin() + static_cast<std::ptrdiff_t>(place.begin));
}

std::vector<NdArray> Outputs::load(std::span<const std::byte> memory) const
{
    std::vector<NdArray> arrays;
    for (const Place &place : m_places) {
        NdArray &array = arrays.emplace_back(place.dtype, place.shape);
        std::ranges::copy(memory.subspan(place.begin, place.bytes), array.bytes().begin());
        array.normalizeBools();
    }
    return arrays;
}

} // namespace nestwright::measure
