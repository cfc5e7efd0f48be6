// SPDX-License-Identifier: Apache-2.0
#include "tests/support/large_program.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/walk.h"
#include "core/script/print/printer.h"

#include <algorithm>
#include <format>
#include <vector>

namespace nestwright::tests {

namespace {

using ir::BinaryOp;
using ir::Expr;
using ir::Stmt;
using Wide = __int128;

/// Something is wrong at a point.
struct Wrong {
    std::string what;
};

/// One point of the loops after the other.
class Points : public ir::Visitor {
public:
    Points(Random &random, bool isWhole) : m_random(random), m_isWhole(isWhole) {}

    void stmt(const Stmt &s) override
    {
        if (const auto *loop = s.as<ir::For>())
            return run(*loop);
        if (const auto *block = s.as<ir::Block>())
            return run(*block);
        if (const auto *store = s.as<ir::BufferStore>())
            access(store->buffer, store->indices);
        children(s);
    }

    void expr(const Expr &e) override
    {
        const auto *call = e.as<ir::Call>();
        if (call && call->callee == ir::intrinsics::ifThenElse) // what is guarded may lie outside
            return;
        if (const auto *load = e.as<ir::BufferLoad>())
            access(load->buffer, load->indices);
        children(e);
    }

private:
    void run(const ir::For &loop)
    {
        const auto min = value(loop.min), extent = value(loop.extent);
        if (!min || !extent)
            return;
        if (*extent < 0 && ir::asInt(loop.extent))
            throw Wrong{std::format("loop '{}' has the extent {}", loop.var.name(), number(*extent))};
        if (*extent < 1)
            return;
        const double around = m_around;
        m_around *= static_cast<double>(*extent);
        const auto last = static_cast<std::int64_t>(*extent) - 1;
        const std::int64_t at = m_random.pick<std::int64_t>({0, last, m_random.between(0, last)});
        m_values[loop.var] = *min + at;
        stmt(loop.body);
        m_values.erase(loop.var);
        m_around = around;
    }

    void run(const ir::Block &block)
    {
        double points = 1;
        const double around = m_around;
        std::vector<std::pair<ir::Var, Wide>> bound;
        const auto holds = block.predicate ? value(block.predicate) : Wide(1);
        for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
            const ir::IterVar &iter = block.iterVars[i];
            const auto now = holds && *holds != 0 ? value(block.iterValues[i]) : std::nullopt;
            const auto min = value(iter.domain.min), extent = value(iter.domain.extent);
            if (extent && *extent < 1)
                throw Wrong{std::format("variable '{}' has the extent {}", iter.var.name(), number(*extent))};
            points *= extent ? static_cast<double>(*extent) : 1;
            if (!now)
                continue;
            if (min && extent && (*now < *min || *now >= *min + *extent))
                throw Wrong{
                    std::format("variable '{}' is {}, outside of its domain", iter.var.name(), number(*now))};
            bound.emplace_back(iter.var, *now);
        }
        if (m_isWhole && points > around)
            throw Wrong{std::format("block '{}' runs {} times at most, but has {} points", block.name, around,
                                    points)};
        if (!holds || *holds == 0)
            return;
        for (const auto &[var, now] : bound)
            m_values[var] = now;
        m_around = 1;
        for (const Stmt &part : {block.init, block.body}) {
            if (part)
                stmt(part);
        }
        m_around = around;
    }

    void access(const ir::Buffer &buffer, const std::vector<Expr> &indices)
    {
        for (std::size_t d = 0; d < indices.size(); ++d) {
            const auto at = value(indices[d]);
            const auto extent = value(buffer.shape()[d]);
            if (extent && *extent < 1)
                throw Wrong{std::format("dimension {} of '{}' is {}", d, buffer.name(), number(*extent))};
            if (at && extent && (*at < 0 || *at >= *extent))
                throw Wrong{std::format("'{}' is accessed at {}, beyond {}", buffer.name(), number(*at),
                                        number(*extent))};
        }
    }

    static std::string number(Wide value) { return std::format("{:.0f}", static_cast<double>(value)); }

    /// Without wrapping; nothing where it is more than integer arithmetic.
    std::optional<Wide> value(const Expr &e)
    {
        const auto known = exact(e);
        if (known && e.dtype().isInt()) {
            const Wide most = (Wide(1) << (e.dtype().bits - 1)) - 1;
            if (*known > most || *known < -most - 1)
                throw Wrong{std::format("{} is {}, more than {} holds", script::printExpr(e), number(*known),
                                        e.dtype().str())};
        }
        return known;
    }

