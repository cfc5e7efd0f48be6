// SPDX-License-Identifier: Apache-2.0
#include "core/ir/ndarray.h"

#include "core/ir/exact_integers.h"
#include "core/ir/fold.h"
#include "core/ir/odd_rounding.h"
#include "core/support/errors/errors.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

namespace nestwright::ir {

float bfloat16ToFloat(std::uint16_t bits)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t floatToBfloat16(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value))
        return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
    return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

float halfToFloat(std::uint16_t bits) { return static_cast<float>(std::bit_cast<_Float16>(bits)); }
std::uint16_t floatToHalf(float value) { return std::bit_cast<std::uint16_t>(static_cast<_Float16>(value)); }

namespace {

std::size_t bytesOf(DataType dtype, const std::vector<std::int64_t> &shape)
{
    return std::accumulate(
        shape.begin(), shape.end(),
        static_cast<std::size_t>(dtype.bytes()) * static_cast<std::size_t>(dtype.lanes),
        [](std::size_t bytes, std::int64_t size) { return bytes * static_cast<std::size_t>(size); });
}

NdArray arrayOf(DataType dtype, std::vector<std::int64_t> shape, support::Contents contents)
{
    const std::shared_ptr<std::byte> memory = support::takeMemory(bytesOf(dtype, shape), contents);
    return {dtype, std::move(shape), memory.get(), memory};
}

} // namespace

NdArray::NdArray(NdArray &&other) noexcept
    : m_dtype(other.m_dtype)
    , m_shape(std::move(other.m_shape))
    , m_byteCount(std::exchange(other.m_byteCount, 0))
    , m_keeper(std::move(other.m_keeper))
    , m_memory(std::exchange(other.m_memory, nullptr))
    , m_deferred(std::move(other.m_deferred))
{
}

NdArray::NdArray(DataType dtype, std::vector<std::int64_t> shape)
    : NdArray(arrayOf(dtype, std::move(shape), support::Contents::Zero))
{
}

NdArray::NdArray(DataType dtype, std::vector<std::int64_t> shape, std::byte *memory,
                 std::shared_ptr<void> keeper)
    : m_dtype(dtype)
    , m_shape(std::move(shape))
    , m_byteCount(bytesOf(dtype, m_shape))
    , m_keeper(std::move(keeper))
    , m_memory(memory)
{
    NW_ASSERT(reinterpret_cast<std::uintptr_t>(memory) % alignment == 0, "memory of an array is not aligned");
}

NdArray NdArray::uninitialized(DataType dtype, std::vector<std::int64_t> shape)
{
    return arrayOf(dtype, std::move(shape), support::Contents::Any);
}

NdArray::NdArray(DataType dtype, std::vector<std::int64_t> shape,
                 std::shared_ptr<support::DeferredMemory> memory)
    : m_dtype(dtype)
    , m_shape(std::move(shape))
    , m_byteCount(bytesOf(dtype, m_shape))
    , m_deferred(std::move(memory))
{
}

NdArray::NdArray(const NdArray &other)
    : m_dtype(other.m_dtype)
    , m_shape(other.m_shape)
    , m_byteCount(other.m_byteCount)
{
    const std::shared_ptr<const std::byte> from = other.source();
    if (!from)
        return;
    const std::shared_ptr<std::byte> taken = support::takeMemory(m_byteCount, support::Contents::Any);
    m_memory = taken.get();
    m_keeper = taken;
    std::memcpy(m_memory, from.get(), m_byteCount);
}

NdArray &NdArray::operator=(NdArray other) noexcept
{
    m_dtype = other.m_dtype;
    std::swap(m_shape, other.m_shape);
    std::swap(m_byteCount, other.m_byteCount);
    std::swap(m_keeper, other.m_keeper);
    std::swap(m_memory, other.m_memory);
    std::swap(m_deferred, other.m_deferred);
    return *this;
}

std::shared_ptr<const std::byte> NdArray::source() const
{
    return m_deferred ? m_deferred->source() : std::shared_ptr<const std::byte>(m_keeper, m_memory);
}

NdArray NdArray::reshaped(std::vector<std::int64_t> shape) const
{
    return m_deferred ? NdArray(m_dtype, std::move(shape), m_deferred)
                      : NdArray(m_dtype, std::move(shape), m_memory, m_keeper);
}

std::int64_t NdArray::size() const
{
    return std::accumulate(m_shape.begin(), m_shape.end(), std::int64_t{1}, std::multiplies<>());
}

