// SPDX-License-Identifier: Apache-2.0
#include "core/interp/elementwise.h"

#include "core/ir/build/builder.h"
#include "core/ir/fold.h"
#include "core/support/parallel.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

namespace nestwright::interp {

namespace {

using ir::BinaryOp;
using ir::DataType;
using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t rowLength = 512;
/// Fewer take less time than a thread.

bool isInteger(DataType type)
{
    return type.lanes == 1 && (type.isInt() || type.isUInt()) && type.bits <= 32;
}
bool isFloat(DataType type) { return type == DataType::float32(); }

/// A value of each element of a row; integers as 64 bits.
class Term {
public:
    explicit Term(DataType type) : m_isFloat(isFloat(type)) {}
    virtual ~Term() = default;
    /// Fills the first `count` values; `outer`: the loops outside the row.
    virtual void fill(const Numbers &outer, std::int64_t first, std::int64_t count) = 0;

    bool isFloat32() const { return m_isFloat; }
    std::array<float, rowLength> floats{};
    std::array<std::int64_t, rowLength> integers{};

protected:
    template <typename Set> void each(std::int64_t count, const Set &set)
    {
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
            set(i);
    }

private:
    bool m_isFloat;
};
using TermPtr = std::unique_ptr<Term>;

/// Elements of an array that lie `strides` apart along each loop.
struct Access {
    const std::byte *data = nullptr;
    DataType type;
    Numbers strides;

    std::int64_t offset(const Numbers &outer, std::int64_t first) const
    {
        std::int64_t sum = first * strides.back();
        for (std::size_t i = 0; i < outer.size(); ++i)
            sum += outer[i] * strides[i];
        return sum;
    }
};

/// Calls `visit` with a value of the elements' type.
template <typename Visit> void withIntegerOrFloat(DataType type, const Visit &visit)
{
    // NOLINTBEGIN(bugprone-branch-clone): the types differ
    if (isFloat(type))
        visit(float());
    else if (type.bits == 32 && type.isInt())
        visit(std::int32_t());
    else if (type.bits == 32)
        visit(std::uint32_t());
    else if (type.bits == 16 && type.isInt())
        visit(std::int16_t());
    else if (type.bits == 16)
        visit(std::uint16_t());
    else if (type.isInt())
        visit(std::int8_t());
    else
        visit(std::uint8_t());
    // NOLINTEND(bugprone-branch-clone)
}

class Load : public Term {
public:
    explicit Load(const Access *access) : Term(access->type), m_access(access) {}
    void fill(const Numbers &outer, std::int64_t first, std::int64_t count) override
    {
        withIntegerOrFloat(m_access->type, [&](auto element) {
            using Element = decltype(element);
            const auto *from =
                reinterpret_cast<const Element *>(m_access->data) + m_access->offset(outer, first);
            const std::int64_t stride = m_access->strides.back();
            const auto copy = [&](auto &to) {
                // NOLINTNEXTLINE(bugprone-signed-char-misuse): signs are kept
                each(count, [&](std::size_t i) { to[i] = from[static_cast<std::int64_t>(i) * stride]; });
            };
            if constexpr (std::is_same_v<Element, float>)
                copy(floats);
            else
                copy(integers);
        });
    }

private:
    const Access *m_access;
};

class Constant : public Term {
public:
    Constant(DataType type, double real, std::int64_t integer) : Term(type)
    {
        floats.fill(static_cast<float>(real));
        integers.fill(integer);
    }
    void fill(const Numbers & /*outer*/, std::int64_t /*first*/, std::int64_t /*count*/) override {}
};

class Converted : public Term {
public:
    Converted(DataType type, TermPtr from) : Term(type), m_type(type), m_from(std::move(from)) {}
    void fill(const Numbers &outer, std::int64_t first, std::int64_t count) override
    {
        m_from->fill(outer, first, count);
        if (isFloat32())
            each(count, [&](std::size_t i) { floats[i] = static_cast<float>(m_from->integers[i]); });
        else
            each(count, [&](std::size_t i) { integers[i] = ir::wrapToType(m_from->integers[i], m_type); });
    }

private:
    DataType m_type;
    TermPtr m_from;
};

class Arithmetic : public Term {
public:
    Arithmetic(DataType type, BinaryOp op, TermPtr a, TermPtr b)
        : Term(type)
        , m_type(type)
        , m_op(op)
        , m_a(std::move(a))
        , m_b(std::move(b))
    {
    }
    void fill(const Numbers &outer, std::int64_t first, std::int64_t count) override
    {
        m_a->fill(outer, first, count);
        m_b->fill(outer, first, count);
        if (isFloat32()) {
            withOperator([&](const auto &apply) {
                each(count, [&](std::size_t i) { floats[i] = apply(m_a->floats[i], m_b->floats[i]); });
            });
            return;
        }
        withOperator([&](const auto &apply) {
            each(count, [&](std::size_t i) {
                integers[i] = ir::wrapToType(apply(m_a->integers[i], m_b->integers[i]), m_type);
            });
        });
    }

private:
    template <typename Use> void withOperator(const Use &use) const
    {
        if (m_op == BinaryOp::Add)
            use([](auto a, auto b) { return a + b; });
        else if (m_op == BinaryOp::Sub)
            use([](auto a, auto b) { return a - b; });
        else if (m_op == BinaryOp::Mul)
            use([](auto a, auto b) { return a * b; });
        else // of floats only
            use([](auto a, auto b) {
                if constexpr (std::is_floating_point_v<decltype(a)>)
                    return a / b;
                else
                    return a;
            });
    }

