// SPDX-License-Identifier: Apache-2.0
#include "core/measure/job_arguments.h"

#include "core/analysis/index_inputs.h"
#include "core/ir/builder.h"
#include "core/ir/parameter_layout.h"
#include "core/ir/walk.h"
#include "core/measure/codes.h"
#include "core/measure/given_inputs.h"

#include <bit>

namespace nestwright::measure {

using support::diagnostic;
using support::fail;
using support::Result;

namespace {

/// The buffers that `body` stores to or names in the writes of a block.
ir::BufferMap<bool> writtenBuffers(const ir::Stmt &body)
{
    ir::BufferMap<bool> written;
    ir::forEachStmt(body, [&](const ir::Stmt &s) {
        if (const auto *store = s.as<ir::BufferStore>())
            written[store->buffer] = true;
        if (const auto *block = s.as<ir::Block>()) {
            for (const ir::BufferRegion &region : block->writes)
                written[region.buffer] = true;
        }
        return true;
    });
    return written;
}

void addDefaults(const ir::PrimFunc &function, std::int64_t size, Sizes &sizes)
{
    for (const ir::Param &param : function.params) {
        if (!param.buffer)
            continue;
        for (const ir::Expr &extent : param.buffer.shape()) {
            if (const ir::Var var = ir::Var::from(extent))
                sizes.try_emplace(var.name(), size);
        }
    }
}

/// A shape with numbers for symbolic sizes; fails where a dimension is neither a number nor a size.
Result<std::vector<std::int64_t>> concreteShape(const ir::Buffer &buffer, const Sizes &sizes)
{
    std::vector<std::int64_t> shape;
    for (const ir::Expr &extent : buffer.shape()) {
        const std::int64_t *known = ir::asInt(extent);
        const ir::Var size = ir::Var::from(extent);
        if (!known && !size)
            return fail(
                diagnostic("measure.shape",
                           "a dimension of '" + buffer.name()
                               + "' is computed from other sizes; such kernels cannot be measured yet")
                    .withHint("replace the symbolic size by a number"));
        shape.push_back(known ? *known : sizes.at(size.name()));
    }
    return shape;
}

} // namespace

Result<JobArguments> argumentsOf(const ir::PrimFunc &function, const MeasureJob &job)
{
    JobArguments arguments;
    arguments.sizes = job.sizes;
    if (auto bound = bindInputs(function, job.inputs, arguments.sizes); !bound)
        return std::unexpected(bound.error());
    addDefaults(function, job.defaultSize, arguments.sizes);
    const auto written = writtenBuffers(function.body);
    const auto ranges = analysis::indexInputs(function, arguments.sizes);
    for (std::size_t i = 0; i < function.params.size(); ++i) {
        const ir::Param &param = function.params[i];
        if (!param.buffer) {
            const bool isFloat = param.var.dtype().isFloating();
            arguments.scalars.push_back(isFloat ? std::bit_cast<std::int64_t>(1.0) : 1);
            continue;
        }
        auto shape = concreteShape(param.buffer, arguments.sizes);
        if (!shape)
            return std::unexpected(shape.error());
        if (auto fits = ir::checkStrides(param.buffer, *shape); !fits)
            return std::unexpected(fits.error());
        BufferSpec spec{
            param.buffer.dtype(), std::move(*shape), written.contains(param.buffer), {}, false, {}};
        if (const auto range = ranges.find(i); range != ranges.end()) {
            spec.range = {range->second.low, range->second.high};
            spec.isAscending = range->second.isAscending;
        }
        arguments.buffers.push_back(std::move(spec));
        arguments.names.push_back(param.buffer.name());
    }
    return arguments;
}

support::Diagnostic beyondCounting(const std::string &function)
{
    return diagnostic(codes::tooLarge,
                      std::format("'{}' computes more operations than can be counted, so it would never end",
                                  function))
        .withHint("give it shorter loops");
}

} // namespace nestwright::measure
