// SPDX-License-Identifier: Apache-2.0
/// The arrays of one kind of call: the same for the reference and every candidate.
#pragma once

#include "core/ir/ndarray.h"
#include "core/measure/worker/worker_protocol.h"

#include <span>
#include <string>
#include <string_view>

namespace nestwright::measure {

/// The types in which a kernel takes its arguments.
enum class Precision : std::uint8_t {
    AsDeclared,
    Bounded, ///< floats as float64, with the values that their own types have, and bounds behind
             ///< (error_bounds.h)
};

/// Arrays of the set's arguments, all zero, in the order of the kernel's parameters; `bounded` as
/// BoundedProgram has it. Throws std::bad_alloc.
std::vector<ir::NdArray> emptyArrays(const ArgumentSet &set, Precision precision = Precision::AsDeclared,
                                     std::span<const std::size_t> bounded = {});

/// The arrays as they are before a call: seeded numbers, or elements that a person gave. Throws
/// std::bad_alloc, and support::UserError "measure.file" where a file of elements cannot be read.
std::vector<ir::NdArray> filledArrays(const ArgumentSet &set);

/// Their values as a kernel with bounds takes them.
std::vector<ir::NdArray> inDouble(std::span<const ir::NdArray> arrays, const ArgumentSet &set,
                                  std::span<const std::size_t> bounded);

/// The name of the kernel's argument that is its buffer `buffer`; empty where there is none.
std::string bufferName(const KernelFile &kernel, std::size_t buffer);

/// Numbers in all lanes of all elements.
std::int64_t numbersIn(const ir::NdArray &array);

/// Seeded numbers of that kind, within the range that `spec` states.
void fillRandomly(ir::NdArray &array, std::uint64_t seed, const BufferSpec &spec,
                  Values values = Values::Small);

/// "small numbers", as a person is told.
std::string_view describe(Values values);

/// Every byte of `array` becomes `pattern`, or 1 where it holds bools: what nobody writes then shows.
void spoil(ir::NdArray &array, std::byte pattern);

/// Every bit of the element becomes another one, but bools stay such. Its bytes.
std::span<std::byte> invertElement(ir::NdArray &array, std::size_t element);

} // namespace nestwright::measure
