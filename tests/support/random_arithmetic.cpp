// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_arithmetic.h"

#include <algorithm>
#include <cstdint>
#include <format>
#include <vector>

namespace nestwright::tests {

namespace {

struct Array {
    std::string name;
    std::vector<std::int64_t> shape;
    std::string type;
};

std::string tuple(const std::vector<std::int64_t> &shape)
{
    std::string text = "(";
    for (const std::int64_t extent : shape)
        text += std::to_string(extent) + ",";
    return text + ")";
}

class ArithmeticWriter {
public:
    explicit ArithmeticWriter(Random &random)
        : m_random(random)
        , m_type(
              random.pick<std::string>({"float16", "bfloat16", "float32", "float32", "float32", "float64"}))
    {
    }

    std::string write()
    {
        const auto rows = m_random.pick<std::int64_t>({1, 2, 5, 8, 16, 31});
        const auto columns = m_random.pick<std::int64_t>({1, 3, 8, 16, 33, 64, 100, 256, 1000});
        Array last = input("X", {rows, columns});
        const std::int64_t stages = m_random.between(1, 4);
        for (std::int64_t i = 0; i < stages; ++i) {
            last = stage(last);
            if (m_random.chance(8))
                addTo(last);
        }
        if (m_random.chance(6))
            last = converted(last);
        return head(last) + m_body;
    }

private:
    // --- Text ---------------------------------------------------------------------------------------------

    std::string head(const Array &output) const
    {
        std::string params, buffers;
        for (const Array &each : m_inputs)
            params += std::format("{}: T.Buffer({}, \"{}\"), ", each.name, tuple(each.shape), each.type);
        for (const Array &each : m_made) {
            if (each.name != output.name)
                buffers += std::format("    {} = T.alloc_buffer({}, \"{}\")\n", each.name, tuple(each.shape),
                                       each.type);
        }
        return std::format("@T.prim_func\ndef main({}{}: T.Buffer({}, \"{}\")):\n{}", params, output.name,
                           tuple(output.shape), output.type, buffers);
    }

    Array input(const std::string &name, const std::vector<std::int64_t> &shape)
    {
        m_inputs.push_back({name, shape, m_type});
        return m_inputs.back();
    }

    Array made(const std::vector<std::int64_t> &shape, const std::string &type)
    {
        m_made.push_back({"B" + std::to_string(m_made.size()), shape, type});
        return m_made.back();
    }

    /// A block that stores `value` of v0, v1, …; the last `reductions` loops are of a reduction.
    void block(const Array &to, const std::vector<std::int64_t> &extents, std::size_t reductions,
               const std::string &value, const std::string &begin = {})
    {
        std::string loops, axes;
        for (std::size_t i = 0; i < extents.size(); ++i) {
            loops += std::format("{}i{}", i > 0 ? ", " : "", i);
            axes += std::format("            v{0} = T.axis.{1}({2}, i{0})\n", i,
                                i + reductions >= extents.size() ? "reduce" : "spatial", extents[i]);
        }
        m_body += std::format("    for {} in T.grid{}:\n        with T.block(\"{}\"):\n{}", loops,
                              tuple(extents), to.name + "_" + std::to_string(m_blocks++), axes);
        if (!begin.empty())
            m_body += std::format("            with T.init():\n                {} = {}\n", at(to), begin);
        m_body += std::format("            {} = {}\n", at(to), value);
    }

    static std::string variables(std::size_t count)
    {
        std::string text;
        for (std::size_t i = 0; i < count; ++i)
            text += (i > 0 ? ", v" : "v") + std::to_string(i);
        return text;
    }
    static std::string at(const Array &array)
    {
        return array.name + "[" + variables(array.shape.size()) + "]";
    }

    static std::string number(const std::string &value, const std::string &type)
    {
        return "T." + type + "(" + value + ")";
    }
    std::string number(const std::string &value) const { return number(value, m_type); }
    std::string someNumber()
    {
        return number(m_random.pick<std::string>({"0.1", "0.5", "1", "2", "3", "-1", "0.001", "7.3"}));
    }
    static std::string cast(const std::string &type, const std::string &value)
    {
        return std::format("T.Cast(\"{}\", {})", type, value);
    }

    // --- Expressions --------------------------------------------------------------------------------------

    std::string function(const std::string &x)
    {
        static const std::vector<std::string> anywhere{
            "exp",  "exp2",  "sin",   "cos",  "tanh", "sigmoid", "erf",       "atan", "floor",
            "ceil", "trunc", "round", "sinh", "cosh", "asinh",   "nearbyint", "tan"};
        static const std::vector<std::string> ofPositive{"log", "log2", "log10", "log1p", "sqrt", "rsqrt"};
        static const std::vector<std::string> upToOne{"asin", "acos", "atanh", "log1p"};
        const std::string size = std::format("T.fabs({})", x);
        switch (m_random.below(5)) {
        case 0: return std::format("T.{}({} + {})", m_random.pick(ofPositive), size, number("0.01"));
        case 1: return std::format("T.{}({})", m_random.pick(ofPositive), m_random.chance(70) ? size : x);
        case 2: return std::format("T.{}({} / ({} + {}))", m_random.pick(upToOne), x, size, number("1"));
        default:
            return std::format("T.{}({})", m_random.pick(anywhere),
                               m_random.chance(50) ? x : x + " * " + someNumber());
        }
    }

