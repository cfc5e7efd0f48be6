// SPDX-License-Identifier: Apache-2.0
/// The arrays of one kind of call: the same for the reference and every candidate.
#pragma once

#include "core/ir/ndarray.h"
#include "core/measure/worker_protocol.h"

#include <span>

namespace nestwright::measure {

enum class Precision : std::uint8_t {
    AsDeclared,
    Double, ///< floats are held as float64, with the values that their own types have
};

class KernelArrays {
public:
    /// Throws std::bad_alloc, and support::UserError "measure.file" where a file of elements cannot be
    /// read.
    explicit KernelArrays(const MeasureRequest &request, Precision precision = Precision::AsDeclared);
    KernelArrays(const KernelArrays &) = delete;
    KernelArrays &operator=(const KernelArrays &) = delete;

    std::span<ir::NdArray *const> pointers() const { return m_pointers; }
    const ir::NdArray &operator[](std::size_t i) const { return m_arrays[i]; }

private:
    std::vector<ir::NdArray> m_arrays;
    std::vector<ir::NdArray *> m_pointers;
};

/// Seeded numbers: those of NdArray::fillRandom, or within the range that `spec` states.
void fillRandomly(ir::NdArray &array, std::uint64_t seed, const BufferSpec &spec);

/// The argument's type in that precision.
ir::DataType typeIn(Precision precision, ir::DataType dtype);

/// Where the written buffers lie in the memory through which their contents are passed on.
class Outputs {
public:
    Outputs(const MeasureRequest &request, Precision precision);
    std::size_t bytes() const { return m_bytes; }
    void save(const KernelArrays &arrays, std::span<std::byte> memory) const;
    /// One array per written buffer, in order.
    std::vector<ir::NdArray> load(std::span<const std::byte> memory) const;

private:
    struct Place {
        std::size_t buffer = 0, begin = 0, bytes = 0;
        ir::DataType dtype;
        std::vector<std::int64_t> shape;
    };
    std::vector<Place> m_places;
    std::size_t m_bytes = 0;
};

} // namespace nestwright::measure
