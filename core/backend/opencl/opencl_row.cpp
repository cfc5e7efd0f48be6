// SPDX-License-Identifier: Apache-2.0
// The row of OpenCL in the table of backends.
#include "core/backend/opencl/opencl_backend.h"
#include "core/backend/opencl/opencl_device.h"
#include "core/backend/table/backend_table.h"

#include <array>

namespace nestwright::backend {

const Backend &openclRow()
{
    static constexpr std::array loaders{Loader{Format::OpenClDevice, loadOnOpenCl}};
    static constexpr Backend row{
        .kind = target::TargetKind::OpenCl,
        .source = openClSource,
        .compile = openClCompile,
        .version = openClVersion,
        .loaders = loaders,
        .devices = {.list = openClDevices},
    };
    return row;
}

} // namespace nestwright::backend
