// SPDX-License-Identifier: Apache-2.0
/// Stopping work that nobody waits for any more, however deep in a recursion it is.
#pragma once

#include <stop_token>

namespace nestwright::support {

/// Thrown where work finds that it was to stop; caught only where its StopScope began. No std::exception, so
/// that nothing on the way takes it for an error of the input or of the program.
struct Stopped {};

/// While it lives, the work of this thread stops when `token` says so. Threads that the work starts take the
/// token of the one that starts them: `StopScope scope(token)` with `currentStop()` of that one.
class StopScope {
public:
    explicit StopScope(std::stop_token token);
    ~StopScope();
    StopScope(const StopScope &) = delete;
    StopScope &operator=(const StopScope &) = delete;

private:
    std::stop_token m_token;
    const std::stop_token *m_before;
};

/// The token of the innermost scope; one that never stops where there is none.
std::stop_token currentStop();

/// Throws Stopped where the work of this thread is to stop. One load: cheap enough for every node of a tree
/// and every turn of a loop.
void checkStop();

} // namespace nestwright::support
