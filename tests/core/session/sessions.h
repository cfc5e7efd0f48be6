// SPDX-License-Identifier: Apache-2.0
/// A session on a small kernel, and steps for it.
#pragma once

#include "core/ir/build/walk.h"
#include "core/schedule/apply.h"
#include "core/session/session.h"

#include <QtLogging>

#include <string>
#include <utility>

namespace nestwright::tests {

inline session::Session begin(const std::string &what = "op:matmul(M=16,N=16,K=16)")
{
    auto session = session::Session::open(what);
    if (!session)
        qFatal("%s", session.error().render().c_str());
    return std::move(*session);
}

inline ir::StmtId loopNamed(const schedule::State &state, std::string_view name)
{
    ir::StmtId found;
    ir::forEachStmt(state.module.mainEntry()->function->body, [&](const ir::Stmt &s) {
        if (const auto *loop = s.as<ir::For>(); loop && loop->var.name() == name)
            found = loop->id;
        return true;
    });
    return found;
}

inline schedule::Step splitStep(const schedule::State &state, std::string_view loop, int factor)
{
    return schedule::makeStep("split", {{"loop", loopNamed(state, loop)},
                                        {"factors", schedule::ArgList{schedule::ArgValue(), factor}}})
        .value();
}

} // namespace nestwright::tests
