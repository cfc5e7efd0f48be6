// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/answers/step_answers.h"

#include "core/measure/interval_json.h"
#include "core/support/text/json.h"

namespace nestwright::workbench {

using explore::Ablation;
using explore::AblationMode;
using explore::Contribution;
using explore::FoundStep;
using explore::Seal;
using support::Json;

Json toJson(const WrittenPath &written, const Ablation &ablation)
{
    Json steps = Json::array();
    for (const Contribution &step : ablation.steps) {
        Json others = Json::array();
        for (const std::size_t other : step.others)
            others.push_back(other + 1);
        Json entry{{"step", step.place + 1},
                   {"label", step.label},
                   {"line", written.lines.at(step.place)},
                   {"others", std::move(others)},
                   {"same", step.isSame}};
        if (step.without.median > 0)
            entry["without"] = measure::toJson(step.without);
        if (step.with.median > 0)
            entry["with"] = measure::toJson(step.with);
        if (step.gain) {
            entry["gain"] = measure::toJson(step.gain->ratio);
            entry["significant"] = step.gain->significant;
        }
        if (step.failure)
            entry["failure"] = step.failure->message;
        steps.push_back(std::move(entry));
    }
    Json answer{{"mode", ablation.mode == AblationMode::Added ? "added" : "removed"},
                {"steps", std::move(steps)},
                {"flops", ablation.flops},
                {"measured", ablation.measured},
                {"disturbed", ablation.disturbed}};
    if (ablation.first.median > 0)
        answer["unscheduled"] = measure::toJson(ablation.first);
    if (ablation.last.median > 0)
        answer["scheduled"] = measure::toJson(ablation.last);
    return answer;
}

Json toJson(const WrittenPath &written, const FoundStep &found, const std::string &script)
{
    Json steps = Json::array();
    for (std::size_t place = found.good; place < found.bad; ++place)
        steps.push_back(
            {{"step", place + 1}, {"label", written.path.label(place)}, {"line", written.lines.at(place)}});
    Json answer{{"found", true},
                {"sentence", found.sentence},
                {"detail", found.detail},
                {"steps", steps},
                {"of", written.path.size()},
                {"judgements", found.judgements},
                {"confirmed", found.isConfirmed},
                {"monotone", found.isMonotone},
                {"unknown", found.unknown},
                {"notes", found.notes}};
    if (found.smallest)
        answer["smallest"] = {{"steps", found.smallest->path.size()},
                              {"minimal", found.smallest->isMinimal},
                              {"judgements", found.smallest->judgements},
                              {"script", script}};
    return answer;
}

Json toJson(const explore::WrongPass &wrong, const std::string &pass, const std::string &sentence)
{
    return {{"found", true},
            {"sentence", sentence},
            {"detail", wrong.turn.reason.message},
            {"pass", pass},
            {"place", wrong.turn.bad},
            {"judgements", wrong.turn.judgements},
            {"monotone", wrong.turn.isMonotone}};
}

Json nothingFound(const std::string &sentence) { return {{"found", false}, {"sentence", sentence}}; }

Json toJson(const explore::SealedPath &sealed)
{
    const Seal &seal = sealed.seal;
    const bool isEqual = seal.outcome == Seal::Outcome::Equal;
    Json answer{{"outcome", isEqual                                  ? "sealed"
                            : seal.outcome == Seal::Outcome::Differs ? "differs"
                                                                     : "does not apply"},
                {"claim", seal.claim()},
                {"draws", seal.draws},
                {"seconds", seal.seconds}};
    if (!isEqual)
        answer["reason"] = {{"code", seal.reason.code}, {"message", seal.reason.message}};
    if (!sealed.sizes.empty())
        answer["sizes"] = sealed.sizes;
    if (!sealed.lost.empty())
        answer["lost"] = sealed.lost;
    if (sealed.step)
        answer["step"] = {{"number", *sealed.step + 1}, {"sentence", sealed.stepText}};
    return answer;
}

} // namespace nestwright::workbench
