// SPDX-License-Identifier: Apache-2.0
/// Variants measured only as far as it takes to verify them.
#pragma once

#include "core/schedule/state.h"
#include "tests/core/measure/worker_fixture.h"

namespace nestwright::tests {

inline measure::Measurement refusedFor(const support::Diagnostic &reason)
{
    measure::Measurement none;
    none.failed = measure::Failure::Compile;
    none.failure = reason;
    return none;
}

inline measure::Measurement verified(const schedule::State &before, const ir::Module &variant)
{
    measure::WorkerOptions options;
    options.program = thisProgram();
    options.silence = std::chrono::seconds(10);
    measure::Measurer measurer(options);
    measure::MeasureJob job = jobOf({variant});
    job.reference = before.module;
    job.verifyOnly = true;
    const auto results = measurer.measure(job, ignore);
    return results ? results->front() : refusedFor(results.error());
}

/// A row of the test for each of the table.
template <class T, std::size_t N> void addRows(const T (&rows)[N])
{
    QTest::addColumn<const T *>("row");
    for (const T &row : rows)
        QTest::newRow(row.name) << &row;
}

} // namespace nestwright::tests
