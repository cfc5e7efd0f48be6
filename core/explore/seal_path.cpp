// SPDX-License-Identifier: Apache-2.0
#include "core/explore/seal_path.h"

#include "core/analysis/counts.h"
#include "core/explore/bisect.h"
#include "core/explore/reduced_sizes.h"
#include "core/support/stop.h"

#include <algorithm>
#include <format>

namespace nestwright::explore {

using support::Result;

namespace {

double flopsOf(const ir::Module &module)
{
    double flops = 0;
    for (const ir::Module::Entry &entry : module.functions())
        flops += analysis::countsOf(*entry.function).flops;
    return flops;
}

/// Nothing where it stays as it is. Extents that do not fit the steps give way to larger ones.
std::optional<Reduced> cutPath(const StepPath &path, const SealCut &cut)
{
    constexpr std::int64_t least = 8, most = 256;
    if (cut.largest <= 0)
        return std::nullopt;
    const ir::Module &module = path.state(0).module;
    const auto flopsAt = [&](std::int64_t largest) {
        return flopsOf(withSizes(module, smallerSizes(module, largest, true)));
    };
    std::int64_t begin = cut.largest;
    while (begin > least && flopsAt(begin) > cut.flops)
        begin /= 2;
    for (std::int64_t largest = begin; largest <= std::max(most, cut.largest); largest *= 2) {
        support::checkStop();
        if (auto smaller = reduced(path, largest))
            return smaller->sizes.empty() ? std::nullopt : std::optional(*std::move(smaller));
    }
    return std::nullopt;
}

} // namespace

std::string SealedPath::describe() const
{
    const std::string ofSmaller = sizes.empty() ? "" : std::format(" (of a smaller kernel: {})", sizes);
    switch (seal.outcome) {
    case Seal::Outcome::Equal: return std::format("sealed: {}, rounding apart{}", seal.claim(), ofSmaller);
    case Seal::Outcome::DoesNotApply: return "the seal does not apply: " + seal.reason.message;
    case Seal::Outcome::Differs: break;
    }
    return std::format("not equal: {}{}{}", seal.reason.message, ofSmaller,
                       step ? std::format("; {}, breaks it", stepText) : "");
}

Result<SealedPath> sealPath(const StepPath &path, const SealCut &cut, const SealOptions &options)
{
    SealedPath result;
    const std::optional<Reduced> smaller = cutPath(path, cut);
    const StepPath *walked = smaller ? &smaller->path : &path;
    if (smaller)
        result.sizes = textOf(smaller->sizes);
    const ir::Module &unscheduled = walked->state(0).module;
    auto last = seal(unscheduled, walked->end().module, options);
    if (!last)
        return support::fail(std::move(last.error()));
    result.seal = *std::move(last);
    if (result.seal.outcome == Seal::Outcome::Differs && !keepsBuffers(unscheduled, walked->end().module))
        withdraw(result.seal);
    if (result.seal.outcome != Seal::Outcome::Differs || walked->size() == 0)
        return result;
    const PositionJudge judge = [&](std::size_t position, Round round) -> Opinion {
        SealOptions asked = options;
        asked.seed += round == Round::Confirmation ? 1 : 0;
        auto sealed = seal(unscheduled, walked->state(position).module, asked);
        if (!sealed)
            throw support::Stopped();
        switch (sealed->outcome) {
        case Seal::Outcome::Equal: return {};
        case Seal::Outcome::Differs: return {Judgement::Bad, std::move(sealed->reason)};
        case Seal::Outcome::DoesNotApply: break;
        }
        return {Judgement::Unknown, std::move(sealed->reason)};
    };
    const auto turn = bisect(walked->size(), judge);
    if (turn && *turn) {
        const std::size_t place = result.step.emplace((*turn)->bad - 1);
        result.stepText = std::format("step {} of {}, {}", place + 1, path.size(), path.label(place));
    }
    return result;
}

} // namespace nestwright::explore
