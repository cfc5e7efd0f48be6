// SPDX-License-Identifier: Apache-2.0
// The row of CUDA in the table of backends.
#include "core/backend/cuda/cuda_backend.h"
#include "core/backend/cuda/cuda_compiler.h"
#include "core/backend/cuda/cuda_device.h"
#include "core/backend/cuda/emulated_device.h"
#include "core/backend/table/backend_table.h"
#include "core/support/text/json.h"

#include <array>

namespace nestwright::backend {

const Backend &cudaRow()
{
    static constexpr std::array loaders{Loader{Format::CudaDevice, loadOnCuda},
                                        Loader{Format::EmulatedDevice, loadEmulated}};
    static constexpr Backend row{
        .kind = target::TargetKind::Cuda,
        .source = cudaSource,
        .compile = cudaCompile,
        .version = cudaVersion,
        .check = cudaCheck,
        .loaders = loaders,
        .devices = {.list = cudaDevices,
                    .resources = cudaResources,
                    .answer = answerAsNvrtc,
                    .emulated = compileEmulated},
    };
    return row;
}

} // namespace nestwright::backend
