// SPDX-License-Identifier: Apache-2.0
/// The version of the program and its build.
#pragma once

#include <span>
#include <string_view>

namespace nestwright::support {

/// A library from outside that was found when the program was built.
struct LinkedLibrary {
    std::string_view name;    ///< "LLVM"
    std::string_view use;     ///< "machine code"
    std::string_view version; ///< "19.1.7"; empty where it does not say
    std::string_view licence; ///< an expression of SPDX: "Apache-2.0 WITH LLVM-exception"
};

std::string_view programVersion();
/// "GNU 14.2.0"
std::string_view programCompiler();
std::span<const LinkedLibrary> linkedLibraries();

} // namespace nestwright::support
