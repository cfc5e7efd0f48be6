// SPDX-License-Identifier: Apache-2.0
#include "core/measure/enclosed_loading.h"

#include "core/measure/sandbox.h"

#include <cstdlib>
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

} // namespace nestwright::measure
