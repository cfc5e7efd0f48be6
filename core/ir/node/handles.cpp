// SPDX-License-Identifier: Apache-2.0
// Constructors and queries of the handles that expr.h, buffer.h and attr.h declare.
#include "core/ir/build/builder.h"

#include <string>
#include <utility>

namespace nestwright::ir {

Expr::Expr(int value) : Expr(intImm(value)) {}
Expr::Expr(std::int64_t value)
    : Expr(intImm(value, value == static_cast<std::int32_t>(value) ? DataType::int32() : DataType::int64()))
{
}
Expr::Expr(float value) : Expr(floatImm(value)) {}

Var::Var(std::string name, DataType dtype)
{
    auto node = std::make_shared<VarNode>();
    node->dtype = dtype;
    node->name = std::move(name);
    m_node = std::move(node);
}

Var::Var(std::string name, Pointee pointee)
{
    auto node = std::make_shared<VarNode>();
    node->dtype = DataType::handle();
    node->name = std::move(name);
    node->pointee = std::move(pointee);
    m_node = std::move(node);
}

Var Var::like(const Var &var, std::string name)
{
    auto node = std::make_shared<VarNode>(*var.get());
    node->name = std::move(name);
    return Var(std::move(node));
}

Var Var::from(const Expr &e)
{
    Var var;
    if (e.as<VarNode>())
        static_cast<Expr &>(var) = e;
    return var;
}

bool Buffer::hasDefaultOffset() const
{
    const Expr &offset = m_node->elemOffset;
    return !offset || (isConstInt(offset, 0) && offset.dtype() == indexType());
}

Buffer::Buffer(std::string name, std::vector<Expr> shape, DataType dtype, std::string scope)
{
    auto node = std::make_shared<BufferNode>();
    node->data = Var(name, DataType::handle());
    node->name = std::move(name);
    node->shape = std::move(shape);
    node->dtype = dtype;
    node->scope = std::move(scope);
    m_node = std::move(node);
}

AttrValue::AttrValue(const std::string &text) : value(stringImm(text)) {}

AttrValue::AttrValue(AttrRecord record) : value(std::make_shared<const AttrRecord>(std::move(record))) {}

const std::int64_t *AttrValue::asInt() const
{
    const Expr *e = asExpr();
    return e ? ir::asInt(*e) : nullptr;
}

const std::string *AttrValue::asString() const
{
    const Expr *e = asExpr();
    const StringImm *text = e ? e->as<StringImm>() : nullptr;
    return text ? &text->value : nullptr;
}

} // namespace nestwright::ir
