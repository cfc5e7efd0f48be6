// SPDX-License-Identifier: Apache-2.0
/// Expressions: immutable nodes behind a value handle.
#pragma once

#include "core/ir/node/callee.h"
#include "core/ir/node/dtype.h"
#include "core/ir/node/fields.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace nestwright::ir {

enum class ExprKind : std::uint8_t {
    IntImm,
    FloatImm,
    StringImm,
    Var,
    Cast,
    Binary,
    Not,
    Select,
    Let,
    BufferLoad,
    Ramp,
    Broadcast,
    Call,
};

/// The common part of all expression nodes.
struct ExprNode {
    ExprKind kind;
    DataType dtype;
};

/// A shared, immutable expression; copying is cheap, a default-made one is null.
class Expr {
public:
    Expr() = default;
    Expr(int value);          ///< an int32 constant
    Expr(std::int64_t value); ///< int32 where it fits, else int64
    Expr(float value);        ///< a float32 constant
    explicit Expr(std::shared_ptr<const ExprNode> node) : m_node(std::move(node)) {}

    explicit operator bool() const { return m_node != nullptr; }
    const ExprNode *get() const { return m_node.get(); }
    ExprKind kind() const { return m_node->kind; }
    DataType dtype() const { return m_node->dtype; }
    /// The node when it is a T, else null: `if (const auto *load = e.as<BufferLoad>())`.
    template <class T> const T *as() const
    {
        return m_node && m_node->kind == T::nodeKind ? static_cast<const T *>(m_node.get()) : nullptr;
    }
    /// The same object (not merely an equal one).
    bool same(const Expr &other) const { return m_node == other.m_node; }

protected:
    std::shared_ptr<const ExprNode> m_node;
};

/// A node with its kind filled in; nodes derive from this.
template <ExprKind K> struct ExprNodeOf : ExprNode {
    static constexpr ExprKind nodeKind = K;
    ExprNodeOf() : ExprNode{K, {}} {}
};

struct IntImm : ExprNodeOf<ExprKind::IntImm> {
    std::int64_t value = 0; ///< uint64 constants keep their bit pattern
    static constexpr auto fields() { return std::tuple{&IntImm::value}; }
};

struct FloatImm : ExprNodeOf<ExprKind::FloatImm> {
    double value = 0; ///< rounded to the type: all that computes takes this
    std::optional<double>
        written; ///< the number that the program gives, which rounds to `value`: for its text
    static constexpr auto fields() { return std::tuple{&FloatImm::value, hint(&FloatImm::written)}; }
};

struct StringImm : ExprNodeOf<ExprKind::StringImm> {
    std::string value;
    static constexpr auto fields() { return std::tuple{&StringImm::value}; }
};

/// The element type of a pointer, where the program gives it: T.handle("float32", "shared").
struct Pointee {
    DataType dtype;
    std::string scope = "global";
    bool operator==(const Pointee &) const = default;
};

/// A variable; its identity is the object, the name is only for people.
struct VarNode : ExprNodeOf<ExprKind::Var> {
    std::string name;
    std::optional<Pointee>
        pointee; ///< absent for a plain T.handle, and for the pointers of buffers and allocations
    static constexpr auto fields() { return std::tuple{hint(&VarNode::name)}; }
};

class Var : public Expr {
public:
    Var() = default;
    explicit Var(std::string name, DataType dtype = DataType::int32());
    /// A pointer.
    Var(std::string name, Pointee pointee);
    /// Another variable of the same type as `like`.
    static Var like(const Var &var, std::string name);
    /// `node` must be a VarNode.
    explicit Var(std::shared_ptr<const VarNode> node) : Expr(std::move(node)) {}
    /// The variable that `e` is, or null.
    static Var from(const Expr &e);

    const VarNode *get() const { return static_cast<const VarNode *>(m_node.get()); }
    const VarNode *operator->() const { return get(); }
    const std::string &name() const { return get()->name; }
    bool operator==(const Var &other) const { return m_node == other.m_node; }
};

struct VarHash {
    std::size_t operator()(const Var &var) const noexcept { return std::hash<const void *>()(var.get()); }
};
template <class T> using VarMap = std::unordered_map<Var, T, VarHash>;

class Buffer;

struct Cast : ExprNodeOf<ExprKind::Cast> {
    Expr value;
    static constexpr auto fields() { return std::tuple{&Cast::value}; }
};

/// Div and Mod truncate towards zero, FloorDiv and FloorMod towards minus infinity.
enum class BinaryOp : std::uint8_t {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    FloorDiv,
    FloorMod,
    Min,
    Max,
    EQ,
    NE,
    LT,
    LE,
    GT,
    GE,
    And,
    Or,
};

struct Binary : ExprNodeOf<ExprKind::Binary> {
    BinaryOp op = BinaryOp::Add;
    Expr a, b;
    static constexpr auto fields() { return std::tuple{&Binary::op, &Binary::a, &Binary::b}; }
};

struct Not : ExprNodeOf<ExprKind::Not> {
    Expr a;
    static constexpr auto fields() { return std::tuple{&Not::a}; }
};

/// Both arms are evaluated; use the intrinsic if_then_else where one must not be.
struct Select : ExprNodeOf<ExprKind::Select> {
    Expr condition, trueValue, falseValue;
    static constexpr auto fields()
    {
        return std::tuple{&Select::condition, &Select::trueValue, &Select::falseValue};
    }
};

struct Let : ExprNodeOf<ExprKind::Let> {
    Expr value;
    Var var;
    Expr body;
    static constexpr auto fields() { return std::tuple{&Let::value, def(&Let::var), &Let::body}; }
};

/// base, base + stride, …: `lanes` values.
struct Ramp : ExprNodeOf<ExprKind::Ramp> {
    Expr base, stride;
    int lanes = 0;
    static constexpr auto fields() { return std::tuple{&Ramp::base, &Ramp::stride, &Ramp::lanes}; }
};

struct Broadcast : ExprNodeOf<ExprKind::Broadcast> {
    Expr value;
    int lanes = 0;
    static constexpr auto fields() { return std::tuple{&Broadcast::value, &Broadcast::lanes}; }
};

/// A call of an intrinsic, or of a name that no table has.
struct Call : ExprNodeOf<ExprKind::Call> {
    Callee callee;
    std::vector<Expr> args;
    static constexpr auto fields() { return std::tuple{&Call::callee, &Call::args}; }
};

// BufferLoad is in buffer.h.

} // namespace nestwright::ir
