// SPDX-License-Identifier: Apache-2.0
#include "core/measure/build/given_inputs.h"

#include "core/arith/analyzer.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/support/files/checksum.h"

#include <algorithm>
#include <cstdlib>
#include <format>

namespace nestwright::measure {

using support::diagnostic;
using support::fail;
using support::Result;

namespace {

std::string shapeText(const std::vector<std::int64_t> &shape)
{
    std::string text;
    for (const std::int64_t extent : shape)
        text += (text.empty() ? "" : ", ") + std::to_string(extent);
    return '(' + text + ')';
}

/// "(n, 64)": symbolic sizes by their names.
std::string shapeText(const std::vector<ir::Expr> &shape)
{
    std::string text;
    for (const ir::Expr &extent : shape) {
        const std::int64_t *known = ir::asInt(extent);
        const ir::Var size = ir::Var::from(extent);
        text += (text.empty() ? "" : ", ") + (known ? std::to_string(*known) : size ? size.name() : "…");
    }
    return '(' + text + ')';
}

} // namespace

std::uint64_t contentOf(const ir::NdArray &array)
{
    const auto bytes = array.bytes();
    const std::string type =
        std::format("{} {} {}", array.dtype().str(), shapeText(array.shape()),
                    support::checksum({reinterpret_cast<const char *>(bytes.data()), bytes.size()}));
    return std::max<std::uint64_t>(1, support::checksum(type));
}

bool haveSameContent(const GivenInputs &a, const GivenInputs &b)
{
    return std::ranges::equal(a, b, [](const auto &x, const auto &y) {
        return x.first == y.first && x.second.content == y.second.content && x.second.content != 0;
    });
}

Result<ReadInputs> readInputs(const GivenInputs &inputs)
{
    ReadInputs read;
    for (const auto &[name, input] : inputs) {
        auto array = ir::readNpy(input.path);
        if (!array)
            return fail(array.error());
        read.given[name] = {input.path, contentOf(*array)};
        read.arrays.insert_or_assign(name, std::move(*array));
    }
    return read;
}

namespace {

/// The size that is missing in `extent`, from the number that this is, where it is linear in it.
void tellSize(const ir::Expr &extent, std::int64_t value, Sizes &sizes)
{
    std::string missing;
    for (const ir::Var &var : ir::variablesOf(extent)) {
        if (sizes.contains(var.name()))
            continue;
        if (!missing.empty())
            return;
        missing = var.name();
    }
    Sizes tried = sizes;
    const auto at = [&](std::int64_t size) {
        tried[missing] = size;
        return extentWith(extent, tried);
    };
    const auto first = at(0), second = at(1);
    const std::int64_t step = first && second ? *second - *first : 0;
    if (missing.empty() || step == 0 || (value - *first) % step != 0)
        return;
    const std::int64_t size = (value - *first) / step;
    if (size >= 0 && at(size) == value && at(2) == *second + step && at(size + 1) == value + step)
        sizes[missing] = size;
}

} // namespace

std::optional<std::int64_t> extentWith(const ir::Expr &extent, const Sizes &sizes)
{
    ir::VarMap<ir::Expr> values;
    for (const ir::Var &var : ir::variablesOf(extent)) {
        const auto size = sizes.find(var.name());
        if (size == sizes.end())
            return std::nullopt;
        if (extent.as<ir::VarNode>()) // whatever its type holds
            return size->second;
        if (var->dtype.bits < 64 && std::abs(size->second) >= std::int64_t{1} << (var->dtype.bits - 1))
            return std::nullopt;
        values[var] = ir::intImm(size->second, var->dtype);
    }
    const ir::Expr value = arith::simplify(ir::substitute(extent, values));
    const std::int64_t *number = ir::asInt(value);
    return number ? std::optional(*number) : std::nullopt;
}

void tellSizes(const ir::Buffer &buffer, const std::vector<std::int64_t> &shape, Sizes &sizes)
{
    for (std::size_t d = 0; d < std::min(shape.size(), buffer.shape().size()); ++d)
        tellSize(buffer.shape()[d], shape[d], sizes);
}

Result<void> bindInput(const ir::Buffer &buffer, const ir::ArrayType &given, Sizes &sizes)
{
    const auto refused = [&](const std::string &why) {
        auto told = diagnostic("measure.input",
                               std::format("the array given for '{}' is {} {}, but {}", buffer.name(),
                                           given.dtype.str(), shapeText(given.shape), why));
        if (given.dtype != buffer.dtype())
            told.hint =
                std::format("write it with numpy.save(file, array.astype(\"{}\"))", buffer.dtype().str());
        return fail(std::move(told));
    };
    if (given.dtype != buffer.dtype() || given.shape.size() != buffer.shape().size())
        return refused(
            std::format("'{}' is {} {}", buffer.name(), buffer.dtype().str(), shapeText(buffer.shape())));
    tellSizes(buffer, given.shape, sizes);
    for (std::size_t d = 0; d < given.shape.size(); ++d) {
        const std::int64_t wanted = extentWith(buffer.shape()[d], sizes).value_or(given.shape[d]);
        if (wanted != given.shape[d])
            return refused(std::format("dimension {} of '{}' is {}", d, buffer.name(), wanted));
    }
    return {};
}

Result<void> bindInputs(const ir::PrimFunc &function, const std::map<std::string, ir::NdArray> &inputs,
                        Sizes &sizes)
{
    std::size_t found = 0;
    std::string names;
    const auto bind = [&](const ir::Buffer &buffer) -> Result<void> {
        const auto given = inputs.find(buffer.name());
        if (given == inputs.end())
            return {};
        ++found;
        return bindInput(buffer, {given->second.dtype(), given->second.shape()}, sizes);
    };
    // Once more, since sizes that were found last may be in dimensions that were looked at first.
    for (const bool isAgain : {false, true}) {
        found = 0;
        for (const ir::Param &param : function.params) {
            if (!param.buffer)
                continue;
            if (!isAgain)
                names += (names.empty() ? "'" : ", '") + param.buffer.name() + '\'';
            if (auto bound = bind(param.buffer); !bound)
                return bound;
        }
    }
    for (const auto &[name, array] : inputs) {
        if (found < inputs.size() && names.find('\'' + name + '\'') == std::string::npos)
            return fail(diagnostic("measure.input", std::format("the kernel has no argument '{}'", name))
                            .withHint("it has " + (names.empty() ? "none" : names)));
    }
    return {};
}

} // namespace nestwright::measure
