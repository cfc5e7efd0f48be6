// SPDX-License-Identifier: Apache-2.0
/// The syntax tree of the Python subset that modules, TE scripts and schedule scripts are written in.
///
/// Plain data: `if (const auto *call = e->as<py::Call>())`. Nodes are shared and immutable once parsed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace nestwright::script::py {

/// Position of a node's first character in its text; both count from 1, columns in characters.
struct Position {
    int line = 0;
    int column = 0;
    bool operator==(const Position &) const = default;
};

enum class ExprKind : std::uint8_t {
    Name,
    IntLiteral,
    FloatLiteral,
    StringLiteral,
    BoolLiteral,
    NoneLiteral,
    EllipsisLiteral,
    Unary,
    Binary,
    Compare,
    BoolOp,
    Conditional,
    Lambda,
    Attribute,
    Subscript,
    Slice,
    Call,
    Tuple,
    List,
    Dict,
    Starred,
    Comprehension,
};

enum class StmtKind : std::uint8_t {
    ExprStmt,
    Assign,
    AnnAssign,
    AugAssign,
    Return,
    Pass,
    Break,
    Continue,
    Assert,
    Raise,
    Delete,
    If,
    For,
    While,
    With,
    Try,
    FunctionDef,
    ClassDef,
    Import,
};

struct ExprNode {
    explicit ExprNode(ExprKind k) : kind(k) {}
    ExprNode(const ExprNode &) = default;
    virtual ~ExprNode() = default;

    ExprKind kind;
    Position at;
    Position end;   ///< just behind the last character
    int height = 1; ///< of the tree below; the parser bounds it, so recursion over a tree is safe

    template <class T> const T *as() const
    {
        return kind == T::nodeKind ? static_cast<const T *>(this) : nullptr;
    }
};
using Expr = std::shared_ptr<const ExprNode>;

struct StmtNode {
    explicit StmtNode(StmtKind k) : kind(k) {}
    StmtNode(const StmtNode &) = default;
    virtual ~StmtNode() = default;

    StmtKind kind;
    Position at;

    template <class T> const T *as() const
    {
        return kind == T::nodeKind ? static_cast<const T *>(this) : nullptr;
    }
};
using Stmt = std::shared_ptr<const StmtNode>;
using Body = std::vector<Stmt>;

template <ExprKind K> struct ExprOf : ExprNode {
    static constexpr ExprKind nodeKind = K;
    ExprOf() : ExprNode(K) {}
};
template <StmtKind K> struct StmtOf : StmtNode {
    static constexpr StmtKind nodeKind = K;
    StmtOf() : StmtNode(K) {}
};

// Expressions.

struct Name : ExprOf<ExprKind::Name> {
    std::string id;
};
/// Never negative (a minus sign is a Unary), except that 2^63 … 2^64-1 keep their bit pattern and are `wide`.
struct IntLiteral : ExprOf<ExprKind::IntLiteral> {
    std::int64_t value = 0;
    bool wide = false;
};
struct FloatLiteral : ExprOf<ExprKind::FloatLiteral> {
    double value = 0;
};
/// Adjacent literals are joined. `formatted` is an f-string, its text left as written.
struct StringLiteral : ExprOf<ExprKind::StringLiteral> {
    std::string value;
    bool formatted = false;
};
struct BoolLiteral : ExprOf<ExprKind::BoolLiteral> {
    bool value = false;
};
struct NoneLiteral : ExprOf<ExprKind::NoneLiteral> {};
struct EllipsisLiteral : ExprOf<ExprKind::EllipsisLiteral> {};

enum class UnaryOp : std::uint8_t { Minus, Plus, Not, Invert };
struct Unary : ExprOf<ExprKind::Unary> {
    UnaryOp op = UnaryOp::Minus;
    Expr operand;
};

enum class BinaryOp : std::uint8_t {
    Add,
    Sub,
    Mul,
    Div,      ///< /
    FloorDiv, ///< //
    Mod,
    Pow,
    MatMul, ///< @
    ShiftLeft,
    ShiftRight,
    BitAnd,
    BitOr,
    BitXor,
};
struct Binary : ExprOf<ExprKind::Binary> {
    BinaryOp op = BinaryOp::Add;
    Expr left, right;
};

enum class CompareOp : std::uint8_t { EQ, NE, LT, LE, GT, GE, Is, IsNot, In, NotIn };
/// `first op operand op operand …`, as in Python's chains.
struct Compare : ExprOf<ExprKind::Compare> {
    Expr first;
    std::vector<std::pair<CompareOp, Expr>> rest;
};

/// `and` / `or` of two or more operands.
struct BoolOp : ExprOf<ExprKind::BoolOp> {
    bool isAnd = true;
    std::vector<Expr> operands;
};

/// `trueValue if condition else falseValue`
struct Conditional : ExprOf<ExprKind::Conditional> {
    Expr condition, trueValue, falseValue;
};