    DataType m_type;
    BinaryOp m_op;
    TermPtr m_a, m_b;
};

/// A function in this form.
class Elementwise {
public:
    static std::optional<Elementwise> of(const ir::PrimFunc &function,
                                         std::span<const ir::NdArray *const> inputs, ir::NdArray &result)
    {
        Elementwise made;
        const ir::Block *block = made.nestOf(function);
        const auto *store = block ? block->body.as<ir::BufferStore>() : nullptr;
        if (!store || store->predicate || block->init || function.params.size() != inputs.size() + 1
            || !std::ranges::all_of(function.params, [](const ir::Param &p) { return bool(p.buffer); })
            || store->buffer != function.params.back().buffer)
            return std::nullopt;
        for (std::size_t i = 0; i < inputs.size(); ++i)
            made.m_arrays.emplace_back(function.params[i].buffer, inputs[i]);
        made.m_arrays.emplace_back(store->buffer, &result);
        made.m_to = result.bytes().data();
        made.m_result = made.access(store->buffer, store->indices);
        made.m_value = made.term(store->value);
        if (!made.m_result || !made.m_value || store->value.dtype() != store->buffer.dtype()
            || made.m_extents.empty())
            return std::nullopt;
        made.joinLoops();
        return made;
    }

    /// Iterations of all loops but the innermost.
    std::int64_t rows() const
    {
        std::int64_t count = 1;
        for (std::size_t i = 0; i + 1 < m_extents.size(); ++i)
            count *= m_extents[i];
        return count;
    }

    /// Some of the rows.
    void run(std::int64_t begin, std::int64_t end)
    {
        Numbers outer(m_extents.size() - 1, 0);
        if (begin < end) {
            std::int64_t rest = begin;
            for (std::size_t i = outer.size(); i-- > 0;) {
                outer[i] = rest % m_extents[i];
                rest /= m_extents[i];
            }
        }
        for (std::int64_t row = begin; row < end; ++row) {
            for (std::int64_t first = 0; first < m_extents.back(); first += rowLength) {
                const std::int64_t count = std::min(rowLength, m_extents.back() - first);
                m_value->fill(outer, first, count);
                store(outer, first, count);
            }
            for (std::size_t i = outer.size(); i-- > 0;) {
                if (++outer[i] < m_extents[i])
                    break;
                outer[i] = 0;
            }
        }
    }

private:
    /// The only block, whose variables are the loops; null where there are others.
    const ir::Block *nestOf(const ir::PrimFunc &function)
    {
        const auto *root = function.body.as<ir::Block>();
        if (!root || !root->allocBuffers.empty())
            return nullptr;
        const ir::Stmt *at = &root->body;
        std::vector<ir::Var> loops;
        while (const auto *loop = at->as<ir::For>()) {
            const std::int64_t *extent = ir::asInt(loop->extent);
            if (!extent || !ir::isConstInt(loop->min, 0))
                return nullptr;
            loops.push_back(loop->var);
            m_extents.push_back(*extent);
            at = &loop->body;
        }
        const auto *block = at->as<ir::Block>();
        if (!block || !ir::isConstInt(block->predicate, 1) || !block->allocBuffers.empty()
            || !block->matchBuffers.empty())
            return nullptr;
        for (std::size_t i = 0; i < block->iterVars.size(); ++i) {
            const auto *value = block->iterValues[i].as<ir::VarNode>();
            const auto loop = std::ranges::find_if(loops, [&](const ir::Var &v) { return v.get() == value; });
            if (block->iterVars[i].kind != ir::IterKind::Spatial
                || (loop == loops.end() && !ir::isConstInt(block->iterValues[i], 0)))
                return nullptr;
            m_variables.emplace_back(block->iterVars[i].var.get(),
                                     static_cast<std::size_t>(loop - loops.begin()));
        }
        return block;
    }

