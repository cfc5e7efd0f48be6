// SPDX-License-Identifier: Apache-2.0
/// Names of axes of threads and of memories.
#include "core/ir/threads.h"

#include <QtTest>

using namespace nestwright::ir;

class ThreadsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void axes()
    {
        using enum ThreadRank;
        QCOMPARE(threadAxisOf("blockIdx.x"), (ThreadAxis{Block, 0}));
        QCOMPARE(threadAxisOf("blockIdx.z"), (ThreadAxis{Block, 2}));
        QCOMPARE(threadAxisOf("threadIdx.y"), (ThreadAxis{Thread, 1}));
        QCOMPARE(threadAxisOf("vthread"), (ThreadAxis{Virtual, 0}));
        QCOMPARE(threadAxisOf("vthread.y"), (ThreadAxis{Virtual, 1}));
        for (const char *name : {"", "x", "blockIdx", "threadIdx", "blockIdx.", "blockIdx.w", "blockIdx.xx",
                                 "blockIdx_x", "blockIdx:x", "blockIdxyx", "threadIdx.x.y", "vthread.w",
                                 "vthreads", "vthread.xy", "BlockIdx.x", " blockIdx.x"})
            QVERIFY2(!threadAxisOf(name), name);
    }

    void memories()
    {
        using enum MemoryRank;
        QCOMPARE(memoryRankOf(""), Device);
        QCOMPARE(memoryRankOf("global"), Device);
        QCOMPARE(memoryRankOf("shared"), Block);
        QCOMPARE(memoryRankOf("shared.dyn"), Block);
        QCOMPARE(memoryRankOf("warp"), Warp);
        QCOMPARE(memoryRankOf("local"), Thread);
        QCOMPARE(memoryRankOf("wmma.accumulator"), Thread);
    }

    void loopsAreBoundOnlyWhereTheyRunOnThreads()
    {
        For loop;
        loop.thread = "threadIdx.x";
        QVERIFY(!threadAxisOf(loop));
        loop.forKind = ForKind::ThreadBinding;
        QVERIFY(isBoundTo(loop, ThreadRank::Thread));
        QVERIFY(!isBoundTo(loop, ThreadRank::Block));
    }
};

QTEST_APPLESS_MAIN(ThreadsTest)
#include "threads_test.moc"
