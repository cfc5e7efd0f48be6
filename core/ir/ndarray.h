// SPDX-License-Identifier: Apache-2.0
/// A dense, row-major array in host memory: the arguments of kernels that run.
#pragma once

#include "core/ir/dtype.h"
#include "core/support/large_pages.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace nestwright::ir {

/// Compact and row-major. Bool takes one byte, float16 and bfloat16 keep their bits.
class NdArray {
public:
    NdArray() = default;
    /// Zeros. `shape` in elements per dimension; empty for a scalar.
    NdArray(DataType dtype, std::vector<std::int64_t> shape);
    /// In memory of somebody else, which `keeper` keeps: as many bytes as the array has, aligned to
    /// `alignment`. A copy has memory of its own.
    NdArray(DataType dtype, std::vector<std::int64_t> shape, std::byte *memory, std::shared_ptr<void> keeper);
    NdArray(const NdArray &other);
    NdArray(NdArray &&other) noexcept;
    NdArray &operator=(NdArray other) noexcept;
    ~NdArray() = default;

    static constexpr std::size_t alignment = 64; ///< bytes, for the widest vectors

    DataType dtype() const { return m_dtype; }
    const std::vector<std::int64_t> &shape() const { return m_shape; }
    /// Number of elements.
    std::int64_t size() const;

    std::span<std::byte> bytes() { return {m_memory, m_byteCount}; }
    std::span<const std::byte> bytes() const { return {m_memory, m_byteCount}; }
    template <class T> T *data() { return reinterpret_cast<T *>(m_memory); }
    template <class T> const T *data() const { return reinterpret_cast<const T *>(m_memory); }

    /// Element `index` (flat) as a number; integers beyond 2^53 lose their low bits.
    double at(std::int64_t index) const;
    void set(std::int64_t index, double value); ///< as the nearest number of its type; NaN as the integer 0

    /// After bytes from outside were put in: whatever is not 0 becomes 1 where the elements are bool.
    void normalizeBools();

    /// Seeded values: floats uniform in [-1, 1), integers small, bool either.
    void fillRandom(std::uint64_t seed);

private:
    struct alignas(alignment) Line {
        std::byte bytes[alignment];
    };
    DataType m_dtype;
    std::vector<std::int64_t> m_shape;
    std::size_t m_byteCount = 0;
    std::vector<Line, support::LargePageAllocator<Line>>
        m_storage; ///< empty where the memory is somebody else's
    std::shared_ptr<void> m_keeper;
    std::byte *m_memory = nullptr;
};

/// The worst element of a comparison.
struct Deviation {
    bool withinTolerance = true;
    std::int64_t index = -1; ///< flat index of the worst element; -1 when all are exactly equal
    double expected = 0, actual = 0;
};

/// |a - e| <= absolute + relative * |e| for every element; NaN equals NaN. Shapes and types must be the same.
Deviation compare(const NdArray &expected, const NdArray &actual, double relative, double absolute);

float halfToFloat(std::uint16_t bits);
std::uint16_t floatToHalf(float value);
float bfloat16ToFloat(std::uint16_t bits);
std::uint16_t floatToBfloat16(float value);

} // namespace nestwright::ir