struct Param {
    enum class Kind : std::uint8_t {
        Plain,
        VarArgs /* *args */,
        KeywordArgs /* **kwargs */,
        KeywordMarker /* bare * */
    };
    std::string name;
    Expr annotation;   ///< may be null
    Expr defaultValue; ///< may be null
    Kind kind = Kind::Plain;
    Position at;
};

struct Lambda : ExprOf<ExprKind::Lambda> {
    std::vector<Param> params;
    Expr body;
};

struct Attribute : ExprOf<ExprKind::Attribute> {
    Expr value;
    std::string name;
};

/// `value[items]`: one item per comma-separated entry, `isTuple` where a comma was written; `B[()]` has one
/// empty Tuple.
struct Subscript : ExprOf<ExprKind::Subscript> {
    Expr value;
    std::vector<Expr> items; ///< may be Slice nodes
    bool isTuple = false;
};

/// `lower:upper:step`, each may be null; only inside a Subscript.
struct Slice : ExprOf<ExprKind::Slice> {
    Expr lower, upper, step;
};

struct Keyword {
    std::string name; ///< empty for `**value`
    Expr value;
    Position at;
};
struct Call : ExprOf<ExprKind::Call> {
    Expr callee;
    std::vector<Expr> args; ///< may be Starred
    std::vector<Keyword> keywords;
};

struct Tuple : ExprOf<ExprKind::Tuple> {
    std::vector<Expr> items;
};
struct List : ExprOf<ExprKind::List> {
    std::vector<Expr> items;
};
struct Dict : ExprOf<ExprKind::Dict> {
    std::vector<std::pair<Expr, Expr>> items; ///< key null for `**value`
};
struct Starred : ExprOf<ExprKind::Starred> {
    Expr value;
};

/// `[element for target in iterable if condition …]`; `brackets` is '[', '(' or '{'.
struct Comprehension : ExprOf<ExprKind::Comprehension> {
    struct Clause {
        Expr target, iterable;
        std::vector<Expr> conditions;
    };
    char brackets = '[';
    Expr element;
    Expr value; ///< of a dict comprehension, else null
    std::vector<Clause> clauses;
};

// Statements.

struct ExprStmt : StmtOf<StmtKind::ExprStmt> {
    Expr value;
};
/// `a = b = value` has two targets.
struct Assign : StmtOf<StmtKind::Assign> {
    std::vector<Expr> targets;
    Expr value;
};
struct AnnAssign : StmtOf<StmtKind::AnnAssign> {
    Expr target, annotation;
    Expr value; ///< may be null
};
struct AugAssign : StmtOf<StmtKind::AugAssign> {
    Expr target;
    BinaryOp op = BinaryOp::Add;
    Expr value;
};
struct Return : StmtOf<StmtKind::Return> {
    Expr value; ///< may be null
};
struct Pass : StmtOf<StmtKind::Pass> {};
struct Break : StmtOf<StmtKind::Break> {};
struct Continue : StmtOf<StmtKind::Continue> {};
struct Assert : StmtOf<StmtKind::Assert> {
    Expr condition;
    Expr message; ///< may be null
};
struct Raise : StmtOf<StmtKind::Raise> {
    Expr value; ///< may be null
};
struct Delete : StmtOf<StmtKind::Delete> {
    Expr target;
};
/// An `elif` is an If alone in `orElse`.
struct If : StmtOf<StmtKind::If> {
    Expr condition;
    Body body, orElse;
};
struct For : StmtOf<StmtKind::For> {
    Expr target, iterable;
    Body body;
};
struct While : StmtOf<StmtKind::While> {
    Expr condition;
    Body body;
};
struct With : StmtOf<StmtKind::With> {
    struct Item {
        Expr context;
        Expr target; ///< behind `as`; may be null
    };
    std::vector<Item> items;
    Body body;
};
struct Try : StmtOf<StmtKind::Try> {
    struct Handler {
        Expr type;        ///< null for a bare `except`
        std::string name; ///< behind `as`; may be empty
        Body body;
    };
    Body body;
    std::vector<Handler> handlers;
    Body orElse, finally;
};
/// `n` or `n: int` in the head of `def f[n](…)`.
struct TypeParam {
    Position at;
    std::string name;
    Expr bound; ///< may be null
};
struct FunctionDef : StmtOf<StmtKind::FunctionDef> {
    std::vector<Expr> decorators;
    std::string name;
    std::vector<TypeParam> typeParams;
    std::vector<Param> params;
    Expr returns; ///< may be null
    Body body;
};
struct ClassDef : StmtOf<StmtKind::ClassDef> {
    std::vector<Expr> decorators;
    std::string name;
    std::vector<Expr> bases;
    Body body;
};
/// `import a.b as c` (from empty) or `from a.b import c as d`; a star is the name "*".
struct Import : StmtOf<StmtKind::Import> {
    std::string from;
    std::vector<std::pair<std::string, std::string>> names; ///< name, alias (empty when there is none)
};

struct Module {
    std::string fileName;
    Body body;
    bool saysTirx = false; ///< in a comment, as TVM prints its imports
};

/// "tvm.tir.exp" for a chain of attributes that begins with a name, else empty.
std::string dottedName(const Expr &e);

} // namespace nestwright::script::py
