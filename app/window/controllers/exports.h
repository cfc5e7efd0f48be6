// SPDX-License-Identifier: GPL-3.0-or-later
/// The list of exports, and writing them.
#pragma once

#include "core/graph/program/compile.h"
#include "core/script/dialect.h"
#include "core/session/model/model.h"
#include "widgets/charts/chart_data.h"

#include <QString>

#include <stop_token>
#include <vector>

namespace nestwright::app {

struct ExportKind {
    QString id;        ///< "schedule", "tvmscript", "c", …
    QString title;     ///< "Schedule script"
    QString extension; ///< ".py"
    bool isChart = false;
    QString unavailable;  ///< why not, if it cannot be made
    bool isModel = false; ///< of the whole model, not of one kernel
};

/// Kinds in the order of the menu: readers of the schedule or program, code, charts.
const std::vector<ExportKind> &exportKinds();
const ExportKind *findExportKind(const QString &id);

/// The schedule of a variant as a script.
support::Result<std::string> scheduleScript(const session::Session &session, session::VariantId variant,
                                            script::Dialect dialect);

/// Writes the current variant of `session` in the form `id` (not a chart) to `path`, schedule and program
/// in `dialect`, code for `target`; takes as long as compiling does.
support::Result<void> writeExport(const session::Session &session, const target::Target &target,
                                  const QString &id, const QString &path, script::Dialect dialect,
                                  const std::stop_token &stop);

/// Writes the model in the form `id` with the schedules that its kernels have.
support::Result<void> writeModelExport(const session::Model &model, const graph::Schedules &schedules,
                                       const target::Target &target, const QString &id, const QString &path,
                                       const std::stop_token &stop);

} // namespace nestwright::app
