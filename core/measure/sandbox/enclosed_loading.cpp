// SPDX-License-Identifier: Apache-2.0
#include "core/measure/sandbox/enclosed_loading.h"

#include "core/backend/link/compiler.h"
#include "core/measure/sandbox/sandbox.h"
#include "core/support/errors/errors.h"

#include <cstdlib>
#include <format>
#include <string>

namespace nestwright::measure {

support::Result<std::unique_ptr<backend::LoadedKernel>> loadEnclosed(const backend::Artifact &artifact,
                                                                     const std::filesystem::path &folder)
{
    if (backend::hasDriver(artifact.format)) {
        const std::filesystem::path place = folder / "driver";
        std::error_code error;
        std::filesystem::create_directories(place, error);
        forgetEnvironment();
        setenv("TMPDIR", place.c_str(), 1);
        setenv("HOME", place.c_str(), 1);
        setenv("POCL_CACHE_DIR", place.c_str(), 1);
        setenv("CUDA_CACHE_PATH", place.c_str(), 1);
        // Code for one size of blocks would be made at the first launch, which may run no compiler.
        setenv("POCL_WORK_GROUP_SPECIALIZATION", "0", 1);
        const char *driver = std::getenv("NESTWRIGHT_CUDA_DRIVER"); // a person's own
        confineFiles(place, driver ? driver : "");
    }
    return backend::load(artifact);
}

support::Result<std::vector<graph::Executor>> loadEnclosedModels(std::span<const ModelCode> models,
                                                                 const std::filesystem::path &folder)
try {
    std::vector<std::vector<backend::Artifact>> placed;
    for (const ModelCode &model : models) {
        placed.push_back(model.artifacts);
        for (std::size_t i = 0; i < placed.back().size(); ++i) {
            backend::Artifact &artifact = placed.back()[i];
            if (artifact.format != backend::Format::SharedObject)
                continue;
            const std::filesystem::path file = folder / std::format("{}-{}.so", placed.size(), i);
            backend::writeFile(file, artifact.bytes);
            artifact.file = file.string();
        }
    }
    confineLoading(folder / "1-0.so");
    std::vector<graph::Executor> executors;
    for (std::size_t i = 0; i < models.size(); ++i) {
        auto executor = graph::Executor::load(models[i].program, placed[i]);
        if (!executor)
            return support::fail(executor.error());
        executors.push_back(std::move(*executor));
    }
    return executors;
} catch (const support::UserError &error) {
    return support::fail(error.diagnostic());
}

} // namespace nestwright::measure
