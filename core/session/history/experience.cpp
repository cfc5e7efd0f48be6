// SPDX-License-Identifier: Apache-2.0
#include "core/session/history/experience.h"

#include "core/explore/predict/prediction.h"
#include "core/ir/node/equality.h"
#include "core/measure/build/given_inputs.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <unordered_map>

namespace nestwright::session {

namespace {

constexpr int mostCompared = 3;
constexpr double leastChange = 1.05; ///< predicted; less says nothing of the prediction
constexpr double leastStrength = 0.25, mostStrength = 1.5;

const measure::Measurement *measuredAt(const Variant &variant)
{
    return variant.ok() && !variant.edit && variant.measurement && variant.measurement->ok()
               ? &*variant.measurement
               : nullptr;
}

/// The nearest measured variant that this one comes from: that at which its action was made, or one on the
/// way from the root.
const Variant *originOf(const VariantTree &tree, const Variant &variant)
{
    if (variant.madeFrom && measuredAt(tree.at(*variant.madeFrom)))
        return &tree.at(*variant.madeFrom);
    for (auto id = variant.parent; id; id = tree.at(*id).parent) {
        if (measuredAt(tree.at(*id)))
            return &tree.at(*id);
    }
    return nullptr;
}

/// Natural logarithms of how many times as fast a variant is, the first not negative.
struct Compared {
    double predicted = 0, measured = 0;
};

std::optional<Compared> compared(const Variant &from, const Variant &to, const target::Machine &machine)
{
    if (!measure::haveSameContent(from.measurement->inputs, to.measurement->inputs))
        return std::nullopt;
    const auto before = explore::predict(*from.state, machine), after = explore::predict(*to.state, machine);
    if (!before || !after || before->seconds <= 0 || after->seconds <= 0)
        return std::nullopt;
    const double predicted = std::log(before->seconds / after->seconds),
                 measured = std::log(from.measurement->time.median / to.measurement->time.median);
    if (std::abs(predicted) < std::log(leastChange))
        return std::nullopt;
    return predicted < 0 ? Compared{-predicted, -measured} : Compared{predicted, measured};
}

/// Times of measured programs, by their hash.
struct MeasuredProgram {
    ir::Module module;
    double seconds = 0;
};
using MeasuredPrograms = std::unordered_multimap<std::size_t, MeasuredProgram>;

MeasuredPrograms measuredPrograms(const VariantTree &tree)
{
    MeasuredPrograms programs;
    for (const Variant &each : tree.all()) {
        if (const measure::Measurement *measured = measuredAt(each))
            programs.emplace(ir::structuralHash(each.state->module),
                             MeasuredProgram{each.state->module, measured->time.median});
    }
    return programs;
}

} // namespace

explore::Experience experienceOf(const VariantTree &tree, VariantId current, const target::Machine &machine)
{
    explore::Experience experience;
    Compared sum;
    for (const Variant &each : std::views::reverse(tree.all())) {
        const Variant *origin = measuredAt(each) ? originOf(tree, each) : nullptr;
        const auto both = origin ? compared(*origin, each, machine) : std::nullopt;
        if (!both)
            continue;
        sum.predicted += both->predicted;
        sum.measured += both->measured;
        if (++experience.compared == mostCompared)
            break;
    }
    if (experience.compared > 0) {
        experience.tooGood = std::exp((sum.predicted - sum.measured) / experience.compared);
        experience.strength = std::clamp(sum.measured / sum.predicted, leastStrength, mostStrength);
    }
    if (const measure::Measurement *own = measuredAt(tree.at(tree.programOf(current))))
        experience.measuredGain = [programs = measuredPrograms(tree), own = own->time.median](
                                      const schedule::State &state) -> std::optional<double> {
            const auto [begin, end] = programs.equal_range(ir::structuralHash(state.module));
            for (auto each = begin; each != end; ++each) {
                if (ir::structurallyEqual(each->second.module, state.module))
                    return own / each->second.seconds;
            }
            return std::nullopt;
        };
    return experience;
}

} // namespace nestwright::session
