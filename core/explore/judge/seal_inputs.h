// SPDX-License-Identifier: Apache-2.0
/// Random arguments of programs that are sealed.
#pragma once

#include "core/analysis/access/index_inputs.h"
#include "core/interp/field.h"
#include "core/interp/interpreter.h"
#include "core/ir/ndarray.h"
#include "core/support/errors/result.h"

#include <random>
#include <span>
#include <vector>

namespace nestwright::explore {

struct SealInput {
    ir::DataType dtype;
    std::vector<std::int64_t> shape;
    const analysis::IndexRange *range = nullptr; ///< of indices; null: any
    std::span<const std::int64_t> integers{};    ///< that the programs name
    std::span<const interp::Element> values{};   ///< that conditions of the programs may look for
    bool isSmall =
        false; ///< integers are all small: so are sums of several, which conditions then tell apart
};

/// Elements of the field in place of floating-point numbers, a quarter of them of `values` where there are
/// such; of integers a third of the type's whole range, a third small, the others those that the programs
/// name, or all of them small. Errors: "seal.too-large", "seal.sizes" (an extent is negative).
support::Result<ir::NdArray> sealInput(const SealInput &input, std::mt19937_64 &random);

/// Kinds of symbolic sizes: small primes, larger ones, 1, and numbers that the programs name, as the widths
/// of tiles are, or neighbours of such.
enum class SealSizes : std::uint8_t { Small, Larger, One, Named, NamedAgain };
inline constexpr int sealSizeKinds = 5;
/// Whether a program may well not hold for them.
constexpr bool isUnusual(SealSizes kind) { return kind >= SealSizes::One; }

/// The sizes `given`, and sizes of this kind for the function's other symbolic ones. `integers`: those that
/// the programs name.
interp::Sizes sealSizes(const ir::PrimFunc &function, const interp::Sizes &given, SealSizes kind,
                        std::span<const std::int64_t> integers, std::mt19937_64 &random);

/// The integers and the sizes with their neighbours: guards compare with such.
std::vector<std::int64_t> withSizes(std::span<const std::int64_t> integers, const interp::Sizes &sizes);

} // namespace nestwright::explore
