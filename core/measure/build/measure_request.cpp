// SPDX-License-Identifier: Apache-2.0
#include "core/measure/build/measure_request.h"

#include "core/analysis/kernel/counts.h"
#include "core/backend/backend.h"
#include "core/ir/node/attributes.h"
#include "core/ir/node/equality.h"
#include "core/lower/custom_intrinsics.h"
#include "core/measure/build/argument_sets.h"
#include "core/measure/build/job_arguments.h"
#include "core/measure/codes.h"
#include "core/measure/machine/this_machine.h"
#include "core/measure/verify/error_bounds.h"
#include "core/measure/verify/reference_loops.h"
#include "core/measure/verify/reference_program.h"
#include "core/measure/verify/sound_program.h"
#include "core/support/text/bytes_text.h"

#include <algorithm>
#include <cmath>
#include <format>

namespace nestwright::measure {

using support::diagnostic;
using support::fail;
using support::Result;

namespace {

/// Operations of a program whose bounds are computed the long way: more would keep a person waiting.
constexpr double mostTightFlops = 3e8;

const ir::Module::Entry *findEntry(const ir::Module &module, const std::string &name)
{
    if (name.empty())
        return module.mainEntry();
    const auto found = std::ranges::find(module.functions(), name, &ir::Module::Entry::name);
    return found == module.functions().end() ? nullptr : &*found;
}

/// Arrays that a person gave become files that the worker finds by their content.
Result<void> putInputs(const MeasureJob &job, JobArguments &arguments, ContentStore &store)
{
    for (std::size_t i = 0; i < arguments.buffers.size(); ++i) {
        const auto given = job.inputs.find(arguments.names[i]);
        if (given == job.inputs.end())
            continue;
        const auto bytes = given->second.bytes();
        auto content = store.put({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
        if (!content)
            return fail(content.error());
        arguments.buffers[i].file = fileOf(store.folder(), *content).string();
        arguments.buffers[i].content = *std::move(content);
    }
    return {};
}

Result<void> describeArguments(const MeasureJob &job, const ir::PrimFunc &function, ContentStore &store,
                               MeasureRequest &request)
{
    auto arguments = argumentsOf(function, job);
    if (!arguments)
        return fail(arguments.error());
    double totalBytes = 0;
    for (const BufferSpec &spec : arguments->buffers)
        totalBytes += spec.bytes();
    // Three copies live at one time: the reference's results, those of the check, and the arguments of a
    // process that runs a kernel.
    if (totalBytes * 3 > static_cast<double>(request.memoryBytes))
        return fail(
            diagnostic(
                codes::tooLarge,
                std::format("the arguments of '{}' need {} three times over, but the worker may use {}",
                            request.reference.entry, support::bytesText(totalBytes),
                            support::bytesText(static_cast<double>(request.memoryBytes))))
                .withHint("measure a smaller problem, or raise the memory limit"));
    if (auto put = putInputs(job, *arguments, store); !put)
        return put;
    request.flops = analysis::countsOf(function, arguments->sizes).flops;
    if (!std::isfinite(request.flops))
        return fail(beyondCounting(request.reference.entry));
    request.reductionLength = longestReduction(function, arguments->sizes);
    auto sets = argumentSets(function, job, *arguments);
    if (!sets)
        return fail(sets.error());
    request.sets = *std::move(sets);
    return {};
}

BuildTask taskOf(const ReferenceProgram &program, const MeasureJob &job, const std::string &function)
{
    return {.module = program.module,
            .function = function,
            .target = program.target,
            .externs = job.externs,
            .isEmulated = job.isEmulated && program.target.isGpu()};
}

/// The reference program of the variants, and the program of its error bounds.
Result<void> buildReference(const MeasureJob &job, KernelBuilder &builder, const std::stop_token &stop,
                            MeasureRequest &request)
{
    const std::string function = request.reference.entry;
    // The rules for a script's own intrinsics are those of the target measured, wherever the reference runs.
    const auto known = lower::lowerCustomIntrinsics(job.reference, job.target);
    if (!known)
        return fail(known.error());
    if (auto sound = requireSound(job.reference, function); !sound) // at its own lines
        return sound;
    const ir::Module quick = withQuickLoops(*known);
    // One after the other: on nodes that both programs have, two threads wait for each other.
    auto reference = builder.build(taskOf(referenceProgram(quick, job.target), job, function), stop);
    if (!reference)
        return fail(reference.error());
    request.reference = *std::move(reference);
    const BoundsOfSums sums = request.flops <= mostTightFlops ? BoundsOfSums::Tight : BoundsOfSums::Quick;
    if (auto bounded = withErrorBounds(quick, function, sums)) {
        auto kernel =
            builder.build(taskOf(referenceProgram(bounded->module, job.target), job, function), stop);
        if (kernel) // where they do not compile, the reference has no bounds
            request.bounds = {*std::move(kernel), std::move(bounded->bounded)};
    }
    return {};
}

} // namespace

Result<MeasureRequest> requestOf(const MeasureJob &job, KernelBuilder &builder, std::uint64_t memoryBytes,
                                 const std::stop_token &stop)
{
    const ir::Module::Entry *entry = findEntry(job.reference, job.function);
    if (!entry)
        return fail("measure.no-function", job.function.empty()
                                               ? "the module has no function 'main'"
                                               : "the module has no function '" + job.function + '\'');
    MeasureRequest request;
    request.reference.entry = entry->name;
    request.memoryBytes = memoryBytes;
    if (auto described = describeArguments(job, *entry->function, builder.store(), request); !described)
        return fail(described.error());
    if (auto built = buildReference(job, builder, stop, request); !built)
        return fail(built.error());
    request.store = builder.store().folder().string();
    request.mayReadUnknown = mayReadUnknown(*entry->function);
    request.referenceKey = keyOf(request.sets);
    request.threads = threadsOf(job.target);
    request.secondsPerRepetition = job.secondsPerRepetition;
    request.secondsPerVariant = job.secondsPerVariant;
    request.repetitions = job.repetitions;
    request.flushCache = job.flushCache;
    request.counters = job.counters;
    request.verifyOnly = job.verifyOnly;
    request.relativeTolerance = job.relativeTolerance;
    return request;
}

std::vector<BuildTask> buildTasks(const MeasureJob &job, const std::string &function)
{
    std::vector<BuildTask> tasks;
    for (std::size_t i = 0; i < job.variants.size(); ++i) {
        BuildTask task = taskOf({job.variants[i], job.target}, job, function);
        if (const auto edit = job.edits.find(i); edit != job.edits.end())
            task.edited = edit->second;
        tasks.push_back(std::move(task));
    }
    return tasks;
}

bool isUnscheduled(const MeasureJob &job, std::size_t variant)
{
    target::Target processor;
    processor.threads = job.target.threads;
    const ir::Module &module = job.variants[variant];
    return !job.edits.contains(variant) && job.target.str() == processor.str()
           && backend::isBuilt(processor.kind)
           && std::ranges::none_of(
               module.functions(),
               [](const ir::Module::Entry &entry) { return ir::allowsFastMath(*entry.function); })
           && ir::structurallyEqual(module, job.reference);
}

std::string keyOf(const std::vector<ArgumentSet> &sets)
{
    std::string key;
    for (const ArgumentSet &set : sets) {
        key += std::format("\n{} {} {}", static_cast<int>(set.values), set.seed, set.sizes);
        for (const BufferSpec &spec : set.buffers) {
            key += '/' + spec.content;
            for (const std::int64_t extent : spec.shape)
                key += '/' + std::to_string(extent);
        }
    }
    return key;
}

} // namespace nestwright::measure
