// SPDX-License-Identifier: Apache-2.0
#include "core/session/history/script_branch.h"

namespace nestwright::session {

VariantId addBranch(Session &session, const schedule::ScriptRun &run)
{
    VariantId at = session.tree().root().id;
    for (const schedule::ScriptStep &each : run.steps) {
        if (!each.step.primitive->isQuery)
            at = session.apply(at, each.step);
    }
    session.tree().setCurrent(at);
    return at;
}

} // namespace nestwright::session
