// SPDX-License-Identifier: Apache-2.0
/// The last line of every reader: where its limits let something through that does not fit into memory, or
/// that the system refuses, that is an error of the input like others.
#pragma once

#include "core/support/errors/result.h"

#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

namespace nestwright::support {

/// Error "memory.exhausted", with the limit of this process where it has one.
Diagnostic outOfMemory(const std::string &what);
/// Error "system.refused": the system gave no thread, did not let a folder be read, and the like.
Diagnostic systemRefused(const std::string &what, const std::system_error &error);

/// The Result of `read`; `name` is of the file or command.
template <class Read> auto withinMemory(const std::string &name, Read &&read) -> decltype(read())
{
    try {
        return read();
    } catch (const std::bad_alloc &) {
        return fail(outOfMemory('"' + name + '"'));
    } catch (const std::length_error &) { // a container that no memory could hold
        return fail(outOfMemory('"' + name + '"'));
    } catch (const std::system_error &error) {
        return fail(systemRefused('"' + name + '"', error));
    }
}

} // namespace nestwright::support