    std::optional<Wide> exact(const Expr &e)
    {
        if (const std::int64_t *constant = ir::asInt(e))
            return *constant;
        if (const ir::Var var = ir::Var::from(e)) {
            const auto found = m_values.find(var);
            return found == m_values.end() ? std::nullopt : std::optional(found->second);
        }
        if (const auto *cast = e.as<ir::Cast>())
            return cast->dtype.isInt() ? value(cast->value) : std::nullopt;
        const auto *binary = e.as<ir::Binary>();
        if (!binary || !binary->a.dtype().isIntegral())
            return std::nullopt;
        if (binary->op == BinaryOp::And)
            return both(binary->a, binary->b);
        const auto a = value(binary->a);
        const auto b = value(binary->b);
        return a && b ? combined(binary->op, *a, *b) : std::nullopt;
    }

    /// One condition may be computed where the other does not hold: what it is then does not matter.
    std::optional<Wide> both(const Expr &a, const Expr &b)
    {
        std::optional<Wide> first, second;
        std::optional<Wrong> wrong;
        for (const auto &[condition, result] : {std::pair(&a, &first), std::pair(&b, &second)}) {
            try {
                *result = value(*condition);
            } catch (const Wrong &found) {
                wrong = found;
            }
        }
        if ((first && *first == 0) || (second && *second == 0))
            return 0;
        if (wrong)
            throw Wrong(*wrong);
        return first && second ? std::optional(Wide(1)) : std::nullopt;
    }

    static std::optional<Wide> combined(BinaryOp op, Wide a, Wide b)
    {
        switch (op) {
        case BinaryOp::Add: return a + b;
        case BinaryOp::Sub: return a - b;
        case BinaryOp::Mul: return a * b;
        case BinaryOp::Min: return std::min(a, b);
        case BinaryOp::Max: return std::max(a, b);
        case BinaryOp::LT: return a < b;
        case BinaryOp::LE: return a <= b;
        case BinaryOp::GT: return a > b;
        case BinaryOp::GE: return a >= b;
        case BinaryOp::EQ: return a == b;
        case BinaryOp::NE: return a != b;
        case BinaryOp::And: return a != 0 && b != 0;
        case BinaryOp::Or: return a != 0 || b != 0;
        case BinaryOp::FloorDiv:
        case BinaryOp::FloorMod: {
            if (b == 0)
                throw Wrong{"a division by 0"};
            const Wide quotient = a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
            return op == BinaryOp::FloorDiv ? quotient : a - quotient * b;
        }
        default: return std::nullopt;
        }
    }

    Random &m_random;
    bool m_isWhole;
    double m_around = 1;
    ir::VarMap<Wide> m_values;
};

} // namespace

std::string largeProgram(Random &random)
{
    const std::vector<std::int64_t> extents{1,     2,     3,     40,      1000,       46340,      46341,
                                            65535, 65536, 70000, 1 << 20, 1073741824, 2147483000, 2147483647};
    std::vector<std::int64_t> shape;
    double elements = 1;
    for (std::int64_t rank = random.between(1, 3); rank > 0; --rank) {
        const std::int64_t extent = random.pick(extents);
        elements *= static_cast<double>(extent);
        shape.push_back(elements > 1e15 ? 3 : extent);
    }
    std::string list, loops, names, variables, kinds;
    const bool isSum = random.chance(30);
    for (std::size_t i = 0; i < shape.size(); ++i) {
        list += std::format("{},", shape[i]);
        loops += std::format("{}i{}", i ? ", " : "", i);
        variables += std::format("{}v{}", i ? ", " : "", i);
        names += std::format("{}i{}", i ? ", " : "", i);
        kinds += isSum && i + 1 == shape.size() ? "R" : "S";
    }
    std::string text =
        std::format("@T.prim_func\ndef main(A: T.Buffer(({}), \"int8\"), C: T.Buffer(({}), \"int8\")):\n",
                    list, isSum ? "1," : list);
    text += std::format("    for {} in T.grid({}):\n        with T.block(\"C\"):\n            {} = "
                        "T.axis.remap(\"{}\", [{}])\n",
                        loops, list, shape.size() == 1 ? "v0" : variables,
                        isSum ? std::string(kinds.size(), 'R') : kinds, names);
    if (isSum)
        text += std::format("            with T.init():\n                C[0] = T.int8(0)\n"
                            "            C[0] = C[0] + A[{}]\n",
                            variables);
    else
        text += std::format("            C[{0}] = A[{0}] + T.int8(1)\n", variables);
    return text;
}

std::optional<std::string> whyWraps(const ir::PrimFunc &function, Random &random, bool isWhole)
{
    constexpr int points = 24;
    try {
        for (int i = 0; i < points; ++i)
            Points(random, isWhole).stmt(function.body);
    } catch (const Wrong &wrong) {
        return wrong.what;
    }
    return std::nullopt;
}

} // namespace nestwright::tests