    std::string choice(const std::string &x, const std::string &y)
    {
        switch (m_random.below(4)) {
        case 0: return std::format("T.Select({} > {}, {}, {})", x, y, x, someNumber());
        case 1: return std::format("T.if_then_else(v0 < 3, {}, {})", x, y);
        case 2: return std::format("T.max({}, {})", x, someNumber());
        default: return std::format("T.min(T.max({}, {}), {})", x, number("-0.7"), y);
        }
    }

    std::string throughIntegers(const std::string &x)
    {
        switch (m_random.below(3)) {
        case 0: return cast(m_type, cast("int32", x + " * " + number("8")));
        case 1: return cast(m_type, cast("int8", std::format("T.round({} * {})", x, number("16"))));
        default: return cast(m_type, cast("int32", x) + " + 3");
        }
    }

    std::string arithmetic(const std::string &x, const std::string &y)
    {
        switch (m_random.below(11)) {
        case 9: return std::format("T.hypot({}, {})", x, y);
        case 10: return std::format("T.fma({}, {}, {})", x, y, someNumber());
        case 0: return std::format("{} + {}", x, y);
        case 1: return std::format("{} - {}", x, y);
        case 2: return std::format("{} * {} + {}", x, y, someNumber());
        case 3: return std::format("{} / {}", x, y);
        case 4: return std::format("{0} * {0} - {1} * {1}", x, y);
        case 5: return std::format("({0} - {1}) * ({0} + {1})", x, y);
        case 6: return std::format("{} / (T.fabs({}) + {})", x, y, number("1"));
        case 7: return std::format("T.pow(T.fabs({}) + {}, {})", x, number("0.1"), someNumber());
        default: return std::format("T.Let(q * q - q, where={{q: {} / {}}})", x, number("3"));
        }
    }

    std::string expression(const std::string &x, const std::string &y, int depth = 0)
    {
        const std::string inner =
            depth < 1 && m_random.chance(40) ? "(" + expression(x, y, depth + 1) + ")" : x;
        switch (m_random.below(8)) {
        case 0:
        case 1:
        case 2: return function(inner);
        case 3: return choice(inner, y);
        case 4: return m_random.chance(50) ? throughIntegers(inner) : function(inner);
        default: return arithmetic(inner, y);
        }
    }

    /// An element beside that of `in`: of a further input of its shape, of one row, or a number.
    std::string beside(const Array &in)
    {
        const std::string name = "Y" + std::to_string(m_inputs.size());
        switch (m_random.below(3)) {
        case 0: return at(input(name, in.shape));
        case 1: return std::format("{}[v{}]", input(name, {in.shape.back()}).name, in.shape.size() - 1);
        default: return someNumber();
        }
    }

    // --- Stages -------------------------------------------------------------------------------------------

    Array stage(const Array &in)
    {
        if (in.shape.size() == 1)
            return m_random.chance(25) ? spread(in) : elementWise(in);
        switch (m_random.below(12)) {
        case 0:
        case 1:
        case 2: return elementWise(in);
        case 3:
        case 4:
        case 5: return reduction(in);
        case 6:
        case 7: return matrixProduct(in);
        case 8: return softmax(in);
        case 9: return normalised(in);
        case 10: return window(in);
        default: return transposed(in);
        }
    }

    Array elementWise(const Array &in)
    {
        const Array out = made(in.shape, m_type);
        block(out, out.shape, 0, expression(at(in), beside(in)));
        return out;
    }

    Array spread(const Array &in)
    {
        const Array out = made({in.shape[0], m_random.pick<std::int64_t>({4, 16, 40})}, m_type);
        block(out, out.shape, 0, std::format("{}[v0] * {}", in.name, cast(m_type, "v1")));
        return out;
    }

    Array transposed(const Array &in)
    {
        const Array out = made({in.shape[1], in.shape[0]}, m_type);
        block(out, out.shape, 0, in.name + "[v1, v0] + " + someNumber());
        return out;
    }

    /// The type in which a sum is kept.
    std::string sumType()
    {
        const bool isShort = m_type == "float16" || m_type == "bfloat16";
        return isShort && m_random.chance(60) ? "float32" : m_type;
    }
    Array inOwnType(const Array &in)
    {
        if (in.type == m_type)
            return in;
        const Array out = made(in.shape, m_type);
        block(out, out.shape, 0, cast(m_type, at(in)));
        return out;
    }

