// SPDX-License-Identifier: Apache-2.0
#include "core/backend/device/device_source.h"

#include "core/lower/kernel_launch.h"

#include <algorithm>

namespace nestwright::backend {

using codegen::CodeWriter;

namespace {

void addLines(CodeWriter &out, std::string_view text)
{
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        out.line(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

} // namespace

DeviceSource writeKernels(const Unit &unit, codegen::KernelEmitter &emitter, std::string_view comment,
                          const std::function<std::vector<std::string>(std::string_view text)> &prelude)
{
    DeviceSource source;
    CodeWriter kernels, helpers;
    for (const ir::Module::Entry &entry : unit.flat.functions()) {
        if (!lower::isKernel(*entry.function))
            continue;
        const codegen::Kernel kernel = emitter.kernel(entry.name, *entry.function);
        kernels.blank();
        if (kernel.sharedAtLaunch > 0)
            kernels.line("// A launch gives a block " + std::to_string(kernel.sharedAtLaunch)
                         + " bytes of shared memory.");
        kernels.append(kernel.text);
        source.kernels.push_back({entry.name, kernel.threads, kernel.tellsErrors, kernel.sharedAtLaunch});
    }
    constexpr std::string_view ofC = "static inline";
    for (std::string definition : emitter.helperDefinitions()) {
        if (definition.starts_with("extern ")) // the device's language declares its own functions
            continue;
        if (definition.starts_with(ofC))
            definition.replace(0, ofC.size(), emitter.helperWords());
        helpers.blank();
        addLines(helpers, definition);
    }
    source.text.line(comment);
    for (const std::string &line : prelude(helpers.text() + kernels.text()))
        source.text.line(line);
    source.text.append(helpers);
    source.text.append(kernels);
    return source;
}

} // namespace nestwright::backend
