// SPDX-License-Identifier: Apache-2.0
#include "core/explore/judge/seal_path.h"

#include "core/explore/judge/bisect.h"
#include "core/support/errors/stop.h"

#include <format>

namespace nestwright::explore {

using support::Result;

std::string SealedPath::describe() const
{
    const std::string ofSmaller = sizes.empty()
                                      ? ""
                                      : std::format(" (of a smaller kernel: {}{})", sizes,
                                                    lost.empty() ? "" : std::format("; there {}", lost));
    switch (seal.outcome) {
    case Seal::Outcome::Equal: return std::format("sealed: {}, rounding apart{}", seal.claim(), ofSmaller);
    case Seal::Outcome::DoesNotApply: return "the seal does not apply: " + seal.reason.message + ofSmaller;
    case Seal::Outcome::Differs: break;
    }
    return std::format("not equal: {}{}{}", seal.reason.message, ofSmaller,
                       step ? std::format("; {}, breaks it", stepText) : "");
}

Result<SealedPath> sealPath(const StepPath &path, const SealCut &cut, const SealOptions &options)
{
    SealedPath result;
    auto chosen = sizesToSeal(path, cut);
    if (!chosen) {
        result.seal.outcome = Seal::Outcome::DoesNotApply;
        result.seal.reason = std::move(chosen.error());
        return result;
    }
    const StepPath *walked = &chosen->path;
    result.sizes = textOf(chosen->sizes);
    result.lost = std::move(chosen->lost);
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
