// SPDX-License-Identifier: Apache-2.0
/// The standard streams of a program as it finds them: closed, full, or of somebody who reads no further.
#pragma once

#include "core/support/errors/result.h"

namespace nestwright::support {

/// Takes the places of standard streams that are closed, so that no file that is opened later becomes one of
/// them and gets what is printed. What is printed there is refused, as when it is closed.
void holdStandardStreams();

/// Makes a write beyond `ulimit -f` an error (EFBIG) instead of the end of this process and of those that it
/// starts.
void outliveFileLimit();

/// Remembers why something printed there was lost, for flushStandardOutput; the first reason counts.
void noteLostOutput(int error);

/// Prints what std::cout and stdout still hold. Error "file.write" where something printed there since the
/// program began was lost.
Result<void> flushStandardOutput();

} // namespace nestwright::support
