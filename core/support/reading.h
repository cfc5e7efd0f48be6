// SPDX-License-Identifier: Apache-2.0
/// The last line of every reader: where its limits let something through that does not fit into memory, that
/// is an error of the input like others.
#pragma once

#include "core/support/result.h"

#include <new>
#include <stdexcept>
#include <string>

namespace nestwright::support {

/// Error "memory.exhausted".
inline Diagnostic outOfMemory(const std::string &what)
{
    return diagnostic("memory.exhausted", what + " needs more memory than there is")
        .withHint("use smaller sizes, or a machine with more memory");
}

/// The Result of `read`; `name` is of the file or command.
template <class Read> auto withinMemory(const std::string &name, Read &&read) -> decltype(read())
{
    try {
        return read();
    } catch (const std::bad_alloc &) {
        return fail(outOfMemory('"' + name + '"'));
    } catch (const std::length_error &) { // a container that no memory could hold
        return fail(outOfMemory('"' + name + '"'));
    }
}

} // namespace nestwright::support
