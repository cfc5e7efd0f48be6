// SPDX-License-Identifier: Apache-2.0
/// A product of matrices in tiles, on threads and in vectors, for backends to write out.
#pragma once

#include "core/backend/backend.h"
#include "core/schedule/script/reader.h"
#include "tests/support/programs.h"

#include <QtTest>

namespace nestwright::tests {

inline ir::Module scheduledMatmul()
{
    const auto state = schedule::makeState(program("matmul"));
    const auto run = schedule::runScheduleScript(*state, R"(
def apply_trace(sch):
  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  io, ii = sch.split(i, [None, 32])
  jo, ji = sch.split(j, [None, 32])
  ko, ki = sch.split(k, [None, 4])
  sch.reorder(io, jo, ko, ii, ki, ji)
  sch.vectorize(ji)
  sch.parallel(io)
  sch.unroll(ki)
)",
                                                 "s.py");
    if (!run)
        qFatal("%s", run.error().render().c_str());
    return run->state.module;
}

/// The target whose sources are of that kind.
inline target::Target targetOf(backend::SourceKind kind)
{
    return backend::targetOf(backend::sourceFormat(kind), {});
}

} // namespace nestwright::tests
