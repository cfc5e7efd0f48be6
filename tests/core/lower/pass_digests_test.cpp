// SPDX-License-Identifier: Apache-2.0
/// Every pass over random programs, for processors and for GPUs: the digest of the module after each pass
/// that changes it. A pass that gives another form shows here; the random programs' results are checked
/// elsewhere (random_programs_test, the fuzzers).
#include "core/lower/pipeline.h"
#include "core/script/print/printer.h"
#include "tests/support/check_primitive.h"
#include "tests/support/digest.h"
#include "tests/support/outcomes.h"
#include "tests/support/random_gpu_schedule.h"
#include "tests/support/random_program.h"
#include "tests/support/random_step.h"

using namespace nestwright;
using namespace nestwright::tests;

namespace {

schedule::State scheduledForGpu(std::uint64_t seed)
{
    Random random(seed);
    return randomGpuSchedule(scheduled(randomProgram(random)), random).state;
}

/// `text` is "c SEED" or "cuda SEED".
QString outcomeOf(const QString &text)
{
    const auto target = target::parseTarget(text.section(' ', 0, 0).toStdString());
    const std::uint64_t seed = text.section(' ', 1).toULongLong();
    const schedule::State state = target->isGpu() ? scheduledForGpu(seed) : randomlyScheduled(seed);
    const auto lowered = lower::lower(state.module, *target, {.keepRecords = true, .stop = {}});
    if (!lowered)
        return QString::fromStdString(lowered.error().render());
    QString outcome;
    for (const lower::PassRecord &record : lowered->records) {
        if (!record.unchanged)
            outcome +=
                QString::fromStdString(record.name + ' ' + digest(script::print(record.after).text)) + '\n';
    }
    return outcome.trimmed();
}

} // namespace

NW_OUTCOMES_TEST("tests/core/lower/pass_digests.txt", outcomeOf)
