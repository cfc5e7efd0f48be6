// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_program.h"

#include <algorithm>
#include <format>
#include <optional>

namespace nestwright::tests {

namespace {

/// A number of elements: a constant, or an expression of the size `n`, which nobody knows.
struct Extent {
    std::string text;
    std::optional<std::int64_t> size;
};
using Shape = std::vector<Extent>;

Extent constant(std::int64_t size) { return {std::to_string(size), size}; }

Extent plus(const Extent &e, std::int64_t more)
{
    return e.size ? constant(*e.size + more) : Extent{std::format("({} + {})", e.text, more), {}};
}

Extent product(const Extent &a, const Extent &b)
{
    if (a.size && b.size)
        return constant(*a.size * *b.size);
    return {std::format("({} * {})", a.text, b.text), {}};
}

bool same(const Shape &a, const Shape &b)
{
    return std::ranges::equal(a, b, {}, &Extent::text, &Extent::text);
}

struct Array {
    std::string name;
    Shape shape;
    std::string type = {}; ///< empty: that of the function
};

std::string tuple(const Shape &shape)
{
    std::string text = "(";
    for (const Extent &extent : shape)
        text += extent.text + ",";
    return text + ")";
}

/// One function.
class FunctionWriter {
public:
    FunctionWriter(Random &random, std::string name, Breadth breadth)
        : m_random(random)
        , m_name(std::move(name))
        , m_all(breadth == Breadth::All)
    {
        if (m_all && random.chance(30)) {
            m_type = random.pick<std::string>({"bool", "bool", "float16", "bfloat16"});
            return;
        }
        m_type = random.chance(20) ? random.pick<std::string>({"int32", "int64", "float64"}) : "float32";
    }

    std::string write()
    {
        const auto size = [&] {
            if (m_all && m_random.chance(4))
                return constant(0);
            return constant(m_random.pick<std::int64_t>({1, 2, 3, 4, 5, 6, 7, 8, 9, 12}));
        };
        m_inputs = {{"A", {size(), size()}}, {"D", {size()}}};
        if (m_random.chance(15))
            m_inputs[0].shape[static_cast<std::size_t>(m_random.below(2))] = {"n", {}};
        Array last = m_inputs[0];
        const std::int64_t blocks = m_random.between(2, 4);
        for (std::int64_t i = 0; i < blocks; ++i) {
            const Array made = block("B" + std::to_string(i), last, i + 1 == blocks);
            last = made;
            m_made.push_back(made);
            if (m_random.chance(6))
                changeInPlace(made);
        }
        return head(last) + m_body;
    }

private:
    std::string head(const Array &output) const
    {
        std::vector<Array> params = m_inputs;
        params.push_back(output);
        std::string list, matches;
        for (const Array &param : params) {
            list += std::format("{}{}_: T.handle", list.empty() ? "" : ", ", param.name);
            matches += std::format("    {0} = T.match_buffer({0}_, {1}, \"{2}\")\n", param.name,
                                   tuple(param.shape), param.type.empty() ? m_type : param.type);
        }
        std::string text = std::format("@T.prim_func\ndef {}({}):\n", m_name, list);
        const auto isSymbolic = [](const Array &array) {
            return std::ranges::any_of(array.shape, [](const Extent &e) { return !e.size; });
        };
        if (std::ranges::any_of(params, isSymbolic) || std::ranges::any_of(m_made, isSymbolic))
            text += "    n = T.int32()\n";
        text += matches;
        for (const Array &array : m_made) {
            if (array.name != output.name)
                text += std::format("    {} = T.alloc_buffer({}, \"{}\")\n", array.name, tuple(array.shape),
                                    m_type);
        }
        return text;
    }

    std::string number(std::string_view value) const
    {
        if (m_type == "bool")
            return value == "0" || value.starts_with('-') ? "T.bool(False)" : "T.bool(True)";
        return std::format("T.{}({})", m_type, value);
    }
    bool isFloat() const { return m_type.contains("float"); }

