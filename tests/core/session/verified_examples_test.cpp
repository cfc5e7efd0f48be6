// SPDX-License-Identifier: Apache-2.0
// The judge calls no schedule of an example wrong: its own, the ladder, each recipe that fits; the share of
// the bounds on rounding errors that each takes is printed. Bytes, which have no bounds, are for recipe_test.
#include "core/frontend/open_kernel.h"
#include "core/session/reuse/own_schedule.h"
#include "core/session/reuse/recipe.h"
#include "tests/core/measure/worker_fixture.h"

#include <algorithm>
#include <filesystem>

using namespace nestwright;
using namespace nestwright::tests;
using measure::Measurement;

class VerifiedExamplesTest : public QObject {
    Q_OBJECT

    struct Variants {
        QStringList names;
        std::vector<ir::Module> modules;

        void add(const std::string &name, const ir::Module &module)
        {
            names << QString::fromStdString(name);
            modules.push_back(module);
        }
    };

    static Variants variantsOf(const frontend::OpenedKernel &kernel)
    {
        Variants variants;
        const auto initial = schedule::makeState(kernel.module);
        if (!initial)
            return variants;
        for (const te::ScheduleSteps &own : kernel.schedules)
            variants.add("its own", session::runOwnSchedule(*initial, own, kernel.name).run.state.module);
        const auto all = session::recipes();
        for (const session::Recipe &recipe : all.value()) {
            if (const auto run = session::runRecipe(*initial, recipe))
                variants.add(recipe.name, run->state.module);
        }
        std::vector<std::string> rungs;
        for (const auto &entry : std::filesystem::directory_iterator("examples/schedules/matmul"))
            rungs.push_back(entry.path().string());
        std::ranges::sort(rungs);
        for (const std::string &rung : rungs) {
            const auto script = frontend::openKernel(rung);
            const auto run = script ? schedule::runScheduleScript(*initial, script->text, rung)
                                    : std::unexpected(script.error());
            if (run)
                variants.add(std::filesystem::path(rung).stem().string(), run->state.module);
        }
        return variants;
    }

private Q_SLOTS:
    void schedules_data()
    {
        QTest::addColumn<int>("atLeast"); // schedules
        const auto row = [](const char *kernel, int atLeast) { QTest::newRow(kernel) << atLeast; };
        row("op:matmul(M=256,N=256,K=512)", 12);
        row("op:conv2d(H=28,W=28,C=16,F=32)", 1);
        row("op:row_sum(M=256,N=1024)", 1);
        row("op:softmax(M=128,N=1024)", 1);
        row("op:sigmoid(M=256,N=256)", 1);
        row("op:add_relu(M=256,N=256)", 1);
        row("op:elementwise_chain", 1);
        row("examples/mm_relu.py", 1);
        row("examples/gpu/transpose.py", 1);
        row("examples/gpu/depthwise.py", 1);
        row("examples/course/02_tile.py", 0);
        row("examples/course/07_packing.py", 12);
        row("examples/course/08_reduction.py", 0);
        row("examples/course/10_fusion.py", 0);
    }
    void schedules()
    {
        QFETCH(int, atLeast);
        const auto kernel = frontend::openKernel(QTest::currentDataTag());
        QVERIFY2(kernel, kernel ? "" : kernel.error().render().c_str());
        const Variants variants = variantsOf(*kernel);
        QVERIFY2(variants.names.size() >= atLeast, qPrintable(variants.names.join(", ")));
        measure::MeasureJob job;
        job.reference = kernel->module;
        job.variants = variants.modules;
        job.verifyOnly = true;
        job.wantPeak = false;
        const auto results = m_measurer->measure(job, ignore);
        QVERIFY2(results, results ? "" : results.error().render().c_str());
        QStringList shares;
        for (std::size_t i = 0; i < results->size(); ++i) {
            const Measurement &result = (*results)[i];
            const QString name = variants.names[qsizetype(i)];
            const std::string reason = result.failure ? result.failure->message : "";
            QVERIFY2(result.isVerified(), qPrintable(name + ": " + QString::fromStdString(reason)));
            shares << (result.boundShare
                           ? QStringLiteral("%1 %2 %").arg(name).arg(100 * *result.boundShare, 0, 'g', 2)
                           : name);
        }
        qInfo("%s", qPrintable(shares.join(", ")));
    }

    void initTestCase()
    {
        measure::WorkerOptions options;
        options.program = thisProgram();
        m_measurer = std::make_unique<measure::Measurer>(options);
    }

private:
    std::unique_ptr<measure::Measurer> m_measurer;
};

int main(int argc, char *argv[]) { return runTestOrWorker<VerifiedExamplesTest>(argc, argv); }

#include "verified_examples_test.moc"
