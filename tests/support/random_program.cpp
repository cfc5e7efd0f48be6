// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_program.h"

namespace nestwright::tests {

namespace {

using Shape = std::vector<std::int64_t>;

struct Array {
    std::string name;
    Shape shape;
};

std::string tuple(const Shape &shape)
{
    std::string text = "(";
    for (const std::int64_t extent : shape)
        text += std::to_string(extent) + ",";
    return text + ")";
}

class ProgramWriter {
public:
    explicit ProgramWriter(Random &random) : m_random(random) {}

    std::string write()
    {
        const auto size = [&] { return m_random.pick<std::int64_t>({1, 2, 3, 4, 5, 6, 7, 8, 9, 12}); };
        m_inputs = {{"A", {size(), size()}}, {"D", {size()}}};
        Array last = m_inputs[0];
        const std::int64_t blocks = m_random.between(2, 4);
        for (std::int64_t i = 0; i < blocks; ++i) {
            const Array made = block("B" + std::to_string(i), last, i + 1 == blocks);
            last = made;
            m_made.push_back(made);
        }
        std::string text = "@T.prim_func\ndef main(";
        for (const Array &input : m_inputs)
            text += input.name + ": T.Buffer(" + tuple(input.shape) + ", \"float32\"), ";
        text += last.name + ": T.Buffer(" + tuple(last.shape) + ", \"float32\")):\n";
        for (const Array &array : m_made) {
            if (array.name != last.name)
                text += "    " + array.name + " = T.alloc_buffer(" + tuple(array.shape) + ")\n";
        }
        return text + m_body;
    }

private:
    /// Loops over `extents` (the last `reductions` of them reductions) around a block with variables v0, v1, …
    void open(const std::string &name, const Shape &extents, std::size_t reductions)
    {
        std::string loops, values, kinds;
        for (std::size_t i = 0; i < extents.size(); ++i) {
            loops += (i ? ", i" : "i") + std::to_string(i);
            kinds += i + reductions >= extents.size() ? 'R' : 'S';
        }
        std::string grid;
        for (const std::int64_t extent : extents)
            grid += std::to_string(extent) + ",";
        m_body += "    for " + loops + " in T.grid(" + grid + "):\n        with T.block(\"" + name + "\"):\n";
        for (std::size_t i = 0; i < extents.size(); ++i)
            m_body += "            v" + std::to_string(i) + " = T.axis."
                      + (kinds[i] == 'R' ? "reduce" : "spatial") + "(" + std::to_string(extents[i]) + ", i"
                      + std::to_string(i) + ")\n";
    }

    std::string variables(std::size_t count)
    {
        std::string text;
        for (std::size_t i = 0; i < count; ++i)
            text += (i ? ", v" : "v") + std::to_string(i);
        return text;
    }

    void store(const Array &to, const std::string &value)
    {
        m_body += "            " + to.name + "[" + variables(to.shape.size()) + "] = " + value + "\n";
    }

    void reduce(const Array &to, const std::string &term)
    {
        const std::string element = to.name + "[" + variables(to.shape.size()) + "]";
        const bool isMax = m_random.chance(30);
        m_body += "            with T.init():\n                " + element + " = T.float32("
                  + (isMax ? "-1000" : "0") + ")\n";
        m_body += "            " + element + " = "
                  + (isMax ? "T.max(" + element + ", " + term + ")" : element + " + " + term) + "\n";
    }

    /// Another array of the same shape that is there already, to make a second use; the same one when there is none.
    std::string second(const Array &in, const std::string &indices)
    {
        std::vector<std::string> fitting;
        for (const std::vector<Array> *arrays : {&m_inputs, &m_made}) {
            for (const Array &array : *arrays) {
                if (array.shape == in.shape && array.name != in.name)
                    fitting.push_back(array.name);
            }
        }
        return fitting.empty() ? "T.float32(3)" : m_random.pick(fitting) + "[" + indices + "]";
    }

