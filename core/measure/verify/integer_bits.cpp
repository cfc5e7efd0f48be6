// SPDX-License-Identifier: Apache-2.0
#include "core/measure/verify/integer_bits.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace nestwright::measure {

namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

bool isWide(ir::DataType dtype) { return (dtype.isInt() || dtype.isUInt()) && dtype.bits >= 32; }

double largestInteger(ir::DataType dtype) { return std::ldexp(1, dtype.bits - (dtype.isUInt() ? 0 : 1)); }

/// Whether the function compares or divides integers of 32 bits or more that it was given.
bool comparesIntegers(const ir::Stmt &body)
{
    const auto isData = [](const ir::Expr &e) {
        bool found = false;
        ir::forEachExpr(e, [&](const ir::Expr &each) {
            found = found || each.as<ir::BufferLoad>();
            return !found;
        });
        return found && e.dtype().isInt() && e.dtype().bits >= 32;
    };
    bool compares = false;
    ir::forEachExpr(body, [&](const ir::Expr &e) {
        const auto *binary = e.as<ir::Binary>();
        const bool isOrder = binary
                             && (ir::isComparison(binary->op) || ir::isDivision(binary->op)
                                 || binary->op == ir::BinaryOp::Min || binary->op == ir::BinaryOp::Max);
        compares = compares || (isOrder && (isData(binary->a) || isData(binary->b)));
        return !compares;
    });
    return compares;
}

/// The largest magnitude of each integer of a function, for arguments with so many bits.
class Magnitudes {
public:
    Magnitudes(const ir::PrimFunc &function, const std::map<std::string, std::int64_t> &sizes, int bits)
        : m_sizes(sizes)
    {
        for (const ir::Param &param : function.params) {
            if (param.buffer && isWide(param.buffer.dtype()))
                m_memories[param.buffer->data] = std::ldexp(1, bits - 1);
        }
        stmt(function.body, 1);
    }

    bool overflows() const { return m_overflows; }

private:
    double extentOf(const ir::Expr &extent) const
    {
        const std::int64_t *known = ir::asInt(extent);
        const ir::Var size = ir::Var::from(extent);
        const auto given = size ? m_sizes.find(size.name()) : m_sizes.end();
        return known                    ? static_cast<double>(*known)
               : given != m_sizes.end() ? static_cast<double>(given->second)
                                        : unknown;
    }

    /// `rounds`: how often a statement may add to one element.
    void stmt(const ir::Stmt &s, double rounds)
    {
        if (const auto *loop = s.as<ir::For>()) {
            m_variables[loop->var] = value(loop->min) + extentOf(loop->extent);
            return stmt(loop->body, rounds * extentOf(loop->extent));
        }
        if (const auto *block = s.as<ir::Block>())
            return inBlock(*block, rounds);
        if (const auto *store = s.as<ir::BufferStore>())
            return stored(*store, rounds);
        struct Below : ir::Visitor {
            Magnitudes *all = nullptr;
            double rounds = 1;
            bool isTop = true;
            void stmt(const ir::Stmt &each) override
            {
                if (std::exchange(isTop, false))
                    return children(each);
                all->stmt(each, rounds);
            }
            void expr(const ir::Expr &each) override { all->value(each); }
        } below;
        below.all = this;
        below.rounds = rounds;
        below.stmt(s);
    }

    void inBlock(const ir::Block &block, double rounds)
    {
        double terms = 1;
        for (const ir::IterVar &each : block.iterVars) {
            m_variables[each.var] = value(each.domain.min) + extentOf(each.domain.extent);
            if (each.kind != ir::IterKind::Spatial)
                terms *= extentOf(each.domain.extent);
        }
        const bool isOpaque = block.iterVars.empty(); // whose loops may run over anything
        if (block.init)
            stmt(block.init, 1);
        stmt(block.body, isOpaque ? rounds : terms);
    }

    void stored(const ir::BufferStore &store, double rounds)
    {
        if (!isWide(store.buffer.dtype()))
            return;
        double &memory = m_memories[store.buffer->data];
        const double before = memory, once = std::max(before, value(store.value));
        memory = once;
        const double twice = std::max(once, value(store.value));
        if (twice > once) { // it adds to what is there, if it does no more than that
            const bool isSum = twice - once <= (once - before) * (1 + 1e-9);
            memory = isSum ? before + (once - before) * rounds : unknown;
        }
        note(store.buffer.dtype(), memory);
    }

    void note(ir::DataType dtype, double magnitude)
    {
        m_overflows = m_overflows || (isWide(dtype) && magnitude >= largestInteger(dtype));
    }

    double value(const ir::Expr &e)
    {
        const double magnitude = magnitudeOf(e);
        note(e.dtype(), magnitude);
        return magnitude;
    }

    double magnitudeOf(const ir::Expr &e)
    {
        if (const std::int64_t *known = ir::asInt(e))
            return std::abs(static_cast<double>(*known));
        if (const ir::Var var = ir::Var::from(e)) {
            const auto found = m_variables.find(var);
            return found != m_variables.end() ? found->second : std::min(extentOf(var), 1e6);
        }
        if (const auto *load = e.as<ir::BufferLoad>()) {
            const auto found = m_memories.find(load->buffer->data);
            if (found != m_memories.end())
                return found->second;
            return isWide(e.dtype()) || e.dtype().isFloating() ? 0 : largestInteger(e.dtype());
        }
        if (const auto *cast = e.as<ir::Cast>()) {
            const double from = value(cast->value);
            if (cast->value.dtype().isFloating()) // the random ones are not larger by much
                return std::ldexp(1, 20);
            return isWide(e.dtype()) ? from : std::min(from, largestInteger(e.dtype()));
        }
        if (const auto *binary = e.as<ir::Binary>())
            return ofBinary(*binary);
        if (const auto *select = e.as<ir::Select>()) {
            value(select->condition);
            return std::max(value(select->trueValue), value(select->falseValue));
        }
        if (const auto *let = e.as<ir::Let>()) {
            m_variables[let->var] = value(let->value);
            return value(let->body);
        }
        if (const auto *call = e.as<ir::Call>()) {
            double most = 0;
            for (const ir::Expr &arg : call->args)
                most = std::max(most, value(arg));
            return most;
        }
        return 1;
    }

    double ofBinary(const ir::Binary &binary)
    {
        const double a = value(binary.a), b = value(binary.b);
        switch (binary.op) {
        case ir::BinaryOp::Add:
        case ir::BinaryOp::Sub: return a + b;
        case ir::BinaryOp::Mul: return a == 0 || b == 0 ? 0 : a * b;
        case ir::BinaryOp::Min:
        case ir::BinaryOp::Max: return std::max(a, b);
        case ir::BinaryOp::Div:
        case ir::BinaryOp::FloorDiv: return a;
        case ir::BinaryOp::Mod:
        case ir::BinaryOp::FloorMod: return b;
        default: return 1;
        }
    }

    const std::map<std::string, std::int64_t> &m_sizes;
    ir::VarMap<double> m_variables, m_memories;
    bool m_overflows = false;
};

} // namespace

int integerBits(const ir::PrimFunc &function, const std::map<std::string, std::int64_t> &sizes)
{
    const int least = comparesIntegers(function.body) ? 11 : 18;
    int bits = 31;
    while (bits > least && Magnitudes(function, sizes, bits).overflows())
        --bits;
    return bits;
}

} // namespace nestwright::measure
