// SPDX-License-Identifier: Apache-2.0
/// Programs of one array of their own, and the loop that it is allocated in.
#pragma once

#include "core/analysis/kernel/allocation_plan.h"
#include "tests/support/programs.h"

#include <QtTest>

namespace nestwright::tests {

/// Checks the current row: the loop that B is allocated in; none: it lives through the whole function.
inline void checkPlannedLoop()
{
    QFETCH(QString, body);
    QFETCH(QString, loop);
    const ir::Module module = parsed(R"(
@T.prim_func
def main(A: T.Buffer((8, 16), "float32"), C: T.Buffer((8, 16), "float32"), J: T.Buffer((16,), "int32")):
    B = T.alloc_buffer((8, 16)))" + body.toStdString());
    QString found;
    for (const auto &[planned, buffers] : analysis::planAllocations(*module.mainEntry()->function)) {
        QCOMPARE(buffers.size(), 1U);
        QCOMPARE(buffers[0].name(), "B");
        found += QString::fromStdString(static_cast<const ir::For *>(planned)->var.name());
    }
    QCOMPARE(found, loop);
}

} // namespace nestwright::tests