namespace {

/// Calls `f` with a null pointer of the element type; half types come as their bit wrappers below.
struct Half {
    std::uint16_t bits;
};
struct Brain {
    std::uint16_t bits;
};

template <class F> auto withElementType(DataType dtype, F &&f)
{
    switch (dtype.code) {
    case TypeCode::Int:
        switch (dtype.bits) {
        case 8: return f(static_cast<std::int8_t *>(nullptr));
        case 16: return f(static_cast<std::int16_t *>(nullptr));
        case 32: return f(static_cast<std::int32_t *>(nullptr));
        default: return f(static_cast<std::int64_t *>(nullptr));
        }
    case TypeCode::UInt:
        switch (dtype.bits) {
        case 8: return f(static_cast<std::uint8_t *>(nullptr));
        case 16: return f(static_cast<std::uint16_t *>(nullptr));
        case 32: return f(static_cast<std::uint32_t *>(nullptr));
        default: return f(static_cast<std::uint64_t *>(nullptr));
        }
    case TypeCode::Float:
        switch (dtype.bits) {
        case 16: return f(static_cast<Half *>(nullptr));
        case 32: return f(static_cast<float *>(nullptr));
        default: return f(static_cast<double *>(nullptr));
        }
    case TypeCode::BFloat: return f(static_cast<Brain *>(nullptr));
    case TypeCode::Bool: return f(static_cast<bool *>(nullptr));
    case TypeCode::Handle:
    case TypeCode::Narrow:
    case TypeCode::Void: break;
    }
    support::internalError(__FILE__, __LINE__, "element type", dtype.str());
}

double toDouble(Half value) { return halfToFloat(value.bits); }
double toDouble(Brain value) { return bfloat16ToFloat(value.bits); }
template <class T> double toDouble(T value) { return static_cast<double>(value); }

template <class T> T fromDouble(double value)
{
    if constexpr (std::is_same_v<T, Half>)
        return {floatToHalf(roundedToOdd(value))};
    else if constexpr (std::is_same_v<T, Brain>)
        return {floatToBfloat16(roundedToOdd(value))};
    else if constexpr (std::is_same_v<T, bool>)
        return value != 0;
    else {
        if constexpr (std::is_integral_v<T>) {
            if (std::isnan(value))
                return 0;
            if (value <= static_cast<double>(std::numeric_limits<T>::min()))
                return std::numeric_limits<T>::min();
            if (value >= static_cast<double>(std::numeric_limits<T>::max())) // 2^63 and 2^64 for the widest
                return std::numeric_limits<T>::max();
        }
        return static_cast<T>(value);
    }
}

/// Exactly: numbers of 64 bits beyond 2^53 are no doubles.
template <class T> bool isSame(T a, T b)
{
    if constexpr (std::is_integral_v<T>)
        return a == b;
    else
        return toDouble(a) == toDouble(b);
}

/// Never 0 for integers that differ.
template <class T> double differenceOf(T a, T b)
{
    if constexpr (std::is_integral_v<T>) {
        const __int128 distance = static_cast<__int128>(a) - static_cast<__int128>(b);
        return static_cast<double>(distance < 0 ? -distance : distance);
    } else {
        return std::abs(toDouble(b) - toDouble(a));
    }
}

} // namespace

double NdArray::at(std::int64_t index) const
{
    return withElementType(m_dtype, [&](auto *type) {
        using T = std::remove_pointer_t<decltype(type)>;
        return toDouble(data<T>()[index]);
    });
}

std::int64_t integerAt(const NdArray &array, std::int64_t index)
{
    return withElementType(array.dtype(), [&](auto *type) {
        using T = std::remove_pointer_t<decltype(type)>;
        const T value = array.data<T>()[index];
        if constexpr (std::is_integral_v<T>)
            return static_cast<std::int64_t>(value);
        else
            return integerOf(toDouble(value), DataType::int64());
    });
}

void NdArray::set(std::int64_t index, double value)
{
    withElementType(m_dtype, [&](auto *type) {
        using T = std::remove_pointer_t<decltype(type)>;
        data<T>()[index] = fromDouble<T>(value);
    });
}

void NdArray::normalizeBools()
{
    if (!m_dtype.isBool())
        return;
    for (std::byte &each : bytes())
        each = each == std::byte{0} ? std::byte{0} : std::byte{1};
}

void NdArray::fillRandom(std::uint64_t seed)
{
    std::mt19937_64 generator(seed);
    const std::int64_t count = size() * m_dtype.lanes;
    const std::int64_t low = m_dtype.isUInt() || m_dtype.isBool() ? 0 : -8;
    const std::int64_t span = m_dtype.isBool() ? 2 : 16;
    withElementType(m_dtype, [&](auto *type) {
        using T = std::remove_pointer_t<decltype(type)>;
        T *out = data<T>();
        for (std::int64_t i = 0; i < count; ++i) {
            const std::uint64_t bits = generator();
            // 2^-52 * 53 random bits lies in [0, 2); the distributions of <random> differ between libraries.
            const double real = static_cast<double>(bits >> 11) * 0x1p-52 - 1.0;
            const auto whole = static_cast<double>(
                low + static_cast<std::int64_t>((bits >> 33) % static_cast<std::uint64_t>(span)));
            out[i] = fromDouble<T>(m_dtype.isFloating() ? real : whole);
        }
    });
}

Deviation compare(const NdArray &expected, const NdArray &actual, double relative, double absolute)
{
    NW_ASSERT(expected.dtype() == actual.dtype() && expected.shape() == actual.shape(),
              "arrays of different shape");
    Deviation worst;
    double worstExcess = -1;
    const std::int64_t count = expected.size() * expected.dtype().lanes;
    withElementType(expected.dtype(), [&](auto *type) {
        using T = std::remove_pointer_t<decltype(type)>;
        const T *e = expected.data<T>();
        const T *a = actual.data<T>();
        for (std::int64_t i = 0; i < count; ++i) {
            const double want = toDouble(e[i]), got = toDouble(a[i]);
            if (isSame(e[i], a[i]) || (std::isnan(want) && std::isnan(got)))
                continue;
            const double difference = differenceOf(e[i], a[i]);
            const double allowed = absolute + relative * std::abs(want);
            const bool ok = difference <= allowed && !std::isinf(want);
            const double excess = std::isfinite(difference) ? difference / (allowed + 1e-300) : 1e308;
            if (excess > worstExcess || (!ok && worst.withinTolerance)) {
                worstExcess = excess;
                worst = {worst.withinTolerance && ok, i, want, got};
            }
        }
    });
    return worst;
}

} // namespace nestwright::ir
