// SPDX-License-Identifier: Apache-2.0
// Work that threads share: the schedules of models' kernels, and recipes, for 1 to 128 threads.
#include "core/analysis/kernel/thread_work.h"
#include "core/frontend/onnx/importer.h"
#include "core/graph/passes/passes.h"
#include "core/graph/program/program.h"
#include "core/graph/strategy/strategy.h"

#include <QtTest>

#include <filesystem>

using namespace nestwright;
namespace onnx = nestwright::graph::onnx;
namespace fs = std::filesystem;

namespace {

const fs::path root = "/usr/share/libonnx-testdata/data/light";
constexpr double fair = 1.15;         ///< work of the busiest thread over the mean
constexpr double worthThread = 1 << 14; ///< operations; less for each thread takes less than waking one

struct Balance {
    int all = 0, fairOnes = 0, small = 0;
    std::vector<std::string> rest;
};

void count(Balance &balance, const std::string &name, const ir::Module &scheduled, int threads)
{
    const auto work = analysis::threadWorkOf(analysis::FunctionIndex(scheduled.functions().front().function));
    if (!work)
        return;
    ++balance.all;
    const double imbalance = analysis::imbalanceOf(*work, threads), each = (work->serial + work->parallel()) / threads;
    if (imbalance <= fair) {
        ++balance.fairOnes;
    } else if (each < worthThread) {
        ++balance.small;
    } else {
        std::string text = std::format("{:6.2f} {} {:.0f} operations a thread, {:.0f} serial;", imbalance, name, each, work->serial);
        for (const auto &loop : work->loops)
            text += std::format(" {}×{}", loop.times, loop.iterations);
        balance.rest.push_back(text);
    }
}

} // namespace

class ThreadBalanceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void models_data()
    {
        QTest::addColumn<QString>("name");
        for (const char *name : {"bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50",
                                 "shufflenet", "squeezenet", "vgg19", "zfnet512"})
            QTest::addRow("%s", name) << QString::fromLatin1(name);
    }
    void models()
    {
        QFETCH(QString, name);
        if (!fs::exists(root))
            QSKIP("ONNX's test data (libonnx-testdata) are not installed");
        for (const int threads : {2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128}) {
            target::Machine machine = target::tunedMachine();
            machine.threads = threads;
            graph::PassContext context;
            context.target.machine = machine;
            auto imported =
                onnx::importModel(*onnx::readModel((root / ("light_" + name.toStdString() + ".onnx")).string()));
            auto optimized = graph::optimize(std::move(imported->function), context);
            const auto program = graph::makeProgram(std::move(optimized->function), machine);
            QVERIFY(program.has_value());
            Balance balance;
            for (const graph::Kernel &kernel : program->kernels) {
                const auto made = graph::defaultSchedule(kernel.module, machine);
                QVERIFY(made.has_value());
                count(balance, kernel.name, made->state.module, threads);
            }
            qInfo("%s %d threads: %d of %d fair, %d small, %zu rest", qPrintable(name), threads, balance.fairOnes, balance.all, balance.small, balance.rest.size());
            for (const auto &line : balance.rest) qInfo("   %s", line.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(ThreadBalanceTest)
#include "thread_balance_test.moc"
