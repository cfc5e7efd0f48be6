// SPDX-License-Identifier: Apache-2.0
/// One model being worked on: its graph, its kernels, and sessions on these.
#pragma once

#include "core/graph/passes/passes.h"
#include "core/graph/program.h"
#include "core/session/session.h"

#include <map>
#include <optional>
#include <set>
#include <stop_token>

namespace nestwright::session {

/// Whether a file of that name is a model.
bool isModelFile(const std::string &path);

/// Sizes of symbolic dimensions by name.
using Sizes = std::map<std::string, std::int64_t>;

/// How a model is made into a program.
struct ModelSettings {
    Sizes sizes;                                               ///< given for symbolic dimensions
    int level = 3;                                             ///< of optimisation
    std::set<std::string, std::less<>> required{}, disabled{}; ///< passes

    bool operator==(const ModelSettings &) const = default;
};

struct Model {
    std::string path;
    std::string name;          ///< for titles
    graph::Program program;    ///< optimised
    std::vector<double> flops; ///< of one call of each kernel, in order
    ModelSettings settings;
};

/// Errors: those of reading, importing and optimising; "model.open-sizes" when symbolic dimensions are left that the settings do
/// not name (each location's label is one); "model.not-built" where this program has no reader for ONNX.
support::Result<Model> openModel(const std::string &path, const ModelSettings &settings = {});

/// What each of the passes that run does to the model, in order. Errors: those of openModel, and "cancelled".
support::Result<std::vector<graph::GraphPassRecord>>
passRecords(const std::string &path, const ModelSettings &settings, std::stop_token stop = {});

/// "MODEL.onnx#KERNEL" taken apart; nothing where `text` has another form.
std::optional<std::pair<std::string, std::string>> kernelOfModel(const std::string &text);
/// That kernel as it is without a schedule. Errors: those of openModel; "model.kernel" (no kernel of that name).
support::Result<ir::Module> openKernelOfModel(const std::string &path, const std::string &kernel);

/// A session on one of the model's kernels. The steps of its default schedule are its first variants, the last of them the
/// current one.
support::Result<Session> beginKernel(const Model &model, int kernel);

} // namespace nestwright::session
