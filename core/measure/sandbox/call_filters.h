// SPDX-License-Identifier: Apache-2.0
/// Lists of system calls for processes that run generated code, compile edited text, or load it (seccomp).
/// Calls of a list are allowed with harmless arguments only. All are false where the system has none.
#pragma once

namespace nestwright::measure {

/// Whether lists can be set up here: this build has libseccomp, and the system knows them.
bool canRestrictCalls();

/// Leaves this process, all its threads, a short list: memory, threads, clocks, open descriptors; with
/// `hasDriver` what a device's driver needs. Other calls end the process, a driver's fail.
bool restrictCalls(bool hasDriver);

/// Like `restrictCalls`, with the calls that load a library and that set up further restrictions.
bool allowLoading();

/// Makes calls fail that reach another process or machine; programs that are started keep to it.
bool forbidOthers();

} // namespace nestwright::measure
