// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/open_kernel.h"

#include "core/catalog/preset.h"
#include "core/support/errors/codes.h"
#include "core/support/files/input_file.h"
#include "core/support/files/reading.h"
#include "core/support/phase.h"

#include <filesystem>

namespace nestwright::frontend {

using support::fail;
using support::Result;

Result<OpenedKernel> openKernelText(std::string_view text, const std::string &fileName)
{
    support::tellPhase("reading");
    const KernelForm &form = formOf(text);
    OpenedKernel opened;
    opened.kind = form.source;
    opened.text = text;
    if (form.read) {
        Result<ReadKernel> read = form.read(text, fileName);
        if (!read)
            return fail(read.error());
        static_cast<ReadKernel &>(opened) = std::move(*read);
        opened.graph = analysis::stageGraph(opened.module);
    }
    if (opened.name.empty())
        opened.name = std::filesystem::path(fileName).filename().string();
    return opened;
}

Result<OpenedKernel> openKernel(const std::string &pathOrPreset)
{
    if (catalog::isInvocation(pathOrPreset))
        return support::withinMemory(pathOrPreset,
                                     [&] { return openKernelText(pathOrPreset, pathOrPreset); });
    const auto text = support::readText(pathOrPreset);
    if (!text) {
        support::Diagnostic told = text.error();
        if (told.code == support::codes::noFile)
            told.hint = "an operator is written op:matmul(M=1024,N=1024,K=1024)";
        return fail(std::move(told));
    }
    return support::withinMemory(pathOrPreset, [&] { return openKernelText(*text, pathOrPreset); });
}

} // namespace nestwright::frontend