    /// Loops over `extents` (the last `reductions` of them reductions) around a block with variables v0, v1,
    /// …; some of them in two parts that may go beyond the extent.
    void open(const std::string &name, const Shape &extents, std::size_t reductions)
    {
        std::string loops, grid, axes, condition;
        const auto loop = [&](const std::string &var, const std::string &extent) {
            loops += (loops.empty() ? "" : ", ") + var;
            grid += extent + ",";
        };
        for (std::size_t i = 0; i < extents.size(); ++i) {
            const std::string &extent = extents[i].text;
            std::string value = std::format("i{}", i);
            if (m_random.chance(8)) {
                const std::int64_t part = m_random.between(1, 4);
                loop(value + "_0", extents[i].size ? std::to_string((*extents[i].size + part - 1) / part)
                                                   : std::format("({} + {}) // {}", extent, part - 1, part));
                loop(value + "_1", std::to_string(part));
                value = std::format("{0}_0 * {1} + {0}_1", value, part);
                if (!extents[i].size || *extents[i].size % part != 0)
                    condition += std::format("{}{} < {}", condition.empty() ? "" : " and ", value, extent);
            } else {
                loop(value, extent);
            }
            axes += std::format("            v{} = T.axis.{}({}, {})\n", i,
                                i + reductions >= extents.size() ? "reduce" : "spatial", extent, value);
        }
        if (!loops.empty())
            m_body += "    for " + loops + " in T.grid(" + grid + "):\n";
        m_body +=
            (loops.empty() ? "    with T.block(\"" : "        with T.block(\"") + name + "\"):\n" + axes;
        m_indent = loops.empty() ? "        " : "            ";
        if (!condition.empty())
            m_body += m_indent + "T.where(" + condition + ")\n";
    }

    std::string variables(std::size_t count)
    {
        std::string text;
        for (std::size_t i = 0; i < count; ++i)
            text += (i ? ", v" : "v") + std::to_string(i);
        return count ? text : "()";
    }

    void store(const Array &to, const std::string &value)
    {
        m_body += m_indent + to.name + "[" + variables(to.shape.size()) + "] = " + value + "\n";
    }

    void reduce(const Array &to, const std::string &term)
    {
        const std::string element = to.name + "[" + variables(to.shape.size()) + "]";
        const bool isMax = m_random.chance(30);
        m_body += m_indent + "with T.init():\n" + m_indent + "    " + element + " = "
                  + number(isMax ? "-1000" : "0") + "\n";
        m_body += m_indent + element + " = "
                  + (isMax ? "T.max(" + element + ", " + term + ")" : element + " + " + term) + "\n";
    }

    /// Another array of the same shape that is there already, or a scalar, to make a second use; a constant
    /// when there is none.
    std::string second(const Array &in, const std::string &indices)
    {
        std::vector<std::string> fitting;
        for (const std::vector<Array> *arrays : {&m_inputs, &m_made}) {
            for (const Array &array : *arrays) {
                if (array.name == in.name || !array.type.empty())
                    continue;
                if (array.shape.empty())
                    fitting.push_back(array.name + "[()]");
                else if (same(array.shape, in.shape))
                    fitting.push_back(array.name + "[" + indices + "]");
            }
        }
        return fitting.empty() ? number("3") : m_random.pick(fitting);
    }

    /// Another block changes an array in place.
    void changeInPlace(const Array &array)
    {
        open(array.name + "_again", array.shape, 0);
        const std::string element = array.name + "[" + variables(array.shape.size()) + "]";
        store(array, element + " + " + number("1"));
    }