    void sum(const Array &to, const std::vector<std::int64_t> &extents, std::size_t reductions,
             const std::string &term)
    {
        std::string begin = number("0", to.type);
        if (m_random.chance(12))
            begin = number("100", to.type);
        const std::string old = at(to), added = to.type == m_type ? term : cast(to.type, term);
        block(to, extents, reductions,
              m_random.chance(10) ? added + " + " + old : old + (m_random.chance(10) ? " - " : " + ") + added,
              begin);
    }

    Array reduction(const Array &in)
    {
        const std::string x = at(in);
        const std::string wide = sumType();
        const Array out = made({in.shape[0]}, wide);
        const std::string old = at(out), held = cast(wide, x);
        const auto combined = [&](const std::string &value, const std::string &begin) {
            block(out, in.shape, 1, value, number(begin, wide));
        };
        switch (m_random.below(8)) {
        case 0: combined(std::format("T.max({}, {})", old, held), "-60000"); break;
        case 1: combined(std::format("T.min({}, {})", held, old), "60000"); break;
        case 2:
            combined(std::format("{} * ({} * {} + {})", old, held, number("0.01", wide), number("1", wide)),
                     "1");
            break;
        case 3: sum(out, in.shape, 1, x + " * " + x); break;
        case 4: sum(out, in.shape, 1, std::format("T.fabs({})", x)); break;
        case 5: sum(out, in.shape, 1, "(" + expression(x, someNumber()) + ")"); break;
        default: sum(out, in.shape, 1, x); break;
        }
        return inOwnType(out);
    }

    Array matrixProduct(const Array &in)
    {
        const auto columns = m_random.pick<std::int64_t>({1, 4, 16, 24});
        const Array weight = input("W" + std::to_string(m_inputs.size()), {in.shape[1], columns});
        const Array out = made({in.shape[0], columns}, sumType());
        const std::string a = in.name + "[v0, v2]", b = weight.name + "[v2, v1]";
        const bool isWide = out.type != m_type;
        block(out, {in.shape[0], columns, in.shape[1]}, 1,
              std::format("{} + {} * {}", at(out), isWide ? cast(out.type, a) : a,
                          isWide ? cast(out.type, b) : b),
              number("0", out.type));
        return inOwnType(out);
    }

    Array window(const Array &in)
    {
        const std::int64_t width = std::min<std::int64_t>(3, in.shape[1]);
        const Array out = made({in.shape[0], in.shape[1] - width + 1}, m_type);
        sum(out, {in.shape[0], out.shape[1], width}, 1, in.name + "[v0, v1 + v2]");
        return out;
    }

    Array softmax(const Array &in)
    {
        const Array largest = made({in.shape[0]}, m_type), powers = made(in.shape, m_type),
                    sums = made({in.shape[0]}, sumType()), out = made(in.shape, m_type);
        block(largest, in.shape, 1, std::format("T.max({}, {})", at(largest), at(in)), number("-60000"));
        block(powers, in.shape, 0, std::format("T.exp({} - {}[v0])", at(in), largest.name));
        const std::string term = sums.type == m_type ? at(powers) : cast(sums.type, at(powers));
        block(sums, in.shape, 1, at(sums) + " + " + term, number("0", sums.type));
        const std::string whole = sums.name + "[v0]";
        block(out, in.shape, 0, at(powers) + " / " + (sums.type == m_type ? whole : cast(m_type, whole)));
        return out;
    }

    Array normalised(const Array &in)
    {
        const Array sums = made({in.shape[0]}, m_type), squares = made({in.shape[0]}, m_type),
                    out = made(in.shape, m_type);
        const std::string count = number(std::to_string(in.shape[1]));
        const std::string apart = std::format("({} - {}[v0] / {})", at(in), sums.name, count);
        block(sums, in.shape, 1, at(sums) + " + " + at(in), number("0"));
        block(squares, in.shape, 1, std::format("{0} + {1} * {1}", at(squares), apart), number("0"));
        block(out, in.shape, 0,
              std::format("{} * T.rsqrt({}[v0] / {} + {})", apart, squares.name, count, number("0.00001")));
        return out;
    }

    /// Another block adds to what is there.
    void addTo(const Array &array) { block(array, array.shape, 0, at(array) + " + " + beside(array)); }

    Array converted(const Array &in)
    {
        const Array out = made(in.shape, m_random.pick<std::string>({"int32", "int8", "float32", "bool"}));
        block(out, out.shape, 0,
              out.type == "bool" ? at(in) + " > " + number("0.1")
                                 : cast(out.type, at(in) + " * " + number("10")));
        return out;
    }

    Random &m_random;
    std::string m_type;
    std::vector<Array> m_inputs, m_made;
    std::string m_body;
    int m_blocks = 0;
};

} // namespace

std::string randomArithmetic(Random &random) { return ArithmeticWriter(random).write(); }

} // namespace nestwright::tests
