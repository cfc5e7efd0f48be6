// SPDX-License-Identifier: Apache-2.0
/// Models with sizes that are known only when they run, and the same models with inputs that are constants.
#pragma once

#include "tests/core/graph/default_attributes.h"
#include "tests/core/graph/made_models.h"
#include "tests/core/graph/run_graph.h"

#include <QString>

#include <format>
#include <random>

namespace nestwright::tests::late {

using Ints = std::vector<std::int64_t>;
using Arrays = std::vector<ir::NdArray>;

inline graph::Data held(ir::NdArray array) { return std::make_shared<const ir::NdArray>(std::move(array)); }

inline ir::NdArray array(ir::DataType type, const Ints &shape, const std::vector<double> &values)
{
    ir::NdArray made(type, shape);
    for (std::size_t i = 0; i < values.size(); ++i)
        made.set(static_cast<std::int64_t>(i), values[i]);
    return made;
}

inline ir::NdArray whole(const Ints &values)
{
    return array(ir::DataType::int64(), {static_cast<std::int64_t>(values.size())},
                 {values.begin(), values.end()});
}

inline OnnxValue bools(std::string name, Ints shape)
{
    OnnxValue value = floats(std::move(name), {shape.begin(), shape.end()});
    value.dtype = ir::DataType::boolean();
    return value;
}

/// A model that is made operator by operator from the inputs x, a matrix of 6 by 4, and c, 6 truth values.
class Maker {
public:
    static constexpr std::int64_t rows = 6, columns = 4;

    Maker()
    {
        m_model = model({}, {floats("x", {rows, columns}), bools("c", {rows})});
        m_model.opset = 23;
    }

    std::string add(const std::string &op, std::vector<std::string> inputs,
                    std::map<std::string, Attribute, std::less<>> attributes = {}, std::size_t results = 1)
    {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < results; ++i)
            names.push_back("v" + std::to_string(++m_count));
        OnnxNode made = node(op, std::move(inputs), names);
        made.name = names[0];
        made.attributes = std::move(attributes);
        m_model.nodes.push_back(std::move(made));
        return names.back();
    }
    std::string constant(ir::NdArray data)
    {
        const std::string name = "k" + std::to_string(++m_count);
        m_model.initializers[name] = {held(std::move(data))};
        return name;
    }
    void define(const std::string &name, ir::NdArray data)
    {
        m_model.initializers[name] = {held(std::move(data))};
    }
    std::string list(const Ints &values) { return constant(whole(values)); }
    std::string number(std::int64_t value)
    {
        return constant(array(ir::DataType::int64(), {}, {double(value)}));
    }

    OnnxModel open(std::vector<std::string> outputs) const
    {
        OnnxModel made = m_model;
        made.outputs.clear();
        for (std::string &output : outputs)
            made.outputs.push_back(floats(std::move(output), {}));
        return made;
    }

private:
    OnnxModel m_model;
    int m_count = 0;
};

/// The rows of x for which c holds.
inline std::string chosenRows(Maker &maker)
{
    return maker.add("Compress", {"x", "c"}, {{"axis", std::int64_t{0}}});
}

struct Outcome {
    Arrays outputs;
    std::string error;
};

inline Outcome run(const OnnxModel &model, const Arrays &inputs, bool byCode = false)
{
    const auto imported = importModel(model);
    if (!imported)
        return {{}, imported.error().message};
    if (const QString change = changeByDefaults(*imported, importModel(withDefaults(model))); change != "")
        return {{}, "with usual attributes written: " + change.toStdString()};
    auto outputs = byCode ? compiled(imported->function, inputs) : interpreted(imported->function, inputs);
    if (!outputs)
        return {{}, outputs.error().message};
    cutLateOutputs(imported->function, imported->lateOutputs, *outputs);
    outputs->erase(outputs->begin() + static_cast<std::ptrdiff_t>(model.outputs.size()), outputs->end());
    return {std::move(*outputs), {}};
}

/// The same with inputs that are constants.
inline Outcome runKnown(OnnxModel model, const Arrays &inputs)
{
    for (std::size_t i = 0; i < inputs.size(); ++i)
        model.initializers[model.inputs[i].name] = {held(inputs[i])};
    model.inputs.clear();
    return run(model, {});
}

inline ir::NdArray matrix(std::uint64_t seed)
{
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    ir::NdArray x(ir::DataType::float32(), {Maker::rows, Maker::columns});
    for (std::int64_t i = 0; i < x.size(); ++i)
        x.set(i, static_cast<double>(random() % 17) - 8);
    return x;
}

inline ir::NdArray chosen(const Ints &which)
{
    ir::NdArray c(ir::DataType::boolean(), {Maker::rows});
    for (const std::int64_t i : which)
        c.set(i, 1);
    return c;
}

inline std::string shapeText(const ir::NdArray &array)
{
    std::string text;
    for (const std::int64_t size : array.shape())
        text += (text.empty() ? "" : " × ") + std::to_string(size);
    return text;
}

inline std::string valuesText(const ir::NdArray &array)
{
    std::string text = "[";
    for (std::int64_t i = 0; i < array.size(); ++i)
        text += std::format("{}{}", i == 0 ? "" : " ", array.at(i));
    return text + "]";
}

/// The outputs for these rows, which must be those of constants; or what went wrong.
inline QString compared(const OnnxModel &model, const Ints &which, bool byCode = false)
{
    const Arrays inputs{matrix(3), chosen(which)};
    const Outcome late = run(model, inputs, byCode), known = runKnown(model, inputs);
    if (!late.error.empty() || !known.error.empty())
        return QString::fromStdString("late: " + late.error + "; known: " + known.error);
    if (const std::string other = difference(known.outputs, late.outputs); !other.empty())
        return QString::fromStdString(other);
    std::string shapes;
    for (const ir::NdArray &output : late.outputs)
        shapes += (shapes.empty() ? "" : ", ") + shapeText(output);
    return QString::fromStdString(shapes);
}

} // namespace nestwright::tests::late
