// SPDX-License-Identifier: Apache-2.0
/// SASS, the machine code of NVIDIA's GPUs as text, by NVIDIA's disassembler where it is on the machine.
#pragma once

#include "core/backend/listing/listing.h"
#include "core/support/errors/result.h"

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

namespace nestwright::backend {

/// The code in `cubin` as nvdisasm prints it, with the lines of the CUDA text. The program is the one that
/// NESTWRIGHT_NVDISASM names, or else the first in cudaFolders, or else on the PATH. Errors:
/// "cuda.no-disassembler"; "cuda.disassembler" with its messages; "cancelled". Throws support::UserError
/// where the temporary folder cannot be used.
support::Result<std::string> disassembled(const std::string &cubin, const std::stop_token &stop);

/// `printed` by nvdisasm without addresses, directives and what fills up behind a kernel, behind a comment.
/// `statementOf` gives the statement of a line of the CUDA text.
Listing cleanSass(std::string_view printed, std::string_view comment,
                  const std::function<support::StmtId(std::uint32_t line)> &statementOf);

} // namespace nestwright::backend
