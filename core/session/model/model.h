// SPDX-License-Identifier: Apache-2.0
/// One model being worked on: its graph, its kernels, and sessions on these.
#pragma once

#include "core/frontend/model_graph.h"
#include "core/graph/program/program.h"
#include "core/session/session.h"

#include <optional>

namespace nestwright::session {

/// Whether a file of that name is a model.
bool isModelFile(const std::string &path);

struct Model {
    std::string path;
    std::string name;          ///< for titles
    graph::Program program;    ///< optimised
    std::vector<double> flops; ///< of one call of each kernel, in order
    frontend::ModelSettings settings;
    std::vector<graph::LateOutput> lateOutputs{};
    graph::LabelTable labels{};
};

/// Errors: those of openGraph and graph::makeProgram.
support::Result<Model> openModel(const std::string &path, const frontend::ModelSettings &settings);

/// Settings of a model for the machine that code for `target` runs on (measure::machineToScheduleFor).
frontend::ModelSettings settingsFor(const target::Target &target = {});

/// The change of the model by each of the passes that run, in order. Errors: those of openGraph.
support::Result<std::vector<graph::GraphPassRecord>>
passRecords(const std::string &path, const frontend::ModelSettings &settings, std::stop_token stop = {});

/// "MODEL.onnx#KERNEL" taken apart; nothing where `text` has another form.
std::optional<std::pair<std::string, std::string>> kernelOfModel(const std::string &text);
/// The kernel of that name without a schedule, as code for `target` has it. Errors: those of openModel;
/// "model.kernel" (no kernel of that name).
support::Result<ir::Module> openKernelOfModel(const std::string &path, const std::string &kernel,
                                              const target::Target &target = {});

/// A session on one of the model's kernels. The steps of its default schedule are its first variants, the
/// last of them the current one.
support::Result<Session> beginKernel(const Model &model, int kernel);

} // namespace nestwright::session
