// SPDX-License-Identifier: Apache-2.0
/// Choice of the variants of a session that are measured, and of the programs that they are timed beside.
#pragma once

#include "core/measure/measurer.h"
#include "core/session/session.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nestwright::workbench {

using session::VariantId;

/// How long a measurement takes.
struct MeasureEffort {
    int repetitions = 5;
    double secondsPerRepetition = 0.1;
};

/// Every variant without a figure of this program for the inputs that are given now, in the order made;
/// refused steps have no program to measure. Of a session that was just opened these are all.
std::vector<VariantId> unmeasured(const session::Session &session);

/// The unscheduled program, which the others are compared with, unless it has a figure for these inputs, be
/// it one that the session's file keeps.
std::optional<VariantId> missingReference(const session::Session &session);

/// The variant that `id` is timed in turns with: its parent, where that runs quickly.
std::optional<VariantId> rivalOf(const session::VariantTree &tree, VariantId id);

/// The name that tables have for a variant: a person's, "unscheduled", or "#3 split(i, [None, 4])".
std::string nameOf(const session::Variant &variant);

/// A job that times the variants in turns: on the session's target, beside the unscheduled program, with
/// edited code in place of a program's own. Inputs and effort are not filled in. Errors: those of
/// session::addTo (nobody has agreed to run edited code of a file, or it has conflicts).
support::Result<measure::MeasureJob> jobOf(const session::Session &session, std::span<const VariantId> ids);

/// The job of one variant behind its rival, or behind `base`, another program of the same kernel, where there
/// is one. The unscheduled program is timed less often: it may take seconds, and is only compared with.
support::Result<measure::MeasureJob> jobBesideRival(const session::Session &session, VariantId id,
                                                    const ir::Module *base, const MeasureEffort &effort);

/// The job of variants that are ranked (explore::rank). Events are counted of a few only: that takes time.
support::Result<measure::MeasureJob> rankingJob(const session::Session &session,
                                                std::span<const VariantId> ids, const MeasureEffort &effort);

} // namespace nestwright::workbench
