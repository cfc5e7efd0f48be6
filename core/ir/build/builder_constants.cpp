// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ir/fold.h"

#include <limits>

namespace nestwright::ir {

Expr intImm(std::int64_t value, DataType dtype)
{
    IntImm node;
    node.dtype = dtype;
    node.value = wrapToType(value, dtype);
    return make(std::move(node));
}

Expr floatImm(double value, DataType dtype)
{
    FloatImm node;
    node.dtype = dtype;
    node.value = roundToType(value, dtype);
    return make(std::move(node));
}

Expr writtenFloat(double number, DataType dtype)
{
    if (dtype.isVector())
        return broadcast(writtenFloat(number, dtype.element()), dtype.lanes);
    FloatImm node;
    node.dtype = dtype;
    node.value = roundToType(number, dtype);
    node.written = number;
    return make(std::move(node));
}

Expr boolImm(bool value) { return intImm(value ? 1 : 0, DataType::boolean()); }

Expr stringImm(std::string value)
{
    StringImm node;
    node.dtype = DataType::handle();
    node.value = std::move(value);
    return make(std::move(node));
}

Expr constant(double value, DataType dtype)
{
    if (dtype.isVector())
        return broadcast(constant(value, dtype.element()), dtype.lanes);
    return dtype.isFloating() ? floatImm(value, dtype) : intImm(static_cast<std::int64_t>(value), dtype);
}

namespace {

double greatestFinite(DataType dtype)
{
    if (dtype.code == TypeCode::BFloat)
        return 3.3895313892515355e38;
    switch (dtype.bits) {
    case 16: return 65504.0;
    case 64: return std::numeric_limits<double>::max();
    default: return std::numeric_limits<float>::max();
    }
}

std::uint64_t allBits(DataType dtype) { return ~std::uint64_t{0} >> (64 - dtype.bits); }

} // namespace

Expr minValue(DataType dtype)
{
    if (dtype.isFloating())
        return constant(-greatestFinite(dtype), dtype);
    if (dtype.isUInt() || dtype.isBool())
        return intImm(0, dtype);
    return intImm(-static_cast<std::int64_t>(allBits(dtype) >> 1) - 1, dtype);
}

Expr maxValue(DataType dtype)
{
    if (dtype.isFloating())
        return constant(greatestFinite(dtype), dtype);
    const std::uint64_t all = allBits(dtype);
    return intImm(static_cast<std::int64_t>(dtype.isUInt() || dtype.isBool() ? all : all >> 1), dtype);
}

const std::int64_t *asInt(const Expr &e)
{
    const auto *imm = e.as<IntImm>();
    return imm ? &imm->value : nullptr;
}

bool isConstInt(const Expr &e, std::int64_t value)
{
    const std::int64_t *number = asInt(e);
    return number && *number == value;
}

bool isTrue(const Expr &e) { return e && e.dtype().isBool() && isConstInt(e, 1); }
bool isFalse(const Expr &e) { return e && e.dtype().isBool() && isConstInt(e, 0); }

} // namespace nestwright::ir
