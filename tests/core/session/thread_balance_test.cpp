// SPDX-License-Identifier: Apache-2.0
// Work that threads share: schedules of the kernels of ONNX's nine light models, and recipes, for 2 to 128
// threads. NESTWRIGHT_BALANCE_LOG=1 names the kernels that are shared out badly.
#include "core/analysis/kernel/thread_work.h"
#include "core/frontend/onnx/importer.h"
#include "core/frontend/open_kernel.h"
#include "core/graph/passes/passes.h"
#include "core/graph/program/program.h"
#include "core/graph/strategy/strategy.h"
#include "core/session/reuse/recipe.h"

#include <QtTest>

#include <filesystem>

using namespace nestwright;
namespace fs = std::filesystem;
namespace onnx = nestwright::graph::onnx;

namespace {

const fs::path root = "/usr/share/libonnx-testdata/data/light";
/// Operations that a core with AVX-512 does in a microsecond; waking a thread takes some.
constexpr double worthThread = 3e3 * 2 * 2 * 16;

struct Balance {
    int all = 0, fair = 0, small = 0;

    double share() const { return static_cast<double>(fair + small) / all; }
};

/// `least`: operations of the unscheduled program; 0: those of the scheduled one, which may have more.
void count(Balance &balance, const std::string &name, const ir::Module &scheduled, int threads,
           double least = 0)
{
    const auto work = analysis::threadWorkOf(analysis::FunctionIndex(scheduled.mainEntry()->function));
    if (!work)
        return;
    ++balance.all;
    const double more = least > 0 ? (work->serial + work->parallel()) / least : 1,
                 imbalance = more * analysis::imbalanceOf(*work, threads);
    if (imbalance <= target::fairImbalance) {
        ++balance.fair;
        return;
    }
    const double each = (work->serial + work->parallel()) / threads;
    if (each < worthThread) {
        ++balance.small;
        return;
    }
    if (!qEnvironmentVariableIsSet("NESTWRIGHT_BALANCE_LOG"))
        return;
    std::string text = std::format("{} threads: {:.2f} {}, {:.0f} operations each, {:.0f} serial;", threads,
                                   imbalance, name, each, work->serial);
    for (const analysis::ThreadWork::Loop &loop : work->loops)
        text += std::format(" {}", loop.iterations);
    qInfo("%s", text.c_str());
}

target::Machine machineWith(int threads)
{
    target::Machine machine = target::tunedMachine();
    machine.threads = threads;
    return machine;
}

} // namespace

class ThreadBalanceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ofLoops()
    {
        const auto opened = frontend::openKernel("op:matmul(M=12,N=8,K=4)");
        QVERIFY(opened.has_value());
        schedule::State state = *schedule::makeState(opened->module);
        const auto serial =
            analysis::threadWorkOf(analysis::FunctionIndex(state.module.mainEntry()->function));
        QVERIFY(serial.has_value());
        QVERIFY(serial->loops.empty());
        QCOMPARE(analysis::imbalanceOf(*serial, 4), 4.0);
        const auto run = schedule::runScheduleScript(
            state,
            "def schedule(sch):\n    i, j, k = sch.get_loops(sch.get_block(\"C\"))\n    sch.parallel(i)\n",
            "parallel.py");
        QVERIFY2(run.has_value(), run ? "" : run.error().message.c_str());
        const auto shared =
            analysis::threadWorkOf(analysis::FunctionIndex(run->state.module.mainEntry()->function));
        QVERIFY(shared.has_value());
        QCOMPARE(shared->loops.size(), std::size_t{1});
        QCOMPARE(shared->loops[0].iterations, 12);
        QCOMPARE(shared->serial, 0.0);
        QCOMPARE(shared->parallel(), serial->serial);
        QCOMPARE(analysis::imbalanceOf(*shared, 4), 1.0);
        QCOMPARE(analysis::imbalanceOf(*shared, 8), 2 * 8 / 12.0);
        QCOMPARE(analysis::imbalanceOf(*shared, 1), 1.0);
    }

    void models_data()
    {
        QTest::addColumn<int>("threads");
        QTest::addColumn<double>("least");
        // More threads than results have vectors are not shared out any better.
        for (const auto &[threads, least] : {std::pair(2, 0.99), {8, 0.98}, {128, 0.9}})
            QTest::addRow("%d threads", threads) << threads << least;
        if (qEnvironmentVariableIsSet("NESTWRIGHT_BALANCE_LOG")) {
            for (const auto &[threads, least] : {std::pair(3, 0.98), {16, 0.95}})
                QTest::addRow("%d threads", threads) << threads << least;
            for (const int threads : {4, 6, 12, 24, 32, 64})
                QTest::addRow("%d threads", threads) << threads << 0.85;
        }
    }
    void models()
    {
        QFETCH(int, threads);
        QFETCH(double, least);
        if (!fs::exists(root))
            QSKIP("ONNX's test data (libonnx-testdata) are not installed");
        Balance balance;
        for (const std::string name : {"bvlc_alexnet", "densenet121", "inception_v1", "inception_v2",
                                       "resnet50", "shufflenet", "squeezenet", "vgg19", "zfnet512"}) {
            graph::PassContext context;
            context.target.machine = machineWith(threads);
            auto imported =
                onnx::importModel(*onnx::readModel((root / ("light_" + name + ".onnx")).string()));
            QVERIFY(imported.has_value());
            auto optimized = graph::optimize(std::move(imported->function), context);
            QVERIFY(optimized.has_value());
            const auto program = graph::makeProgram(std::move(optimized->function), context.target.machine);
            QVERIFY(program.has_value());
            for (const graph::Kernel &kernel : program->kernels) {
                const auto made = graph::defaultSchedule(kernel.module, context.target.machine);
                QVERIFY(made.has_value());
                count(balance, name + " " + kernel.name, made->state.module, threads);
            }
        }
        qInfo("%d threads: of %d kernels %d are shared out well, %d have little work for each", threads,
              balance.all, balance.fair, balance.small);
        QVERIFY2(
            balance.share() >= least,
            std::format("{} of {} are not", balance.all - balance.fair - balance.small, balance.all).c_str());
    }

    void recipes()
    {
        for (const int threads : {2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128}) {
            target::Target target;
            target.threads = threads;
            Balance balance;
            for (const char *name : {"op:matmul(M=1024,N=1024,K=1024)", "op:matmul(M=512,N=512,K=512)",
                                     "op:matmul(M=2048,N=2048,K=2048)", "op:matmul(M=256,N=256,K=256)",
                                     "op:matmul(M=1000,N=1000,K=1000)", "op:matmul(M=127,N=513,K=255)",
                                     "op:matmul(M=4096,N=32,K=1024)", "op:matmul(M=64,N=64,K=64)"}) {
                const auto opened = frontend::openKernel(name);
                QVERIFY(opened.has_value());
                const auto recipe = session::findRecipe("gemm", target);
                QVERIFY(recipe.has_value());
                const schedule::State initial = *schedule::makeState(opened->module);
                const auto run = session::runRecipe(initial, *recipe);
                QVERIFY2(run.has_value(), run ? "" : run.error().message.c_str());
                const auto plain =
                    analysis::threadWorkOf(analysis::FunctionIndex(initial.module.mainEntry()->function));
                count(balance, name, run->state.module, threads, plain->serial);
            }
            QVERIFY2(balance.share() >= 0.87, std::format("{} threads", threads).c_str());
            qInfo("%d threads: of %d products %d are shared out well, %d have little work for each", threads,
                  balance.all, balance.fair, balance.small);
        }
    }
};

QTEST_GUILESS_MAIN(ThreadBalanceTest)
#include "thread_balance_test.moc"
