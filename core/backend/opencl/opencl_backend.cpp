// SPDX-License-Identifier: Apache-2.0
#include "core/backend/opencl/opencl_backend.h"

#include "core/backend/device/device_source.h"
#include "core/backend/device/driver_process.h"
#include "core/backend/opencl/opencl_emitter.h"
#include "core/support/errors/errors.h"

namespace nestwright::backend {

using support::fail;
using support::Result;

namespace {

DeviceSource write(const Unit &unit)
{
    OpenClEmitter emitter;
    return writeKernels(unit, emitter, "/* Made by Nestwright. OpenCL C 1.2. */", [](std::string_view text) {
        std::vector<std::string> lines = codegen::KernelEmitter::integerNames(text);
        if (text.contains("double"))
            lines.insert(lines.begin(), "#pragma OPENCL EXTENSION cl_khr_fp64 : enable");
        return lines;
    });
}

} // namespace

Result<Source> openClSource(const Unit &unit, const target::Target &, SourceKind kind, std::stop_token)
try {
    const DeviceSource source = write(unit);
    return Source{source.text.text(), source.text.spans(), kind};
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
}

Result<Artifact> openClCompile(const Unit &unit, const target::Target &target, std::stop_token)
try {
    DeviceSource written = write(unit);
    return artifactOf({hostPart(unit.flat), written.text.text(), std::move(written.kernels)},
                      Format::OpenClDevice, unit, target);
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
}

std::string openClVersion()
{
    static const std::string version = [] {
        const auto devices = askForDevices(target::TargetKind::OpenCl);
        return devices ? devices->front().name + ", " + devices->front().driver : std::string();
    }();
    return version;
}

} // namespace nestwright::backend
