// SPDX-License-Identifier: Apache-2.0
// Findings about programs for devices: each with a step that mends it, up to a kernel without any.
#include "core/schedule/apply.h"
#include "core/script/print/printer.h"
#include "core/suggest/device_advice.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <format>

using namespace nestwright;
using namespace nestwright::suggest;
using namespace nestwright::tests;

namespace {

target::Target cuda() { return *target::parseTarget("cuda"); }

std::optional<Advice> adviceOn(const schedule::State &state)
{
    return deviceAdvice(LoopNest(state, script::print(state.module)), cuda(), {});
}

schedule::State stateOf(std::string_view text) { return schedule::makeState(parsed(text)).value(); }

/// A matrix is turned over through a tile of shared memory, whose columns the threads read.
constexpr std::string_view transpose = R"(
@T.prim_func
def main(A: T.Buffer((1024, 1024), "float32"), B: T.Buffer((1024, 1024), "float32")):
    S = T.alloc_buffer((1024, 1024), scope="shared")
    for by in T.thread_binding(32, thread="blockIdx.y"):
        for bx in T.thread_binding(32, thread="blockIdx.x"):
            for y in T.thread_binding(32, thread="threadIdx.y"):
                for x in T.thread_binding(32, thread="threadIdx.x"):
                    with T.block("S"):
                        vy = T.axis.spatial(1024, by * 32 + y)
                        vx = T.axis.spatial(1024, bx * 32 + x)
                        S[vy, vx] = A[vy, vx]
            for y in T.thread_binding(32, thread="threadIdx.y"):
                for x in T.thread_binding(32, thread="threadIdx.x"):
                    with T.block("B"):
                        vx = T.axis.spatial(1024, bx * 32 + y)
                        vy = T.axis.spatial(1024, by * 32 + x)
                        B[vx, vy] = S[vy, vx]
)";

} // namespace

class DeviceAdviceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// One finding leads to the next, from plain loops to blocks of threads.
    void fromLoopsToThreads()
    {
        schedule::State state = stateOf(R"(
@T.prim_func
def main(A: T.Buffer((64, 4096), "float32"), B: T.Buffer((64, 4096), "float32")):
    for i, j in T.grid(64, 4096):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + T.float32(1)
)");
        std::vector<Finding> findings;
        QStringList actions;
        for (int i = 0; i < 6; ++i) {
            const auto advice = adviceOn(state);
            if (!advice)
                break;
            findings.push_back(advice->finding);
            actions << QString::fromStdString(advice->action);
            state = schedule::apply(state, advice->step).value().state;
        }
        QCOMPARE(actions, (QStringList{"Bind i to blockIdx.x", "Split j by 256", "Bind j_1 to threadIdx.x"}));
        QVERIFY((findings == std::vector{Finding::NoBlocks, Finding::NoThreads, Finding::NoThreads}));
    }

    /// A block has 1024 threads at most.
    void longLoopsAreSplitForThreads()
    {
        const auto actionFor = [](int extent) {
            const auto advice = adviceOn(stateOf(std::format(R"(
@T.prim_func
def main(A: T.Buffer((64, {0}), "float32"), B: T.Buffer((64, {0}), "float32")):
    for i in T.thread_binding(64, thread="blockIdx.x"):
        for j in range({0}):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] + T.float32(1)
)",
                                                             extent)));
            return advice ? advice->action : std::string();
        };
        QCOMPARE(actionFor(32), "Bind j to threadIdx.x");
        QCOMPARE(actionFor(1024), "Bind j to threadIdx.x");
        QCOMPARE(actionFor(1025), "Split j by 256");
        QCOMPARE(actionFor(1), "");
    }

    void onlyLegalStepsAreAdvised()
    {
        // An element needs the one before it, so that no two can be computed at once.
        const schedule::State running = stateOf(R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((65,), "float32")):
    for i in range(64):
        with T.block("B"):
            vi = T.axis.spatial(64, i)
            B[vi + 1] = B[vi] + A[vi]
)");
        QVERIFY(!adviceOn(running));
    }

    void rowsOfSharedMemoryAreSpaced()
    {
        const schedule::State state = stateOf(transpose);
        const auto advice = adviceOn(state);
        QVERIFY(advice);
        QCOMPARE(advice->finding, Finding::BankConflicts);
        QCOMPARE(advice->title, std::string("S is read with 32-way bank conflicts"));
        QCOMPARE(advice->action, std::string("Space the rows of S"));
        const schedule::State after = schedule::apply(state, advice->step).value().state;
        const auto accesses = deviceAccesses(after.module, cuda());
        QVERIFY(accesses);
        for (const analysis::WarpAccess &access : *accesses)
            QCOMPARE(access.conflictDegree, 1);
        QVERIFY(!adviceOn(after));
    }

    void accessesInWords()
    {
        analysis::WarpAccess access;
        access.buffer = ir::Buffer("A", {ir::Expr(64)});
        QCOMPARE(accessSentence(access), std::string());
        access.sectors = {5, 4}; // as where rows do not begin at a sector
        QCOMPARE(accessSentence(access), std::string());
        access.sectors = {32, 4};
        QCOMPARE(accessSentence(access),
                 std::string("A: a warp has 32 sectors of memory read where 4 hold as much"));
        access.isStore = true;
        access.conflictDegree = 2;
        QCOMPARE(accessSentence(access), std::string("A is written with 2-way bank conflicts"));
    }

    void programThatCannotBeLowered()
    {
        const auto accesses = deviceAccesses(parsed(R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    L = T.alloc_buffer((64,), scope="local")
    for i in T.thread_binding(64, thread="threadIdx.x"):
        with T.block("L"):
            vi = T.axis.spatial(64, i)
            L[vi] = A[vi]
    for i in T.thread_binding(64, thread="threadIdx.x"):
        with T.block("B"):
            vi = T.axis.spatial(64, i)
            B[vi] = L[63 - vi]
)"),
                                             cuda());
        QVERIFY(!accesses);
        QVERIFY(!accesses.error().message.empty());
    }
};

QTEST_GUILESS_MAIN(DeviceAdviceTest)
#include "device_advice_test.moc"
