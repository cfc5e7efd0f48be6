// SPDX-License-Identifier: Apache-2.0
#include "core/backend/opencl/opencl_backend.h"

#include "core/backend/device_program.h"
#include "core/backend/opencl/opencl_device.h"
#include "core/backend/opencl/opencl_emitter.h"
#include "core/lower/kernel_launch.h"
#include "core/support/errors.h"

#include <algorithm>

namespace nestwright::backend {

using codegen::CodeWriter;
using support::fail;
using support::Result;

namespace {

struct Program {
    CodeWriter text;
    std::vector<DeviceProgram::Kernel> kernels;
};

void addLines(CodeWriter &out, std::string_view text)
{
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        out.line(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

Program write(const Unit &unit)
{
    OpenClEmitter emitter;
    Program program;
    CodeWriter kernels;
    for (const ir::Module::Entry &entry : unit.flat.functions()) {
        if (!lower::isKernel(*entry.function))
            continue;
        const codegen::Kernel kernel = emitter.kernel(entry.name, *entry.function);
        kernels.blank();
        kernels.append(kernel.text);
        program.kernels.push_back({entry.name, kernel.threads, kernel.tellsErrors});
    }
    CodeWriter helpers;
    for (const std::string &definition : emitter.helperDefinitions()) {
        helpers.blank();
        addLines(helpers, definition);
    }
    const std::string all = helpers.text() + kernels.text();
    program.text.line("/* Made by Nestwright. OpenCL C 1.2. */");
    if (all.contains("double"))
        program.text.line("#pragma OPENCL EXTENSION cl_khr_fp64 : enable");
    for (const std::string &line : codegen::KernelEmitter::integerNames(all))
        program.text.line(line);
    program.text.append(helpers);
    program.text.append(kernels);
    return program;
}

} // namespace

Result<Source> openClSource(const Unit &unit, const lower::Target &, SourceKind kind, std::stop_token)
try {
    const Program program = write(unit);
    return Source{program.text.text(), program.text.spans(), kind};
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
}

Result<Artifact> openClCompile(const Unit &unit, const lower::Target &target, std::stop_token)
try {
    Program written = write(unit);
    DeviceProgram program{hostPart(unit.flat), written.text.text(), std::move(written.kernels)};
    Artifact artifact;
    artifact.format = Format::Device;
    artifact.bytes = program.bytes();
    artifact.entries = unit.entries();
    artifact.target = target.str();
    return artifact;
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
}

std::string openClVersion()
{
    static const std::string version = [] {
        const std::vector<DeviceFacts> devices = openClDevices();
        return devices.empty() ? std::string() : devices.front().name + ", " + devices.front().driver;
    }();
    return version;
}

} // namespace nestwright::backend
