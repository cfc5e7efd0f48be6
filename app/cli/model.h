// SPDX-License-Identifier: Apache-2.0
/// Opening models for the commands that work on them.
#pragma once

#include "core/graph/program/compile.h"
#include "core/session/model/model_project.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's own
class App;
}

namespace nestwright::cli {

/// Options shared by the commands on models.
struct ModelOptions {
    std::string model;
    frontend::ModelSettings settings;                        ///< but for the sizes and the machine
    target::Target scheduledFor{};                           ///< on this machine
    std::vector<std::string> sizes;                          ///< NAME=NUMBER: of symbolic dimensions
    std::vector<std::string> inputs;                         ///< NAME=FILE (.npy or .pb), or a folder of them
    frontend::GraphRequest request{.leavesSizesOpen = true}; ///< but for the data

    void add(CLI::App &app);
    /// All but the model itself.
    void addSettings(CLI::App &app);
    void addInputs(CLI::App &app);
};

/// The settings with the sizes. Error: "usage.size".
support::Result<frontend::ModelSettings> settingsOf(const ModelOptions &options);

/// A model that a command works on; the work of the session, where one was named in place of the model.
struct OpenedModel : frontend::ModelGraph {
    std::optional<session::ModelWork> work;
};

/// The work of the session that the options name, nothing where they name a model. Errors: "usage.settings"
/// (a session says itself how its model is made), those of session::loadModelProject.
support::Result<std::optional<session::ModelWork>> workOf(const ModelOptions &options);

/// Errors: "usage.size", "usage.file", those of workOf, readArray and frontend::openGraph;
/// "session.no-model".
support::Result<OpenedModel> openModel(const ModelOptions &options);

/// The schedules of a session for kernels of the program, where there is one, and in their place those that
/// are given, as KERNEL=S.py or, a trace, KERNEL=S.json. Notes kernels of the session that the program does
/// not have. Errors: "usage.schedule", "model.kernel" (no kernel of that name), those of the readers.
support::Result<graph::Schedules> kernelSchedules(const graph::Program &program,
                                                  const std::vector<std::string> &options,
                                                  const std::optional<session::ModelWork> &work = {});

/// Calls graph::compileKernels. Notes once where the folder of compiled kernels is not this user's alone.
support::Result<std::vector<backend::Artifact>> compiledKernels(const graph::Program &program,
                                                                const std::vector<ir::Module> &modules,
                                                                const target::Target &target,
                                                                const graph::CompileProgress &progress = {});

struct CompiledModel {
    graph::Program program;
    std::vector<backend::Artifact> artifacts;
};

/// The program compiled with these schedules, the default ones for other kernels. Errors: those of
/// graph::scheduleKernels and graph::compileKernels.
support::Result<CompiledModel> compiledWith(graph::Program program, const graph::Schedules &schedules,
                                            const target::Target &target,
                                            const graph::CompileProgress &progress = {});
/// Contents of the inputs without a file.
enum class OtherInputs : std::uint8_t { Zeros, Random };
/// Random numbers are such as the input's narrow type has. Errors: those of Executor::setInput.
support::Result<void> setInputs(graph::Executor &executor, const frontend::ModelGraph &opened,
                                OtherInputs others);

/// An array from a .npy or .pb file.
support::Result<ir::NdArray> readArray(const std::string &path);
/// Writes a .npy or, by its ending, a .pb file. Elements of a narrow type keep it in a .pb file; .npy files
/// know no such type and get the wider one that they are held in, which is noted on standard error.
support::Result<void> writeArray(const std::string &path, const std::string &name, const ir::NdArray &array,
                                 ir::DataType narrow = {});

} // namespace nestwright::cli
