// SPDX-License-Identifier: Apache-2.0
#include "core/backend/link/compiled_files.h"

#include "core/backend/link/compiler.h"

#include <algorithm>

namespace nestwright::backend {

support::Result<std::string> compiledFiles(const std::vector<ExportFile> &inputs,
                                           std::vector<std::string> options, const std::string &output,
                                           const std::stop_token &stop)
{
    const TemporaryFolder folder;
    const std::filesystem::path result = folder.path() / output;
    // Search path of an assembler file for data; a separate argument, since -Wa, splits at commas.
    options.insert(options.end(), {"-Xassembler", "-I" + folder.path().string()});
    for (const ExportFile &input : inputs) {
        writeFile(folder.path() / input.name, input.bytes);
        if (!input.name.ends_with(".bin") && !input.name.ends_with(".h"))
            options.push_back((folder.path() / input.name).string());
    }
    options.insert(options.end(), {"-o", result.string()});
    if (!std::ranges::contains(options, "-r"))
        options.insert(options.end(), {"-lm", "-pthread"});
    if (const auto ran = runCompiler(options, stop); !ran)
        return std::unexpected(ran.error());
    return readFile(result);
}

} // namespace nestwright::backend
