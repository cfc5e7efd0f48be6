// SPDX-License-Identifier: Apache-2.0
#include "core/measure/build/job_arguments.h"

#include "core/analysis/access/index_inputs.h"
#include "core/analysis/kernel/reduction.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/parameter_layout.h"
#include "core/measure/build/given_inputs.h"
#include "core/measure/codes.h"
#include "core/measure/verify/integer_bits.h"

#include <algorithm>
#include <bit>
#include <format>

namespace nestwright::measure {

using support::diagnostic;
using support::fail;
using support::Result;

namespace {

/// The memories that `body` writes to, by whatever buffer: a store, a block's region, or an address that is
/// passed on.
ir::VarSet writtenMemory(const ir::Stmt &body)
{
    ir::VarSet written;
    ir::VarMap<ir::Var> sources; // of buffers that stand for a region of another one
    ir::forEachStmt(body, [&](const ir::Stmt &s) {
        if (const auto *store = s.as<ir::BufferStore>())
            written.insert(store->buffer->data);
        if (const auto *block = s.as<ir::Block>()) {
            for (const ir::BufferRegion &region : block->writes)
                written.insert(region.buffer->data);
            for (const ir::MatchBuffer &match : block->matchBuffers)
                sources[match.buffer->data] = match.source.buffer->data;
        }
        return true;
    });
    const ir::VarSet direct = written;
    for (ir::Var data : direct) {
        for (auto source = sources.find(data); source != sources.end(); source = sources.find(data)) {
            data = source->second;
            if (!written.insert(data).second)
                break;
        }
    }
    return written;
}

void addDefaults(const ir::PrimFunc &function, std::int64_t size, Sizes &sizes)
{
    for (const ir::Param &param : function.params) {
        if (!param.buffer)
            continue;
        for (const ir::Expr &extent : param.buffer.shape()) {
            for (const ir::Var &var : ir::variablesOf(extent))
                sizes.try_emplace(var.name(), size);
        }
    }
}

/// A shape with numbers for symbolic sizes; fails where these make it negative.
Result<std::vector<std::int64_t>> concreteShape(const ir::Buffer &buffer, const Sizes &sizes)
{
    std::vector<std::int64_t> shape;
    for (const ir::Expr &extent : buffer.shape()) {
        const auto number = extentWith(extent, sizes);
        if (!number || *number < 0)
            return fail(diagnostic("measure.shape",
                                   std::format("dimension {} of '{}' is {} with these sizes", shape.size(),
                                               buffer.name(),
                                               number ? std::to_string(*number) : std::string("no number")))
                            .withHint("give other sizes with --size"));
        shape.push_back(*number);
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
    const ir::VarSet written = writtenMemory(function.body);
    const int bits = integerBits(function, arguments.sizes);
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
        BufferSpec spec{param.buffer.dtype(), std::move(*shape), written.contains(param.buffer->data), {}};
        spec.integerBits = bits;
        if (const auto range = ranges.find(i); range != ranges.end()) {
            spec.range = {range->second.low, range->second.high};
            spec.isAscending = range->second.isAscending;
        }
        arguments.buffers.push_back(std::move(spec));
        arguments.names.push_back(param.buffer.name());
    }
    return arguments;
}

std::int64_t longestReduction(const ir::PrimFunc &function, const std::map<std::string, std::int64_t> &sizes)
{
    return analysis::longestReduction(function,
                                      [&](const ir::Expr &extent) { return extentWith(extent, sizes); });
}

support::Diagnostic beyondCounting(const std::string &function)
{
    return diagnostic(codes::tooLarge,
                      std::format("'{}' computes more operations than can be counted, so it would never end",
                                  function))
        .withHint("give it shorter loops");
}

} // namespace nestwright::measure
