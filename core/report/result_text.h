// SPDX-License-Identifier: Apache-2.0
/// Results of measurements in words, for reports of every form.
#pragma once

#include "core/session/session.h"

#include <string>

namespace nestwright::report {

/// "verified, 4 threads, calm"; "stored, not measured here, 4 threads, busy"; the reason of a failure. What a
/// file says is never called verified.
std::string resultText(const measure::Measurement &measured);

/// "target llvm, 2 threads, AMD EPYC 9B14, peak 150 GFLOPS. Written 2026-11-29": where and when a report was
/// made.
std::string originText(const session::Session &session);

} // namespace nestwright::report
