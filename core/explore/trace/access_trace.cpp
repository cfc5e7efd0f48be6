// SPDX-License-Identifier: Apache-2.0
#include "core/explore/trace/access_trace.h"

#include "core/ir/build/builder.h"
#include "core/ir/strides.h"
#include "core/lower/pipeline.h"

#include <algorithm>

namespace nestwright::explore {

using interp::TraceEvent;
using support::Result;

namespace {

constexpr std::uint64_t traceSeed = 1;

std::optional<std::vector<std::int64_t>> constants(const std::vector<ir::Expr> &exprs)
{
    std::vector<std::int64_t> numbers;
    for (const ir::Expr &e : exprs) {
        const std::int64_t *number = ir::asInt(e);
        if (!number)
            return std::nullopt;
        numbers.push_back(*number);
    }
    return numbers;
}

std::vector<std::int64_t> compactStrides(const std::vector<std::int64_t> &shape)
{
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;)
        strides[i - 1] = strides[i] * shape[i];
    return strides;
}

class TableKeeper final : public interp::TraceListener {
public:
    TableKeeper(const ir::PrimFunc &function, std::span<const ir::NdArray> arrays, const TakeEvents &take)
        : m_function(function)
        , m_arrays(arrays)
        , m_take(take)
    {
    }

    void begin(const interp::TraceSites &sites) override
    {
        m_tables.loops = sites.loops;
        m_tables.buffers.resize(sites.memories);
        std::size_t argument = 0;
        for (const ir::Param &param : m_function.params) {
            if (!param.buffer)
                continue;
            const std::size_t memory = sites.arguments[argument];
            const ir::NdArray &array = m_arrays[argument++];
            describe(m_tables.buffers[memory], param.buffer, array.shape());
            place(memory, static_cast<std::int64_t>(array.bytes().size()));
        }
        for (const interp::AccessSite &site : sites.accesses)
            addSite(site);
    }

    bool take(std::span<const TraceEvent> events) override
    {
        for (const TraceEvent &event : events) {
            if (event.kind == TraceEvent::Memory) [[unlikely]]
                place(event.memory, event.value);
        }
        return m_take(m_tables, events);
    }

    TraceTables takeTables() { return std::move(m_tables); }

private:
    static void describe(TracedBuffer &out, const ir::Buffer &buffer,
                         const std::optional<std::vector<std::int64_t>> &shape)
    {
        out.name = buffer.name();
        out.elementBytes = std::int64_t{buffer.dtype().bytes()} * buffer.dtype().lanes;
        if (!shape)
            return;
        out.shape = *shape;
        const auto own = ir::isStrided(buffer) ? constants(buffer->strides) : std::nullopt;
        out.strides = own ? *own : compactStrides(*shape);
    }

    void addSite(const interp::AccessSite &site)
    {
        TracedBuffer &buffer = m_tables.buffers[site.memory];
        if (buffer.name.empty())
            describe(buffer, site.buffer, constants(site.buffer.shape()));
        const auto same = std::ranges::find_if(m_tables.accesses, [&](const TracedAccess &each) {
            return each.stmt == site.stmt && each.statement == site.blockName && each.buffer == site.memory
                   && each.isWrite == site.isWrite;
        });
        m_tables.accessOfSite.push_back(static_cast<std::uint32_t>(same - m_tables.accesses.begin()));
        if (same == m_tables.accesses.end())
            m_tables.accesses.push_back({.stmt = site.stmt,
                                         .statement = site.blockName,
                                         .buffer = site.memory,
                                         .isWrite = site.isWrite});
    }

    /// Places a memory; one that is allocated again stays where it is, unless it has grown.
    void place(std::size_t memory, std::int64_t bytes)
    {
        TracedBuffer &buffer = m_tables.buffers[memory];
        if (bytes <= buffer.bytes)
            return;
        buffer.bytes = bytes;
        buffer.address = m_next;
        m_next += (static_cast<std::uint64_t>(bytes) + pageBytes - 1) / pageBytes * pageBytes;
        if (buffer.shape.empty()) {
            buffer.shape = {bytes / buffer.elementBytes};
            buffer.strides = {1};
        }
    }

    const ir::PrimFunc &m_function;
    std::span<const ir::NdArray> m_arrays;
    const TakeEvents &m_take;
    TraceTables m_tables;
    std::uint64_t m_next = 16 * pageBytes;
};

} // namespace

Result<ir::Function> traceableFunction(const ir::Module &module, const target::Target &target)
{
    const ir::Module::Entry *entry = module.mainEntry();
    if (!entry)
        return support::fail(
            support::diagnostic("explore.no-function", "the module has several functions and none is 'main'")
                .withHint("keep one of them, or call it 'main'"));
    if (target.isGpu() || !entry->function->root())
        return entry->function;
    ir::Module lowered = ir::Module({*entry});
    const auto run = [&](const lower::Pass &pass) -> Result<void> {
        auto record = lower::runPass(pass, lowered, target);
        if (!record)
            return support::fail(std::move(record.error()));
        lowered = std::move(record->after);
        return {};
    };
    for (const lower::Pass *pass : lower::pipeline(target)) {
        if (pass->to == lower::Form::Flat)
            break;
        if (const auto done = run(*pass); !done)
            return support::fail(done.error());
    }
    if (const auto done = run(*lower::findPass("simplify")); !done)
        return support::fail(done.error());
    return lowered.functions().front().function;
}

Result<TraceTables> traceAccesses(const ir::PrimFunc &function, const interp::Sizes &sizes,
                                  const TakeEvents &take)
{
    auto arrays = interp::makeArguments(function, traceSeed, sizes);
    if (!arrays)
        return support::fail(std::move(arrays.error()));
    std::vector<ir::NdArray *> pointers;
    for (ir::NdArray &array : *arrays)
        pointers.push_back(&array);
    TableKeeper keeper(function, *arrays, take);
    if (auto done = interp::trace(function, pointers, keeper); !done)
        return support::fail(std::move(done.error()));
    return keeper.takeTables();
}

} // namespace nestwright::explore
