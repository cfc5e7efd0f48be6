// SPDX-License-Identifier: Apache-2.0
/// Parameters that name a program and a target, which most requests share.
#pragma once

#include "core/target/target.h"
#include "core/workbench/requests/request.h"

namespace nestwright::workbench {

inline constexpr Parameter moduleParameter{
    "module", ParameterKind::Text,
    "TVMScript or TE script, session, kernel of a model or op:NAME(…); #NAME names one of its variants",
    true};
inline constexpr Parameter scheduleParameter{
    "schedule", ParameterKind::Text, "schedule script, trace (.json) or recipe:NAME:values to run on it"};
inline constexpr Parameter targetParameter{"target", ParameterKind::Text,
                                           "target with its options; llvm where none is named"};

/// The program that the parameters name, with its steps from the program that the schedule begins at.
/// Remarks on its file are told.
support::Result<explore::StepPath> pathOf(Opener &opener, const Parameters &parameters);

/// Error: that of target::parseTarget.
support::Result<target::Target> targetOf(const Parameters &parameters);

} // namespace nestwright::workbench
