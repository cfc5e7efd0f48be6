// SPDX-License-Identifier: Apache-2.0
#include "app/cli/seal_check.h"

#include "app/cli/command.h"
#include "core/explore/judge/seal_path.h"
#include "core/support/text/json.h"
#include "core/workbench/answers/step_answers.h"

#include <format>
#include <iostream>

namespace nestwright::cli {

using explore::Seal;
using explore::SealedPath;
using support::Result;

namespace {

Result<SealedPath> sealed(const SealCheck &check)
{
    const CommonOptions &common = check.common;
    const auto target = target::parseTarget(common.target);
    if (!target)
        return support::fail(target.error());
    const explore::SealOptions options{.seed = check.seed, .sizes = check.sizes, .target = *target};
    const auto path = opener().loadPath(common.module, common.schedule);
    if (!path)
        return support::fail(path.error());
    explore::SealCut cut;
    if (check.extent)
        cut = {.work = 0, .extent = *check.extent};
    return explore::sealPath(*path, cut, options);
}

void showText(const SealedPath &sealed)
{
    std::cout << sealed.describe() << '\n';
    if (!sealed.seal.reason.hint.empty())
        std::cout << sealed.seal.reason.hint << '\n';
}

} // namespace

int sealCheck(const SealCheck &check)
{
    const auto answer = sealed(check);
    if (!answer)
        return report(answer.error());
    if (check.asJson)
        std::cout << workbench::toJson(*answer).dump(2) << '\n';
    else
        showText(*answer);
    return answer->seal.outcome == Seal::Outcome::Differs ? No : Done;
}

} // namespace nestwright::cli
