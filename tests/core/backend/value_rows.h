// SPDX-License-Identifier: Apache-2.0
/// Tables of expressions and their values, which every backend computes as the interpreter does, one by one
/// and in vectors.
#pragma once

#include "core/backend/backend.h"
#include "core/backend/link/loaded_kernel.h"
#include "core/interp/interpreter.h"
#include "core/ir/exact_integers.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

#include <format>
#include <source_location>
#include <string>
#include <vector>

namespace nestwright::tests {

inline ir::NdArray array(const char *type, const std::vector<double> &values)
{
    ir::NdArray result(*ir::DataType::parse(type), {static_cast<std::int64_t>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i)
        result.set(static_cast<std::int64_t>(i), values[i]);
    return result;
}

inline std::vector<ir::NdArray *> pointers(std::vector<ir::NdArray> &arrays)
{
    std::vector<ir::NdArray *> result;
    for (ir::NdArray &each : arrays)
        result.push_back(&each);
    return result;
}

inline std::string text(const ir::NdArray &values)
{
    std::string result;
    for (std::int64_t i = 0; i < values.size(); ++i) {
        const ir::DataType type = values.dtype();
        const std::int64_t whole = type.isIntegral() ? ir::integerAt(values, i) : 0;
        result += (i ? " " : "")
                  + (type.isUInt()       ? std::format("{}", static_cast<std::uint64_t>(whole))
                     : type.isIntegral() ? std::format("{}", whole)
                                         : std::format("{:.15g}", values.at(i)));
    }
    return result;
}

/// For each of the values an array Z0[vi] = value, Z1[vi] = value, … over all vi below the length of the
/// arrays.
inline std::string program(const std::vector<ir::NdArray> &inputs, const std::string &outputType,
                           const std::vector<std::string> &values)
{
    const std::int64_t count = inputs[0].shape()[0];
    std::string parameters, body;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        parameters += std::format("{}: T.Buffer(({},), \"{}\"), ", std::string(1, static_cast<char>('A' + i)),
                                  inputs[i].shape()[0], inputs[i].dtype().str());
    for (std::size_t i = 0; i < values.size(); ++i) {
        parameters += std::format("Z{}: T.Buffer(({},), \"{}\"), ", i, count, outputType);
        body += std::format(R"(    for i in range({1}):
        with T.block("Z{0}"):
            vi = T.axis.spatial({1}, i)
            Z{0}[vi] = {2}
)",
                            i, count, values[i]);
    }
    return std::format("@T.prim_func\ndef main({}):\n{}", parameters.substr(0, parameters.size() - 2), body);
}

/// Why a backend computes something else than the interpreter did; empty when it does not.
inline std::string whyNotAs(const std::vector<ir::NdArray> &expected, std::vector<ir::NdArray> arguments,
                            const ir::Module &module, const char *target)
{
    const auto artifact = backend::compile(module, *target::parseTarget(target));
    if (!artifact)
        return artifact.error().render();
    const auto kernel = backend::load(*artifact);
    if (!kernel)
        return kernel.error().render();
    const auto called = backend::call(**kernel, artifact->mainEntry()->name, pointers(arguments), {});
    if (!called)
        return called.error().render();
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (!ir::compare(expected[i], arguments[i], 0, 0).withinTolerance)
            return std::format("argument {} is {}, expected {}", i, text(arguments[i]), text(expected[i]));
    }
    return {};
}

/// The interpreter's result for each value; fails where a backend computes something else, with vectorized
/// loops or without.
inline std::vector<std::string> computed(std::vector<ir::NdArray> inputs, const std::string &outputType,
                                         const std::vector<std::string> &values)
{
    const schedule::State initial = scheduled(program(inputs, outputType, values));
    const std::size_t first = inputs.size();
    for (std::size_t i = 0; i < values.size(); ++i)
        inputs.emplace_back(*ir::DataType::parse(outputType), inputs[0].shape());
    std::vector<ir::NdArray> expected = inputs;
    const ir::PrimFunc &function = *initial.module.mainEntry()->function;
    if (const auto ran = interp::run(function, pointers(expected), {}); !ran)
        return {"the interpreter: " + ran.error().render()};
    for (const bool isVector : {false, true}) {
        std::string script;
        for (std::size_t i = 0; isVector && i < values.size(); ++i)
            script += std::format("sch.vectorize(sch.get_loops('Z{}')[0])\n", i);
        const auto run = schedule::runScheduleScript(initial, script, "test.py");
        if (!run)
            return {run.error().render()};
        for (const char *target : {"llvm", "c"}) {
            if (!backend::isBuilt(target::parseTarget(target)->kind))
                continue;
            const std::string why = whyNotAs(expected, inputs, run->state.module, target);
            if (!why.empty())
                return {std::format("{}{}: {}", target, isVector ? ", vectorized" : "", why)};
        }
    }
    std::vector<std::string> result;
    for (std::size_t i = first; i < expected.size(); ++i)
        result.push_back(text(expected[i]));
    return result;
}

/// A value and the expected result for each element.
using Row = std::pair<const char *, const char *>;

inline void checkRows(const std::vector<ir::NdArray> &inputs, const char *outputType,
                      const std::vector<Row> &rows,
                      std::source_location where = std::source_location::current())
{
    std::vector<std::string> values;
    for (const Row &row : rows)
        values.emplace_back(row.first);
    const std::vector<std::string> found = computed(inputs, outputType, values);
    if (found.size() != rows.size())
        return QTest::qFail(found.front().c_str(), where.file_name(), static_cast<int>(where.line()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (found[i] != rows[i].second)
            QTest::qFail(
                std::format("{} is {}, expected {}", rows[i].first, found[i], rows[i].second).c_str(),
                where.file_name(), static_cast<int>(where.line()));
    }
}

} // namespace nestwright::tests