    Access *access(const ir::Buffer &buffer, const std::vector<ir::Expr> &indices)
    {
        const auto array = std::ranges::find_if(m_arrays, [&](const auto &a) { return a.first == buffer; });
        if (array == m_arrays.end() || (!isFloat(buffer.dtype()) && !isInteger(buffer.dtype()))
            || array->second->dtype() != buffer.dtype() || indices.size() != array->second->shape().size()
            || !buffer->strides.empty() || !buffer.hasDefaultOffset())
            return nullptr;
        Access made{array->second->bytes().data(), buffer.dtype(), Numbers(m_extents.size(), 0)};
        std::int64_t stride = 1;
        for (std::size_t i = indices.size(); i-- > 0;) {
            const std::int64_t size = array->second->shape()[i];
            const auto variable = std::ranges::find_if(
                m_variables, [&](const auto &v) { return v.first == indices[i].as<ir::VarNode>(); });
            const bool isLoop = variable != m_variables.end() && variable->second < m_extents.size();
            if (isLoop && m_extents[variable->second] > size)
                return nullptr; // reads outside it
            if (isLoop)
                made.strides[variable->second] += stride;
            else if (variable == m_variables.end() && !ir::isConstInt(indices[i], 0))
                return nullptr;
            stride *= size;
        }
        m_accesses.push_back(std::make_unique<Access>(std::move(made)));
        return m_accesses.back().get();
    }

    TermPtr term(const ir::Expr &value)
    {
        const DataType type = value.dtype();
        if (!isFloat(type) && !isInteger(type))
            return nullptr;
        if (const auto *load = value.as<ir::BufferLoad>()) {
            const Access *from = access(load->buffer, load->indices);
            return from ? std::make_unique<Load>(from) : nullptr;
        }
        if (const auto *number = value.as<ir::IntImm>())
            return std::make_unique<Constant>(type, 0, number->value);
        if (const auto *number = value.as<ir::FloatImm>())
            return std::make_unique<Constant>(type, number->value, 0);
        if (const auto *cast = value.as<ir::Cast>()) {
            TermPtr from = term(cast->value);
            return from && !from->isFloat32() ? std::make_unique<Converted>(type, std::move(from)) : nullptr;
        }
        const auto *binary = value.as<ir::Binary>();
        const bool isKnown =
            binary
            && (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub || binary->op == BinaryOp::Mul
                || (binary->op == BinaryOp::Div && isFloat(type)));
        TermPtr a = isKnown ? term(binary->a) : nullptr, b = a ? term(binary->b) : nullptr;
        return b ? std::make_unique<Arithmetic>(type, binary->op, std::move(a), std::move(b)) : nullptr;
    }

    /// Makes one loop of two where every array goes on from the inner to the outer one.
    void joinLoops()
    {
        for (std::size_t i = m_extents.size() - 1; i-- > 0;) {
            const bool isOne = std::ranges::all_of(m_accesses, [&](const auto &each) {
                return each->strides[i] == each->strides[i + 1] * m_extents[i + 1];
            });
            if (!isOne && m_extents[i] != 1 && m_extents[i + 1] != 1)
                continue;
            const bool keepsOuter = !isOne && m_extents[i + 1] == 1;
            for (const auto &each : m_accesses)
                each->strides.erase(each->strides.begin() + static_cast<std::ptrdiff_t>(i + keepsOuter));
            m_extents[i + 1 - keepsOuter] = m_extents[i] * m_extents[i + 1];
            m_extents.erase(m_extents.begin() + static_cast<std::ptrdiff_t>(i + keepsOuter));
        }
    }

    void store(const Numbers &outer, std::int64_t first, std::int64_t count)
    {
        withIntegerOrFloat(m_result->type, [&](auto element) {
            using Element = decltype(element);
            auto *to = reinterpret_cast<Element *>(m_to) + m_result->offset(outer, first);
            const std::int64_t stride = m_result->strides.back();
            for (std::int64_t i = 0; i < count; ++i) {
                const auto at = static_cast<std::size_t>(i);
                if constexpr (std::is_same_v<Element, float>)
                    to[i * stride] = m_value->floats[at];
                else
                    to[i * stride] = static_cast<Element>(m_value->integers[at]);
            }
        });
    }

    Numbers m_extents;
    std::vector<std::pair<const ir::VarNode *, std::size_t>> m_variables; ///< with their loops
    std::vector<std::pair<ir::Buffer, const ir::NdArray *>> m_arrays;
    std::vector<std::unique_ptr<Access>> m_accesses;
    const Access *m_result = nullptr;
    std::byte *m_to = nullptr;
    TermPtr m_value;
};

} // namespace

bool runElementwise(const ir::PrimFunc &function, std::span<const ir::NdArray *const> inputs,
                    ir::NdArray &result)
{
    const auto elementwise = Elementwise::of(function, inputs, result);
    if (!elementwise)
        return false;
    support::inParts(elementwise->rows(), result.size() / support::elementsPerThread,
                     [&](std::int64_t begin, std::int64_t end) { // with rows of numbers of its own
                         Elementwise::of(function, inputs, result)->run(begin, end);
                     });
    return true;
}

} // namespace nestwright::interp
