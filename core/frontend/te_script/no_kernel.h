// SPDX-License-Identifier: Apache-2.0
/// Why a script makes no kernel, and what to open instead.
#pragma once

#include "core/script/python/ast.h"
#include "core/support/errors/diagnostic.h"

#include <string_view>

namespace nestwright::te {

/// "te.no-kernel" for a script that describes no tensor: programs of Relay, of other frameworks, fragments.
support::Diagnostic whyNoKernel(const script::py::Module &module, std::string_view text);

} // namespace nestwright::te
