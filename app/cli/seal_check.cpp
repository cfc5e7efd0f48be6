// SPDX-License-Identifier: Apache-2.0
#include "app/cli/seal_check.h"

#include "app/cli/command.h"
#include "core/explore/seal.h"
#include "core/ir/equality.h"
#include "core/support/json.h"

#include <format>
#include <iostream>

namespace nestwright::cli {

using explore::Seal;
using explore::SealedPath;
using support::Result;

namespace {

struct Sealed {
    SealedPath path;
    std::string step; ///< "step 4 of 9, reorder(k, j)"; empty where none is known
};

/// Of a schedule that begins at the unscheduled program each step can be named.
Result<Sealed> sealed(const SealCheck &check)
{
    const CommonOptions &common = check.common;
    const auto original = loadUnscheduled(common.module);
    if (!original)
        return support::fail(original.error());
    const auto target = lower::parseTarget(common.target);
    if (!target)
        return support::fail(target.error());
    const explore::SealOptions options{.seed = check.seed, .sizes = check.sizes, .target = *target};
    const auto begin = loadState(common.module);
    if (!begin)
        return support::fail(begin.error());
    const bool isOwn = !ir::structurallyEqual(begin->module, original->module);
    const auto path = pathOf(isOwn ? *begin : *original, common.schedule);
    if (!path)
        return support::fail(path.error());
    if (isOwn) {
        auto seal = explore::seal(original->module, path->end().module, options);
        return seal ? Result<Sealed>(Sealed{{*std::move(seal), {}, {}}, {}}) : support::fail(seal.error());
    }
    auto found = explore::sealPath(*path, check.extent, options);
    if (!found)
        return support::fail(found.error());
    Sealed result{*std::move(found), {}};
    if (const auto place = result.path.step)
        result.step = std::format("step {} of {}, {}", *place + 1, path->size(), path->label(*place));
    return result;
}

void showJson(const Sealed &sealed)
{
    const Seal &seal = sealed.path.seal;
    const bool isEqual = seal.outcome == Seal::Outcome::Equal;
    support::Json answer{{"outcome", isEqual                                  ? "sealed"
                                     : seal.outcome == Seal::Outcome::Differs ? "differs"
                                                                              : "does not apply"},
                         {"claim", seal.claim()},
                         {"draws", seal.draws},
                         {"seconds", seal.seconds}};
    if (!isEqual)
        answer["reason"] = {{"code", seal.reason.code}, {"message", seal.reason.message}};
    if (!sealed.path.sizes.empty())
        answer["sizes"] = sealed.path.sizes;
    if (sealed.path.step)
        answer["step"] = {{"number", *sealed.path.step + 1}, {"sentence", sealed.step}};
    std::cout << answer.dump(2) << '\n';
}

void showText(const Sealed &sealed)
{
    const Seal &seal = sealed.path.seal;
    const std::string sizes =
        sealed.path.sizes.empty() ? "" : std::format(" (of a smaller kernel: {})", sealed.path.sizes);
    switch (seal.outcome) {
    case Seal::Outcome::Equal:
        std::cout << std::format("sealed: {}, rounding apart{}\n", seal.claim(), sizes);
        return;
    case Seal::Outcome::DoesNotApply:
        std::cout << std::format("the seal does not apply: {}\n", seal.reason.message);
        break;
    case Seal::Outcome::Differs:
        std::cout << std::format("not equal: {}{}\n", seal.reason.message, sizes);
        if (!sealed.step.empty())
            std::cout << sealed.step << ", breaks it\n";
        break;
    }
    if (!seal.reason.hint.empty())
        std::cout << seal.reason.hint << '\n';
}

} // namespace

int sealCheck(const SealCheck &check)
{
    const auto answer = sealed(check);
    if (!answer)
        return report(answer.error());
    if (check.asJson)
        showJson(*answer);
    else
        showText(*answer);
    return answer->path.seal.outcome == Seal::Outcome::Differs ? No : Done;
}

} // namespace nestwright::cli