    Array block(const std::string &name, const Array &in, bool isLast)
    {
        if (m_all && !in.shape.empty() && m_random.chance(10))
            return scan(name, in);
        if (isEmpty(in)) // no sum over nothing, and no division by 0
            return in.shape.size() == 2 && m_random.chance(50) ? transposed(name, in) : elementWise(name, in);
        if (in.shape.empty())
            return m_random.chance(30) ? elementWise(name, in) : spread(name, in);
        if (in.shape.size() == 1)
            return fromVector(name, in, isLast);
        switch (m_random.below(8)) {
        case 0: return elementWise(name, in);
        case 1: return transposed(name, in);
        case 2: return flattened(name, in);
        case 3: return rowReduction(name, in);
        case 4: return matrixProduct(name, in);
        case 5: return in.shape[1].size ? window(name, in) : transposed(name, in);
        case 6: return m_random.chance(40) ? total(name, in) : elementWise(name, in);
        default: return elementWise(name, in);
        }
    }

    static bool isEmpty(const Array &array) { return std::ranges::contains(array.shape, 0, &Extent::size); }

    /// Each element needs the one before it, or the row before it, though all variables are spatial.
    Array scan(const std::string &name, const Array &in)
    {
        const Array out{name, in.shape};
        open(name, out.shape, 0);
        const auto along =
            static_cast<std::size_t>(m_random.below(static_cast<std::int64_t>(in.shape.size())));
        std::string before;
        for (std::size_t i = 0; i < in.shape.size(); ++i)
            before += std::format("{}v{}{}", i ? ", " : "", i, i == along ? " - 1" : "");
        store(out, std::format("{0}[{1}] + T.if_then_else(v{2} > 0, {3}[{4}], {5})", in.name,
                               variables(in.shape.size()), along, name, before, number("0")));
        return out;
    }

    Array elementWise(const std::string &name, const Array &in)
    {
        const Array out{name, in.shape};
        const std::string indices = variables(in.shape.size());
        open(name, out.shape, 0);
        const std::string value = in.name + "[" + indices + "]";
        if (m_random.chance(15) && !isEmpty(in)) {
            store(out, guarded(name, in, value));
            return out;
        }
        switch (m_random.below(4)) {
        case 0: store(out, value + " * " + number("2") + " + " + number("1")); break;
        case 1: store(out, "T.max(" + value + ", " + number("0") + ")"); break;
        case 2:
            store(out,
                  isFloat() ? "T.exp(" + value + " * " + number("0.1") + ")" : value + " // " + number("3"));
            break;
        default: store(out, value + " + " + second(in, indices)); break;
        }
        return out;
    }

    /// An expression that fails where its guard does not hold: a division by 0, or an index from an input. Or
    /// a choice by where the element lies and what an input says of its row.
    std::string guarded(const std::string &name, const Array &in, const std::string &value)
    {
        if (in.shape.size() > 1 && m_random.chance(35)) {
            const Array rows{"M" + name, {in.shape[0]}, "bool"};
            m_inputs.push_back(rows);
            return std::format("T.{}(v0 <= v{} + {} and {}[v0], {}, {})",
                               m_random.chance(50) ? "Select" : "if_then_else", in.shape.size() - 1,
                               m_random.below(3), rows.name, value, number("3"));
        }
        if (!isFloat() && m_random.chance(40))
            return std::format("T.if_then_else({0} != {1} and {2} // {0} > {1}, {0}, {2})", value,
                               number("0"), number("12"));
        if (in.shape.empty())
            return value + " + " + number("2");
        const Array places{"X" + name, {in.shape[0]}, "int32"};
        m_inputs.push_back(places);
        std::string others;
        for (std::size_t i = 1; i < in.shape.size(); ++i)
            others += ", v" + std::to_string(i);
        const std::string place = places.name + "[v0]";
        if (m_random.chance(50))
            return std::format("{}[{} % {}{}] + {}", in.name, place, in.shape[0].text, others, value);
        const std::string element = std::format("{}[{}{}]", in.name, place, others);
        return std::format("T.if_then_else({0} >= 0 and {0} < {1} and {2} < {3}, {2}, {4})", place,
                           in.shape[0].text, element, number("4"), value);
    }

    /// A scalar used by every element of the first input.
    Array spread(const std::string &name, const Array &in)
    {
        const Array &over = m_inputs[static_cast<std::size_t>(m_random.below(2))]; // A or D
        const Array out{name, over.shape};
        open(name, out.shape, 0);
        store(out, over.name + "[" + variables(out.shape.size()) + "] + " + in.name + "[()]");
        return out;
    }

