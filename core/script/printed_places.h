// SPDX-License-Identifier: Apache-2.0
/// Places of loops and blocks in the text of a program.
#pragma once

#include "core/ir/node/function.h"
#include "core/support/errors/diagnostic.h"

namespace nestwright::script {

/// The diagnostic with the lines of its loops and blocks in the module as `nestc print` writes it: where a
/// schedule has changed a program, its file has no lines for them. Those that the module does not have stay
/// as they are.
support::Diagnostic withPrintedPlaces(support::Diagnostic reason, const ir::Module &module);

} // namespace nestwright::script
