// SPDX-License-Identifier: Apache-2.0
/// A dense, row-major array in host memory: the arguments of kernels that run.
#pragma once

#include "core/ir/node/dtype.h"
#include "core/support/deferred_memory.h"
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
    /// An array in the memory of another owner, which `keeper` keeps alive: as many bytes as the array has,
    /// aligned to `alignment`. A copy has memory of its own.
    NdArray(DataType dtype, std::vector<std::int64_t> shape, std::byte *memory, std::shared_ptr<void> keeper);
    /// An array of indeterminate elements; the caller writes all of them.
    static NdArray uninitialized(DataType dtype, std::vector<std::int64_t> shape);
    /// Elements in memory that is filled when somebody first asks for them. A copy has memory of its own.
    NdArray(DataType dtype, std::vector<std::int64_t> shape, std::shared_ptr<support::DeferredMemory> memory);
    NdArray(const NdArray &other);
    NdArray(NdArray &&other) noexcept;
    NdArray &operator=(NdArray other) noexcept;
    ~NdArray() = default;

    static constexpr std::size_t alignment = support::memoryAlignment;

    DataType dtype() const { return m_dtype; }
    const std::vector<std::int64_t> &shape() const { return m_shape; }
    /// Number of elements.
    std::int64_t size() const;
    std::size_t byteCount() const { return m_byteCount; }

    std::span<std::byte> bytes() { return {memory(), m_byteCount}; }
    std::span<const std::byte> bytes() const { return {memory(), m_byteCount}; }
    template <class T> T *data() { return reinterpret_cast<T *>(memory()); }
    template <class T> const T *data() const { return reinterpret_cast<const T *>(memory()); }
    /// Address of the bytes, of any alignment; deferred elements stay deferred.
    std::shared_ptr<const std::byte> source() const;
    /// Null where the elements never were deferred.
    const std::shared_ptr<support::DeferredMemory> &deferredMemory() const { return m_deferred; }

    /// The same elements in the same memory; `shape` has as many.
    NdArray reshaped(std::vector<std::int64_t> shape) const;

    /// Element `index` (flat) as a number; integers beyond 2^53 lose their low bits.
    double at(std::int64_t index) const;
    void set(std::int64_t index, double value); ///< as the nearest number of its type; NaN as the integer 0

    /// Normalizes bool elements after foreign bytes were put in: whatever is not 0 becomes 1.
    void normalizeBools();

    /// Seeded values: floats uniform in [-1, 1), integers small, bool either.
    void fillRandom(std::uint64_t seed);

private:
    std::byte *memory() const { return m_deferred ? m_deferred->bytes() : m_memory; }

    DataType m_dtype;
    std::vector<std::int64_t> m_shape;
    std::size_t m_byteCount = 0;
    std::shared_ptr<void> m_keeper; ///< of the memory
    std::byte *m_memory = nullptr;
    std::shared_ptr<support::DeferredMemory> m_deferred;
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