    /// Everything in one element.
    Array total(const std::string &name, const Array &in)
    {
        const Array out{name, {}};
        open(name, in.shape, in.shape.size());
        reduce(out, in.name + "[" + variables(in.shape.size()) + "]");
        return out;
    }

    Array transposed(const std::string &name, const Array &in)
    {
        const Array out{name, {in.shape[1], in.shape[0]}};
        open(name, out.shape, 0);
        store(out, in.name + "[v1, v0] + " + number("1"));
        return out;
    }

    Array flattened(const std::string &name, const Array &in)
    {
        const Array out{name, {product(in.shape[0], in.shape[1])}};
        const std::string &width = in.shape[1].text;
        open(name, out.shape, 0);
        store(out, in.name + "[v0 // " + width + ", v0 % " + width + "] * " + number("2"));
        return out;
    }

    Array rowReduction(const std::string &name, const Array &in)
    {
        const Array out{name, {in.shape[0]}};
        open(name, in.shape, 1);
        reduce(out, in.name + "[v0, v1]");
        return out;
    }

    Array matrixProduct(const std::string &name, const Array &in)
    {
        const Extent columns = constant(m_random.between(1, 8));
        const Array weight{"W" + name, {in.shape[1], columns}};
        m_inputs.push_back(weight);
        const Array out{name, {in.shape[0], columns}};
        open(name, {in.shape[0], columns, in.shape[1]}, 1);
        reduce(out, in.name + "[v0, v2] * " + weight.name + "[v2, v1]");
        return out;
    }

    Array window(const std::string &name, const Array &in)
    {
        const std::int64_t width = m_random.between(1, std::min<std::int64_t>(3, *in.shape[1].size));
        const Array out{name, {in.shape[0], constant(*in.shape[1].size - width + 1)}};
        open(name, {in.shape[0], out.shape[1], constant(width)}, 1);
        reduce(out, in.name + "[v0, v1 + v2]");
        return out;
    }

    Array fromVector(const std::string &name, const Array &in, bool isLast)
    {
        switch (m_random.below(isLast ? 4 : 5)) {
        case 0: {
            const Array out{name, {in.shape[0], constant(m_random.between(1, 7))}};
            open(name, out.shape, 0);
            store(out, std::format("{}[v0] + T.Cast(\"{}\", v1)", in.name, m_type));
            return out;
        }
        case 1: {
            const std::int64_t pad = m_random.between(1, 2);
            const Array out{name, {plus(in.shape[0], 2 * pad)}};
            open(name, out.shape, 0);
            store(out, std::format("T.if_then_else(v0 >= {0} and v0 < {1}, {2}[v0 - {0}], {3})", pad,
                                   plus(in.shape[0], pad).text, in.name, number("0")));
            return out;
        }
        case 2: return elementWise(name, in);
        case 3: return m_random.chance(40) ? total(name, in) : elementWise(name, in);
        default: {
            const Array out{name, {in.shape[0], in.shape[0]}};
            open(name, out.shape, 0);
            store(out, in.name + "[v0] * " + in.name + "[v1]");
            return out;
        }
        }
    }

    Random &m_random;
    std::string m_name, m_type;
    bool m_all;
    std::vector<Array> m_inputs, m_made;
    std::string m_body, m_indent;
};

std::string indented(const std::string &text)
{
    std::string result = "    ";
    for (std::size_t i = 0; i < text.size(); ++i) {
        result += text[i];
        if (text[i] == '\n' && i + 1 < text.size())
            result += "    ";
    }
    return result;
}

} // namespace

std::string randomProgram(Random &random, Breadth breadth)
{
    std::string main = FunctionWriter(random, "main", breadth).write();
    if (!random.chance(5))
        return main;
    return "@I.ir_module\nclass Module:\n" + indented(main)
           + indented(FunctionWriter(random, "other", breadth).write());
}

} // namespace nestwright::tests
