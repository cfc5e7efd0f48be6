// SPDX-License-Identifier: Apache-2.0
/// Sessions on models on disk: the model, and the work on its kernels.
#pragma once

#include "core/graph/program/compile.h"
#include "core/session/model/model.h"
#include "core/session/model/model_times.h"

#include <string_view>

namespace nestwright::session {

/// The work on a model, apart from the model itself.
struct ModelWork {
    std::string modelPath;
    std::string modelHash; ///< of the file when it was worked on, as the caller computes it
    frontend::ModelSettings settings;
    std::map<std::string, Session> sessions; ///< by the kernel's name
    std::string kernel;                      ///< open kernel; empty: none
    std::vector<ModelTimes> times{};         ///< of the model, the older ones first
};

/// Whether the file is such a session, by how it begins.
bool isModelProject(const std::string &path);

/// The work as text; sessions are written as by writeProject.
std::string writeModelProject(const ModelWork &work);

/// Reads the work on a model. If the model is no longer at its path but lies beside the session file,
/// `modelPath` is the path there. Errors: those of readProject.
support::Result<ModelWork> readModelProject(std::string_view text, const std::string &fileName);
/// Errors: "open.no-file" and those of readModelProject.
support::Result<ModelWork> loadModelProject(const std::string &path);

/// Adds times behind those that the file keeps; all else in it stays as it is. Errors: those of
/// readModelProject, "file.write".
support::Result<void> keepTimes(const std::string &path, const ModelTimes &times);

/// A note where kernels are scheduled for vectors or registers that the machine here does not have
/// ("session.other-machine").
std::optional<support::Diagnostic> madeElsewhere(const frontend::ModelSettings &settings);

/// Error: "session.no-model" (it is not there).
support::Result<void> checkModelOf(const ModelWork &work);
/// The model of the work. Errors: "session.no-model" (it is not there), those of openModel.
support::Result<Model> openModelOf(const ModelWork &work);

/// Work reapplied to the kernels of a model that compute the same, whatever they are called now.
struct Reapplied {
    std::map<int, Session> sessions;     ///< by the kernel's place in the program
    std::map<std::string, Session> left; ///< kernels that were worked on, but that the model no longer has
};
Reapplied reapply(const std::map<std::string, Session> &sessions, const graph::Program &program);

/// The schedules that kernels of the program have by their sessions' current variants.
graph::Schedules schedulesOf(const Reapplied &work, const graph::Program &program);

/// "P.nest#KERNEL" taken apart, and the file of a session on a model with the kernel that is open there;
/// nothing where `text` is neither.
std::optional<std::pair<std::string, std::string>> kernelOfModelProject(const std::string &text);
/// The session on that kernel: as it is kept, or as it begins. Errors: those of loadModelProject and of
/// openModelOf; "model.kernel" (no kernel of that name; the hint lists some).
support::Result<Session> loadKernelSession(const std::string &path, const std::string &kernel);

} // namespace nestwright::session
