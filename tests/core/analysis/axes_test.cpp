// SPDX-License-Identifier: Apache-2.0
// The axes that loops drive: of the block that runs most often, whatever else stands in the loop.
#include "core/analysis/kernel/axes.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

/// "C: v_k, spatial reduction" of the loop of that name.
QString axisOf(const std::string &body, std::string_view name)
{
    const ir::Module module = parsed(
        "@T.prim_func\ndef main(A: T.Buffer((64, 64), \"float32\"), C: T.Buffer((64, 64), \"float32\")):\n"
        "    S = T.alloc_buffer((64, 64))\n"
        + body);
    const analysis::FunctionIndex index(module.mainEntry()->function);
    for (const auto &[id, axis] : analysis::loopAxes(index)) {
        if (index.loop(id)->var.name() != name)
            continue;
        QString text = axis.block ? QString::fromStdString(index.block(axis.block)->name) + ':' : "none";
        for (const std::string &each : axis.names)
            text += ' ' + QString::fromStdString(each);
        return text + (axis.spatial ? ", spatial" : "") + (axis.reduce ? ", reduction" : "")
               + (axis.opaque ? ", opaque" : "");
    }
    return "no such loop";
}

constexpr auto withCopy = R"(    for i, k in T.grid(8, 16):
        for a, b in T.grid(8, 4):
            with T.block("S"):
                vi = T.axis.spatial(64, i * 8 + a)
                vk = T.axis.spatial(64, k * 4 + b)
                S[vi, vk] = A[vi, vk]
        for j, l in T.grid(64, 4):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                vk = T.axis.reduce(64, k * 4 + l)
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + S[vi, vk]
)";

} // namespace

class AxesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aCopyChangesNothing()
    {
        QCOMPARE(axisOf(withCopy, "k"), "C: vk, spatial, reduction");
        QCOMPARE(axisOf(withCopy, "i"), "C: vi, spatial");
        QCOMPARE(axisOf(withCopy, "b"), "S: vk, spatial");
        QCOMPARE(axisOf(withCopy, "l"), "C: vk, reduction");
    }

    void theFirstOfTwoThatRunAsOften()
    {
        const std::string two = R"(    for i in range(64):
        for j in range(64):
            with T.block("S"):
                vi, vj = T.axis.remap("SS", [j, i])
                S[vi, vj] = A[vi, vj]
        for j in range(64):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = S[vi, vj]
)";
        QCOMPARE(axisOf(two, "i"), "S: vj, spatial");
    }

    void aFusedLoopDrivesSeveral()
    {
        const std::string fused = R"(    for f, u in T.grid(4096, 2):
        with T.block("C"):
            vi = T.axis.spatial(64, f // 64)
            vj = T.axis.spatial(64, f % 64)
            C[vi, vj] = A[vi, vj]
)";
        QCOMPARE(axisOf(fused, "f"), "C: vi vj, spatial");
        QCOMPARE(axisOf(fused, "u"), "none");
    }
};

QTEST_APPLESS_MAIN(AxesTest)
#include "axes_test.moc"
