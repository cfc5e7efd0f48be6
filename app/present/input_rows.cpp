// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/input_rows.h"

#include "app/present/type_text.h"
#include "core/measure/build/job_arguments.h"
#include "core/session/model/model.h"
#include "widgets/document/text.h"

#include <QObject>

namespace nestwright::app {

using document::toQt;

namespace {

QString drawnAs(const measure::BufferSpec &spec)
{
    if (spec.written)
        return QObject::tr("written by the kernel; random numbers before");
    if (!spec.range)
        return QObject::tr("random numbers");
    const QString range = QObject::tr("random from %1 to %2: places in other arrays")
                              .arg(spec.range->first)
                              .arg(spec.range->second);
    return spec.isAscending ? range + QObject::tr(", in ascending order") : range;
}

} // namespace

InputTexts modelInputTexts()
{
    return {QObject::tr("Inputs of the model"),
            QObject::tr("The values of nodes are those for these inputs: NumPy's .npy files or ONNX's .pb "
                        "files. An input without a file holds random numbers, the same each time."),
            QObject::tr("The model has no inputs."), QObject::tr("Arrays (*.npy *.pb);;All files (*)"),
            QObject::tr("Run")};
}

std::vector<InputRow> inputRows(const session::Model &model, const InputFiles &files)
{
    std::vector<InputRow> rows;
    const graph::Function &function = model.program.function;
    for (const int place : function.inputs()) {
        const graph::Node &input = function.at(place);
        const auto &type = input.types[0];
        const auto given = files.find(input.name);
        rows.push_back({input.name, typeText(type.shape, type.dtype),
                        ir::Buffer(input.name, type.shape, type.dtype), QObject::tr("random numbers"),
                        given == files.end() ? QString() : given->second});
    }
    return rows;
}

InputTexts kernelInputTexts()
{
    return {QObject::tr("Inputs of the kernel"),
            QObject::tr("Every variant is checked and measured with these arguments: NumPy's .npy files. An "
                        "argument without a file is drawn at random, the same each time."),
            QObject::tr("The kernel has no arguments."), QObject::tr("Arrays (*.npy);;All files (*)"),
            QObject::tr("Use these")};
}

std::vector<InputRow> inputRows(const ir::Module &kernel, const measure::GivenInputs &inputs)
{
    const ir::Module::Entry *entry = kernel.mainEntry();
    if (!entry)
        return {};
    const auto arguments = measure::argumentsOf(*entry->function, {});
    std::vector<InputRow> rows;
    std::size_t place = 0;
    for (const ir::Param &param : entry->function->params) {
        if (!param.buffer) {
            rows.push_back(
                {param.var.name(), toQt(param.var.dtype().str()), {}, QObject::tr("always 1"), {}});
            continue;
        }
        const std::string &name = param.buffer.name();
        const auto given = inputs.find(name);
        rows.push_back({name, typeText(param.buffer.shape(), param.buffer.dtype()), param.buffer,
                        arguments ? drawnAs(arguments->buffers[place]) : QObject::tr("random numbers"),
                        given == inputs.end() ? QString() : toQt(given->second.path)});
        ++place;
    }
    return rows;
}

measure::GivenInputs givenInputs(const InputFiles &files, const measure::GivenInputs &before)
{
    measure::GivenInputs inputs;
    for (const auto &[name, file] : files) {
        const std::string path = file.toStdString();
        const auto known = before.find(name);
        inputs[name] =
            known != before.end() && known->second.path == path ? known->second : measure::GivenInput{path};
    }
    return inputs;
}

} // namespace nestwright::app
