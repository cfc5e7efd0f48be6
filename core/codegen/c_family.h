// SPDX-License-Identifier: Apache-2.0
/// Flat programs as text of the C family. Differences between C, OpenCL C and CUDA are virtual functions.
#pragma once

#include "core/arith/analyzer.h"
#include "core/codegen/c_names.h"
#include "core/codegen/code_writer.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/function.h"

#include <set>
#include <string>
#include <vector>

namespace nestwright::codegen {

/// An argument of the function to write: a buffer's memory or a scalar.
struct Parameter {
    ir::Var var;        ///< the handle's data pointer for a buffer
    ir::DataType dtype; ///< of the elements, or of the scalar
    std::string name;
    bool isBuffer = false;
    bool isWritten = false;
};

/// Writes one function body at a time. Vector statements become loops over lanes, so that no vector types are
/// needed: each expression is written for one lane, called "lane".
///
/// Loop variables of C are 64 bits wide, half-precision numbers are computed in float and rounded after each
/// operation. Throws support::UserError "backend.unsupported" for constructs that the language lacks.
class CFamilyEmitter {
public:
    virtual ~CFamilyEmitter() = default;

    /// The statements of `body` at one level of indentation.
    CodeWriter body(const ir::Stmt &body, const std::vector<Parameter> &parameters);

    /// Helper functions that the text so far calls, as definitions; and headers it needs ("math.h").
    std::vector<std::string> helperDefinitions() const;
    const std::set<std::string> &headers() const { return m_headers; }
    /// Whether the body sets the variable `nw_error`, which the function must declare and return.
    bool usesError() const { return m_usesError; }
    const std::string &nameOf(const Parameter &parameter)
    {
        return m_names.of(parameter.var, parameter.name);
    }

    /// Type of an element in memory: bool is a byte, 16-bit floats are their bits.
    virtual std::string memoryType(ir::DataType type) const;
    /// Type of a value in expressions.
    virtual std::string valueType(ir::DataType type) const;

protected:
    /// Text with the precedence of its outermost operator.
    struct Text {
        std::string code;
        int precedence;
    };
    enum Precedence : std::uint8_t {
        Conditional = 10,
        Or = 20,
        And = 30,
        Compare = 50,
        Sum = 70,
        Product = 80,
        Prefix = 90,
        Primary = 100
    };
    static std::string wrapped(const Text &text, int least);

    // Statements: c_statements.cpp.
    void stmt(const ir::Stmt &s);
    virtual void loop(const ir::For &node);
    virtual void store(const ir::BufferStore &node);
    void branch(const ir::IfThenElse &node);
    void marked(const ir::AttrStmt &node);
    void vectorLet(const ir::LetStmt &node);
    void braced(const std::string &head, const ir::Stmt &body);

    /// The lines before a loop that is not Serial. `setsError`: its body sets `nw_error`.
    virtual void loopPragma(const ir::For &node, bool setsError);
    virtual void allocate(const ir::Allocate &node);
    /// Type of a loop's variable.
    virtual std::string counterType(const ir::For &node) const;

    // Expressions: c_expressions.cpp.
    Text expr(const ir::Expr &e);
    std::string code(const ir::Expr &e, int least = 0) { return wrapped(expr(e), least); }
    Text constant(const ir::IntImm &node) const;
    Text constant(const ir::FloatImm &node);
    Text binary(const ir::Binary &node);
    virtual Text arithmetic(const ir::Binary &node);
    virtual Text division(const ir::Binary &node);
    Text extremum(const ir::Binary &node);
    Text cast(const ir::Cast &node);
    std::string toInteger(const std::string &value, ir::DataType from, ir::DataType to);
    bool mayWrap(const ir::Expr &e) const;
    Text load(const ir::BufferLoad &node);
    std::string element(const ir::Buffer &buffer, const ir::Expr &index);
    Text rounded(Text text, ir::DataType type);
    std::string inMemory(const ir::Expr &value);

    // Calls: c_calls.cpp.
    virtual Text call(const ir::Call &node);
    Text bitwise(const ir::Call &node);
    Text reinterpret(const ir::Call &node);
    std::string bitsText(const ir::Expr &e);
    Text externCall(const ir::Call &node);
    virtual Text math(const ir::Call &node);
    /// A function of math.h for doubles, by its name for the type.
    virtual std::string mathName(std::string_view function, ir::DataType type) const;

    /// Declares the use of a helper of c_helpers.cpp; gives its name.
    std::string helper(const std::string &name);
    /// The definition of a helper in this language; `text` is that in C.
    virtual std::string definition(std::string_view name, std::string_view text) const;
    /// "f32", "i64", …: the ending of helpers for that type.
    static std::string suffix(ir::DataType type);

    CodeWriter m_out;
    CNames m_names;
    arith::Analyzer m_analyzer;
    std::set<std::string> m_headers;
    std::set<std::string> m_helpers;
    bool m_usesError = false;
    std::int64_t m_localBytes = 0;     ///< of local arrays so far
    ir::VarMap<ir::Expr> m_lets;       ///< let-bound variables of expressions, written out at their uses
    ir::VarSet m_fromMemory;           ///< variables of statements whose values are data
    ir::VarMap<std::string> m_special; ///< variables that are not read by their name alone
    ir::VarMap<std::string> m_vectors; ///< arrays of the lanes of a variable
    std::string m_lane = "lane";       ///< the lane that expressions are written for
};

} // namespace nestwright::codegen
