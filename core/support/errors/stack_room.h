// SPDX-License-Identifier: Apache-2.0
/// The end of the stack, met as an error of the input and not as a crash.
#pragma once

namespace nestwright::support {

/// Throws UserError (codes::tooDeep) where the recursion of this thread has used most of its stack. For
/// recursions over trees whose height the input decides; costs a nanosecond or two.
void checkStackRoom();

} // namespace nestwright::support
