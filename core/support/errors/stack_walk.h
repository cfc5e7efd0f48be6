// SPDX-License-Identifier: Apache-2.0
/// The stack of the thread that asks, within a signal handler too.
#pragma once

#include <cstdint>

namespace nestwright::support {

struct StackFrame {
    std::uintptr_t address = 0;
    const char *function = nullptr; ///< as the linker knows it; null where that is not known
    const char *file = nullptr; ///< of the source, or of the library where only that is known; may be null
    int line = 0;               ///< 0 where it is not known
};

/// Whether frames get the names of functions that no library exports, and lines of source: that takes
/// libbacktrace.
bool hasSymbolNames();

/// Allocates the memory for walking; call it before a handler needs it.
void prepareStackWalk();

/// Calls `visit(context, frame)` for each frame, the innermost first, without the caller's own. Without
/// `named` only addresses are found, which takes less of a damaged process.
void walkStack(bool named, void (*visit)(void *context, const StackFrame &frame), void *context);

} // namespace nestwright::support
