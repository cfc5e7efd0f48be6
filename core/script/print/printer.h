// SPDX-License-Identifier: Apache-2.0
/// Printing modules as TVMScript, with the place of every loop and block in the text.
#pragma once

#include "core/ir/node/function.h"
#include "core/script/dialect.h"

#include <string>
#include <vector>

namespace nestwright::script {

/// The lines of a loop or block from its head to the last line of its body; from 0, inclusive. Loops of one
/// `T.grid` share the first line. A root block that is only implied covers the body of its function.
struct LineSpan {
    ir::StmtId stmt;
    int firstLine = 0;
    int lastLine = 0;
    bool operator==(const LineSpan &) const = default;
};

/// A place where the variable of a loop is written: its definition or a use of it. Line and column count from
/// 0, columns in characters.
struct VarUse {
    int line = 0;
    int column = 0;
    int length = 0;
    ir::StmtId loop;
    bool operator==(const VarUse &) const = default;
};

struct Printed {
    std::string text;
    std::vector<LineSpan> spans; ///< in the order of their first lines
    std::vector<VarUse> varUses; ///< in the order of the text
};

/// How a program is written where its meaning leaves a choice.
struct PrintStyle {
    Dialect dialect = Dialect::Tvm023;
    int columns = 0;          ///< lines longer than that behind their indentation go on below; 0: none does
    bool splitsGrids = false; ///< each loop stands on a line of its own, none in T.grid
};

/// Columns of a line that is comfortably read.
inline constexpr int readableColumns = 80;

/// `parseTvmScript` of the text gives a module that equals `module`. Variables, buffers and functions whose
/// names clash or are no Python names get a suffix.
Printed print(const ir::Module &module, const PrintStyle &style);
Printed print(const ir::Module &module, Dialect dialect = Dialect::Tvm023);

/// One function alone, as a module of one function.
Printed print(const ir::Function &function, Dialect dialect = Dialect::Tvm023);

/// One expression on one line; free variables by their names.
std::string printExpr(const ir::Expr &e, Dialect dialect = Dialect::Tvm023);

/// `A[0:16, vj]`: as it stands in T.reads.
std::string printRegion(const ir::BufferRegion &region, Dialect dialect = Dialect::Tvm023);

} // namespace nestwright::script
