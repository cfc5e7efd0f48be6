// SPDX-License-Identifier: Apache-2.0
/// Lines of indented code with the lines that each statement became.
#pragma once

#include "core/script/print/printer.h"

#include <string>
#include <string_view>
#include <vector>

namespace nestwright::codegen {

class CodeWriter {
public:
    CodeWriter() = default;
    explicit CodeWriter(int depth) : m_depth(depth) {}

    int depth() const { return m_depth; }
    /// One line at the present indentation; `text` has no line break. A preprocessor line starts at the
    /// margin.
    void line(std::string_view text);
    void blank();
    /// Lines up to `outdent` stand further in.
    void indent() { ++m_depth; }
    void outdent() { --m_depth; }

    /// The lines between `begin` and `end` belong to `stmt` (nothing for none).
    void begin(ir::StmtId stmt);
    void end(ir::StmtId stmt);

    /// Puts the lines of `other` here, as they are.
    void append(const CodeWriter &other);

    const std::string &text() const { return m_text; }
    /// Spans in the order of their first lines.
    std::vector<script::LineSpan> spans() const;

private:
    struct Open {
        ir::StmtId stmt;
        int line = 0;
    };
    std::string m_text;
    int m_depth = 0;
    int m_lines = 0;
    std::vector<Open> m_open;
    std::vector<script::LineSpan> m_spans;
};

} // namespace nestwright::codegen
