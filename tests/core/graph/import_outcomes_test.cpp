// SPDX-License-Identifier: Apache-2.0
// Single nodes of ONNX written as text, with their outcomes: the results, or the reason of a refusal.
#include "tests/core/graph/default_attributes.h"
#include "tests/core/graph/made_models.h"
#include "tests/core/graph/run_graph.h"
#include "tests/support/outcomes.h"

using namespace nestwright;
using namespace nestwright::tests;

namespace {

using Ints = std::vector<std::int64_t>;

constexpr std::int64_t mostShown = 40; ///< elements; of larger results the shape is enough

Ints integers(const QString &text)
{
    Ints list;
    for (const QString &each : text.split(',', Qt::SkipEmptyParts))
        list.push_back(each.toLongLong());
    return list;
}

bool isReal(const QString &text)
{
    return text.contains('.') || text.contains("inf") || text.contains("nan");
}

bool isTruth(const QString &text) { return text.contains("true") || text.contains("false"); }

/// Of `2`, `2.5`, `[1,2]`, `[1.5,2]` or `[true,false]`; with `shape:` before it of that shape, with `type/`
/// before all of that type.
ir::NdArray constant(QString text)
{
    std::optional<Ints> shape;
    std::optional<ir::DataType> type;
    if (const qsizetype slash = text.indexOf('/'); slash >= 0) {
        type = ir::DataType::parse(text.left(slash).toStdString());
        text = text.mid(slash + 1);
    }
    if (const qsizetype colon = text.indexOf(':'); colon >= 0) {
        shape = integers(text.left(colon));
        text = text.mid(colon + 1);
    }
    const bool isList = text.startsWith('[');
    const QStringList numbers = text.remove('[').remove(']').split(',', Qt::SkipEmptyParts);
    if (!shape)
        shape = isList ? Ints{numbers.size()} : Ints{};
    if (!type)
        type = isTruth(text)  ? ir::DataType::boolean()
               : isReal(text) ? ir::DataType::float32()
                              : ir::DataType::int64();
    ir::NdArray made(*type, *shape);
    for (std::int64_t i = 0; i < made.size() && i < numbers.size(); ++i)
        made.set(i, isTruth(text) ? numbers[i] == "true" : numbers[i].toDouble());
    return made;
}

Attribute attribute(QString text)
{
    if (text.startsWith('[')) {
        text = text.mid(1, text.size() - 2);
        if (!isReal(text))
            return integers(text);
        std::vector<double> reals;
        for (const QString &each : text.split(','))
            reals.push_back(each.toDouble());
        return reals;
    }
    bool isNumber = false;
    const qint64 number = text.toLongLong(&isNumber);
    if (isNumber)
        return std::int64_t{number};
    const double real = text.toDouble(&isNumber);
    return isNumber ? Attribute(real) : Attribute(text.toStdString());
}

QString shown(const ir::NdArray &array)
{
    QString text = array.dtype().str().c_str() + QString("(");
    for (std::size_t d = 0; d < array.shape().size(); ++d)
        text += (d > 0 ? "," : "") + QString::number(array.shape()[d]);
    text += ")";
    for (std::int64_t i = 0; i < array.size() && array.size() <= mostShown; ++i)
        text += QString::fromStdString(std::format(" {:.4g}", array.at(i) + 0.0));
    return text;
}

/// `[DOMAIN.]OP[@OPERATOR SET] INPUT… [NAME=VALUE…] [>RESULTS]`; an input is `x:SHAPE` (of float32, between
/// -1 and 1),
/// `=CONSTANT`, or `_` where it is left out.
QString outcomeOf(const QString &line)
{
    QStringList words = line.split(' ', Qt::SkipEmptyParts);
    const QStringList op = words.takeFirst().split('@');
    const qsizetype dot = op[0].lastIndexOf('.');
    OnnxNode single = node(op[0].mid(dot + 1).toStdString(), {}, {"y"});
    single.domain = op[0].left(std::max<qsizetype>(dot, 0)).toStdString();
    OnnxModel made = model({}, {});
    made.opset = op.size() > 1 ? op[1].toInt() : 18;
    std::vector<ir::NdArray> given;
    for (const QString &word : words) {
        const std::string name = "input" + std::to_string(single.inputs.size());
        if (word == "_") {
            single.inputs.emplace_back();
        } else if (word.startsWith("x:")) {
            const Ints shape = integers(word.mid(2));
            ir::NdArray values(ir::DataType::float32(), shape);
            for (std::int64_t i = 0; i < values.size(); ++i)
                values.set(i, static_cast<double>((i * 37 + std::ssize(single.inputs) * 11) % 41 - 20) / 20);
            given.push_back(std::move(values));
            made.inputs.push_back(floats(name, {shape.begin(), shape.end()}));
            single.inputs.push_back(name);
        } else if (word.startsWith('=')) {
            made.initializers[name] = std::make_shared<const ir::NdArray>(constant(word.mid(1)));
            single.inputs.push_back(name);
        } else if (word.startsWith('>')) {
            for (int i = 1; i < word.mid(1).toInt(); ++i)
                single.outputs.push_back("y" + std::to_string(i));
        } else {
            const qsizetype equals = word.indexOf('=');
            single.attributes[word.left(equals).toStdString()] = attribute(word.mid(equals + 1));
        }
    }
    made.outputs.clear();
    for (const std::string &name : single.outputs)
        made.outputs.push_back(floats(name, {}));
    made.nodes.push_back(std::move(single));
    const auto imported = importModel(made);
    if (!imported)
        return QString::fromStdString(imported.error().message);
    if (const QString change = changeByDefaults(*imported, importModel(withDefaults(made))); change != "")
        return "with usual attributes written: " + change;
    const auto results = interpreted(imported->function, given);
    if (!results)
        return QString::fromStdString(results.error().message);
    QStringList texts;
    for (const ir::NdArray &result : *results)
        texts += shown(result);
    return texts.join(" | ");
}

QString outcomesOf(const QString &text)
{
    QStringList outcomes;
    for (const QString &line : text.split('\n'))
        outcomes += outcomeOf(line);
    return outcomes.join('\n');
}

} // namespace

NW_OUTCOMES_TEST("tests/core/graph/imports.txt", outcomesOf)
