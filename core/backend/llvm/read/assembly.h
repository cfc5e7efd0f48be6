// SPDX-License-Identifier: Apache-2.0
/// LLVM's assembly, line by line.
#pragma once

#include "core/support/stmt_id.h"

#include <functional>
#include <string_view>

namespace nestwright::backend {

struct AssemblyLine {
    enum class Kind : std::uint8_t {
        Nothing,   ///< a comment alone, or what only tools read
        Function,  ///< its label
        Label,     ///< of a block within a function
        Directive, ///< of data
        Instruction
    };
    Kind kind = Kind::Nothing;
    std::string_view code;    ///< without comment, with the blanks before it
    std::string_view comment; ///< behind its mark
    support::StmtId stmt;     ///< of an instruction, by the debug location before it
};

/// `comment` begins a comment: "#", "//". Debug locations are lines whose number is a StmtId.
void forEachAssemblyLine(std::string_view text, std::string_view comment,
                         const std::function<void(const AssemblyLine &line)> &visit);

} // namespace nestwright::backend