    Array block(const std::string &name, const Array &in, bool isLast)
    {
        if (in.shape.size() == 1)
            return fromVector(name, in, isLast);
        switch (m_random.below(7)) {
        case 0: return elementWise(name, in);
        case 1: return transposed(name, in);
        case 2: return flattened(name, in);
        case 3: return rowReduction(name, in);
        case 4: return product(name, in);
        case 5: return window(name, in);
        default: return elementWise(name, in);
        }
    }

    Array elementWise(const std::string &name, const Array &in)
    {
        const Array out{name, in.shape};
        const std::string indices = variables(in.shape.size());
        open(name, out.shape, 0);
        const std::string value = in.name + "[" + indices + "]";
        switch (m_random.below(4)) {
        case 0: store(out, value + " * T.float32(2) + T.float32(1)"); break;
        case 1: store(out, "T.max(" + value + ", T.float32(0))"); break;
        case 2: store(out, "T.exp(" + value + " * T.float32(0.1))"); break;
        default: store(out, value + " + " + second(in, indices)); break;
        }
        return out;
    }

    Array transposed(const std::string &name, const Array &in)
    {
        const Array out{name, {in.shape[1], in.shape[0]}};
        open(name, out.shape, 0);
        store(out, in.name + "[v1, v0] + T.float32(1)");
        return out;
    }

    Array flattened(const std::string &name, const Array &in)
    {
        const Array out{name, {in.shape[0] * in.shape[1]}};
        const std::string width = std::to_string(in.shape[1]);
        open(name, out.shape, 0);
        store(out, in.name + "[v0 // " + width + ", v0 % " + width + "] * T.float32(2)");
        return out;
    }

    Array rowReduction(const std::string &name, const Array &in)
    {
        const Array out{name, {in.shape[0]}};
        open(name, in.shape, 1);
        reduce(out, in.name + "[v0, v1]");
        return out;
    }

    Array product(const std::string &name, const Array &in)
    {
        const std::int64_t columns = m_random.between(1, 8);
        const Array weight{"W" + name, {in.shape[1], columns}};
        m_inputs.push_back(weight);
        const Array out{name, {in.shape[0], columns}};
        open(name, {in.shape[0], columns, in.shape[1]}, 1);
        reduce(out, in.name + "[v0, v2] * " + weight.name + "[v2, v1]");
        return out;
    }

    Array window(const std::string &name, const Array &in)
    {
        const std::int64_t width = m_random.between(1, std::min<std::int64_t>(3, in.shape[1]));
        const Array out{name, {in.shape[0], in.shape[1] - width + 1}};
        open(name, {in.shape[0], out.shape[1], width}, 1);
        reduce(out, in.name + "[v0, v1 + v2]");
        return out;
    }

    Array fromVector(const std::string &name, const Array &in, bool isLast)
    {
        switch (m_random.below(isLast ? 3 : 4)) {
        case 0: {
            const Array out{name, {in.shape[0], m_random.between(1, 7)}};
            open(name, out.shape, 0);
            store(out, in.name + "[v0] + T.Cast(\"float32\", v1)");
            return out;
        }
        case 1: {
            const std::int64_t pad = m_random.between(1, 2);
            const Array out{name, {in.shape[0] + 2 * pad}};
            const std::string p = std::to_string(pad), end = std::to_string(pad + in.shape[0]);
            open(name, out.shape, 0);
            store(out, "T.if_then_else(v0 >= " + p + " and v0 < " + end + ", " + in.name + "[v0 - " + p
                           + "], T.float32(0))");
            return out;
        }
        case 2: return elementWise(name, in);
        default: {
            const Array out{name, {in.shape[0], in.shape[0]}};
            open(name, out.shape, 0);
            store(out, in.name + "[v0] * " + in.name + "[v1]");
            return out;
        }
        }
    }

    Random &m_random;
    std::vector<Array> m_inputs, m_made;
    std::string m_body;
};

} // namespace

std::string randomProgram(Random &random) { return ProgramWriter(random).write(); }

} // namespace nestwright::tests
