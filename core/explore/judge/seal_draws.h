// SPDX-License-Identifier: Apache-2.0
/// Sizes and arguments of the draws in which two programs are compared.
#pragma once

#include "core/explore/judge/seal_facts.h"
#include "core/explore/judge/seal_inputs.h"
#include "core/interp/field.h"
#include "core/ir/node/function.h"

#include <map>
#include <set>
#include <span>

namespace nestwright::explore {

/// The arguments of one draw.
struct SealArguments {
    std::vector<ir::NdArray> arrays;
    std::vector<std::int64_t> scalars;
};

class SealDraws {
public:
    /// `sizes`: symbolic ones that are given.
    SealDraws(const ir::PrimFunc &unscheduled, const ir::PrimFunc &scheduled, const SealFacts &before,
              const SealFacts &after, const interp::Sizes &sizes);

    /// `keepsIndices`: integers that are indices stay within what they index. Errors: those of
    /// interp::argumentShapes and sealInput, "seal.other-buffers".
    support::Result<SealArguments> arguments(int draw, const interp::Field &field, std::mt19937_64 &random,
                                             bool keepsIndices);

    /// Whether the programs may well not hold for the sizes of the draw.
    bool mayFail(int draw) const { return m_hasSizes && isUnusual(kindOfSizes(draw)); }
    /// Kinds of sizes (that were chosen here), with indices within what they index and beyond.
    int kinds() const { return (m_hasSizes ? sealSizeKinds : 1) * (m_hasIndices ? 2 : 1); }
    bool hasIndices() const { return m_hasIndices; }
    bool hasIntegers() const { return m_hasIntegers; } ///< among the elements
    bool testsValues() const { return m_testsValues; } ///< by conditions
    const std::vector<double> &constants() const { return m_constants; }

private:
    SealSizes kindOfSizes(int draw) const;
    std::vector<interp::Element> valuesFor(int draw, const interp::Field &field,
                                           std::mt19937_64 &random) const;

    const ir::PrimFunc &m_unscheduled, &m_scheduled;
    const interp::Sizes &m_given;
    std::vector<double> m_constants;
    std::vector<std::int64_t> m_integers;
    bool m_testsValues;
    bool m_hasSizes = false, m_hasIndices = false, m_hasIntegers = false; ///< known after the first draw
};

} // namespace nestwright::explore
