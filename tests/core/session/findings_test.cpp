// SPDX-License-Identifier: Apache-2.0
// Findings of schedules with one fault each (findings/seeds.txt) name it first and offer a schedule without
// it; good schedules, those of recipes among them, have next to none.
#include "core/backend/listing/loop_code.h"
#include "core/explore/findings/finding.h"
#include "core/frontend/open_kernel.h"
#include "core/ir/node/equality.h"
#include "core/measure/machine/this_machine.h"
#include "core/schedule/script/reader.h"
#include "core/session/reuse/recipe.h"
#include "core/session/reuse/refit.h"

#include <QFile>
#include <QtTest>

#include <cmath>
#include <set>

using namespace nestwright;
using explore::Finding;
using explore::StepPath;

namespace {

/// Four-way processor of this decade with two threads.
target::Machine machine()
{
    return {.vectors = {.bytes = 64},
            .threads = 2,
            .flops = 117e9,
            .levels = {
                {"L1", 32 << 10, 450e9}, {"L2", 1 << 20, 150e9}, {"L3", 32 << 20, 70e9}, {"DRAM", 0, 18e9}}};
}

target::Target target() { return target::parseTarget("llvm -mcpu=znver4").value(); }

const QString folder = QStringLiteral("tests/core/session/findings/");

StepPath pathOf(const std::string &kernel, const std::vector<schedule::ScriptStep> &steps)
{
    const auto root = schedule::makeState(frontend::openKernel(kernel).value().module).value();
    std::vector<schedule::Step> plain;
    for (const schedule::ScriptStep &each : steps)
        plain.push_back(each.step);
    return StepPath::along(root, plain).value();
}

/// A schedule with one fault, or a good one.
struct Seed {
    QString fault, schedule, kernel;

    StepPath path() const
    {
        const bool isFile = kernel.endsWith(QStringLiteral(".py"));
        const std::string opened = (isFile ? folder + kernel : kernel).toStdString();
        const auto root = schedule::makeState(frontend::openKernel(opened).value().module).value();
        const auto recipe = session::findRecipe((folder + schedule).toStdString());
        const auto run = session::runRecipe(root, recipe.value());
        if (!run)
            qFatal("%s", run.error().render().c_str());
        return pathOf(opened, run->steps);
    }
};

std::vector<Seed> allSeeds()
{
    QFile file(folder + QStringLiteral("seeds.txt"));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("there are no seeds");
    std::vector<Seed> seeds;
    for (const QString &line : QString::fromUtf8(file.readAll()).split('\n', Qt::SkipEmptyParts)) {
        const QStringList words = line.split(' ', Qt::SkipEmptyParts);
        if (!line.startsWith('#') && words.size() == 3)
            seeds.push_back({words[0], words[1], words[2]});
    }
    return seeds;
}

std::vector<Finding> findings(const StepPath &path)
{
    return explore::findingsOf(path, target(), machine()).value();
}

} // namespace

class FindingsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void seeds_data()
    {
        QTest::addColumn<int>("number");
        const std::vector<Seed> seeds = allSeeds();
        for (std::size_t i = 0; i < seeds.size(); ++i)
            QTest::addRow("%s %s of %s", qPrintable(seeds[i].fault), qPrintable(seeds[i].schedule),
                          qPrintable(seeds[i].kernel))
                << static_cast<int>(i);
    }

    /// The remedy is legal, it is the schedule itself up to where it branches off, and is without the fault.
    void seeds()
    {
        QFETCH(int, number);
        const Seed seed = allSeeds().at(static_cast<std::size_t>(number));
        const StepPath path = seed.path();
        const std::vector<Finding> found = findings(path);
        if (seed.fault == "none") {
            QVERIFY2(found.empty(), found.empty() ? "" : found.front().title.c_str());
            return;
        }
        QVERIFY(!found.empty());
        const Finding &first = found.front();
        QCOMPARE(QString::fromUtf8(explore::nameOf(first.fault).data()), seed.fault);
        QVERIFY(first.gain >= explore::leastGain);
        QVERIFY(!first.title.empty() && !first.remedy.title.empty());
        QVERIFY(first.branchesAt(path) < first.remedy.path.size());
        for (const Finding &left : findings(first.remedy.path))
            QVERIFY2(left.fault != first.fault || left.title != first.title, left.title.c_str());
    }

    void seedsOfEachFault()
    {
        std::set<QString> faults;
        int all = 0;
        for (const Seed &seed : allSeeds()) {
            if (seed.fault == "none")
                continue;
            faults.insert(seed.fault);
            ++all;
        }
        QVERIFY(all >= 30);
        QVERIFY(faults.size() >= 12);
    }

    void recipes_data()
    {
        QTest::addColumn<QString>("kernel");
        QTest::addColumn<QString>("recipe");
        for (const char *sizes : {"M=64,N=64,K=64", "M=128,N=128,K=128", "M=256,N=256,K=256",
                                  "M=512,N=512,K=512", "M=1024,N=1024,K=1024", "M=1000,N=1000,K=1000",
                                  "M=1,N=4096,K=4096", "M=1024,N=1024,K=256", "M=196,N=256,K=1152"})
            QTest::newRow(sizes) << QStringLiteral("op:matmul(%1)").arg(QString::fromUtf8(sizes)) << "gemm";
        QTest::newRow("matmul_relu") << "op:matmul_relu(M=512,N=512,K=512)" << "gemm";
        QTest::newRow("softmax") << "op:softmax(M=1024,N=1024)" << "rows";
        QTest::newRow("softmax of 197") << "op:softmax(M=2364,N=197)" << "rows";
        QTest::newRow("row sum") << "op:row_sum(M=2048,N=2048)" << "rows";
        QTest::newRow("chain") << "op:elementwise_chain(n=4194304)" << "elementwise";
        QTest::newRow("sigmoid") << "op:sigmoid(M=2048,N=2048)" << "elementwise";
        QTest::newRow("add_relu") << "op:add_relu(M=2048,N=2048)" << "elementwise";
        QTest::newRow("conv2d") << "op:conv2d(N=1,C=64,H=56,W=56,F=64,KH=3,KW=3)" << "conv2d";
        QTest::newRow("conv2d of 28") << "op:conv2d(N=1,C=128,H=28,W=28,F=128,KH=3,KW=3)" << "conv2d";
    }

    void recipes()
    {
        QFETCH(QString, kernel);
        QFETCH(QString, recipe);
        const auto root =
            schedule::makeState(frontend::openKernel(kernel.toStdString()).value().module).value();
        const auto run = session::runRecipe(root, session::findRecipe(recipe.toStdString()).value());
        QVERIFY2(run, run ? "" : run.error().render().c_str());
        const std::vector<Finding> found = findings(pathOf(kernel.toStdString(), run->steps));
        QVERIFY2(found.empty(), found.empty() ? "" : found.front().title.c_str());
    }

    /// From the naive program one click after the other leads to one of which nothing is said.
    void clicksLeadToAQuickProgram()
    {
        for (const char *kernel :
             {"op:matmul(M=256,N=256,K=256)", "op:softmax(M=1024,N=1024)", "op:row_sum(M=2048,N=2048)",
              "op:conv2d(N=1,C=16,H=56,W=56,F=32,KH=3,KW=3)"}) {
            StepPath path = pathOf(kernel, {});
            int clicks = 0;
            for (std::vector<Finding> found = findings(path); !found.empty(); found = findings(path)) {
                path = found.front().remedy.path;
                QVERIFY2(++clicks < 10, kernel);
            }
            QVERIFY2(clicks > 0, kernel);
        }
    }

    /// A processor of 16 vector registers: spilling tiles have a remedy, and no remedy undoes another.
    void fewRegisters_data()
    {
        QTest::addColumn<QString>("kernel");
        QTest::addColumn<QString>("schedule");
        QTest::newRow("blocked convolution")
            << folder + "kernel_conv_blocked.py" << folder + "conv_blocked.py";
        QTest::newRow("convolution") << "op:conv2d(N=1,C=64,H=56,W=56,F=64,KH=3,KW=3)" << "conv2d";
        QTest::newRow("tile of 12 rows")
            << "op:matmul(M=480,N=512,K=512)" << folder + "product.py:rows=12,share=5";
        QTest::newRow("naive") << "op:matmul(M=240,N=256,K=256)" << QString();
    }

    void fewRegisters()
    {
        QFETCH(QString, kernel);
        QFETCH(QString, schedule);
        const auto target = target::parseTarget("llvm -mcpu=haswell").value();
        target::Machine avx2 = machine();
        avx2.vectors.bytes = 32;
        avx2.vectors.registers = 16;
        avx2.flops /= 2;
        const auto root =
            schedule::makeState(frontend::openKernel(kernel.toStdString()).value().module).value();
        std::vector<schedule::ScriptStep> steps;
        if (!schedule.isEmpty()) {
            const auto run = session::runRecipe(root, session::findRecipe(schedule.toStdString()).value());
            QVERIFY2(run, run ? "" : run.error().render().c_str());
            steps = run->steps;
        }
        StepPath path = pathOf(kernel.toStdString(), steps);
        std::vector<ir::Module> seen{path.end().module};
        const bool spills = !schedule.isEmpty() && schedule != QStringLiteral("conv2d");
        for (int click = 0;; ++click) {
            const std::vector<Finding> found = explore::findingsOf(path, target, avx2).value();
            if (spills && click == 0)
                QCOMPARE(QString::fromUtf8(explore::nameOf(found.at(0).fault).data()),
                         QStringLiteral("spills"));
            if (found.empty())
                break;
            path = found.front().remedy.path;
            for (const ir::Module &before : seen)
                QVERIFY2(!ir::structurallyEqual(before, path.end().module), found.front().title.c_str());
            seen.push_back(path.end().module);
            QVERIFY(click < 8);
        }
        const std::vector<backend::LoopCode> code = backend::loopCode(path.end().module, target).value();
        for (const backend::LoopCode &loop : code)
            QVERIFY2(!loop.isInnermost || loop.counts.spills + loop.counts.reloads < 4,
                     backend::instructionsText(loop).c_str());
    }

    /// Steps that were fitted to wider vectors say so, and a click takes those of the machine.
    void madeForAnotherMachine()
    {
        const std::string kernel = "op:matmul(M=384,N=512,K=512)";
        const auto target = target::parseTarget("llvm -mcpu=haswell").value();
        target::Machine avx2 = machine();
        avx2.vectors.bytes = 32;
        avx2.vectors.registers = 16;
        avx2.flops /= 2;
        const auto root = schedule::makeState(frontend::openKernel(kernel).value().module).value();
        const auto run =
            session::runRecipe(root, session::findRecipe("gemm:lanes=16,registers=32,threads=2").value());
        QVERIFY2(run, run ? "" : run.error().render().c_str());
        StepPath path = pathOf(kernel, run->steps);
        const std::vector<Finding> found = explore::findingsOf(path, target, avx2).value();
        const auto wide = std::ranges::find(found, explore::Fault::Spills, &Finding::fault);
        QVERIFY(wide != found.end());
        QVERIFY2(wide->title.starts_with("Made for vectors of 64 bytes: "), wide->title.c_str());
        qInfo("%s -> %s", wide->title.c_str(), wide->remedy.title.c_str());
        const std::vector<backend::LoopCode> code =
            backend::loopCode(wide->remedy.path.end().module, target).value();
        for (const backend::LoopCode &loop : code)
            QVERIFY2(!loop.isInnermost || loop.counts.spills + loop.counts.reloads < 4,
                     backend::instructionsText(loop).c_str());
    }

    void recipesAreMadeAnew_data()
    {
        QTest::addColumn<QString>("kernel");
        QTest::addColumn<QString>("recipe");
        QTest::addColumn<QString>("target");
        QTest::addRow("wider vectors, more threads") << "op:matmul(M=384,N=512,K=512)"
                                                     << "gemm:lanes=16,registers=32,threads=16"
                                                     << "llvm -mcpu=haswell";
        QTest::addRow("narrower vectors") << "op:matmul(M=384,N=512,K=512)"
                                          << "gemm:lanes=4,registers=16,threads=2" << "llvm -mcpu=haswell";
        QTest::addRow("another recipe") << "op:softmax(M=1024,N=1024)" << "rows:lanes=16"
                                        << "llvm -mcpu=haswell";
    }

    /// Steps that a recipe made for another machine are told from others, and are what the recipe makes here
    /// after a click; behind that nothing is left to be made anew.
    void recipesAreMadeAnew()
    {
        QFETCH(QString, kernel);
        QFETCH(QString, recipe);
        QFETCH(QString, target);
        const auto here = target::parseTarget(target.toStdString()).value();
        const auto root =
            schedule::makeState(frontend::openKernel(kernel.toStdString()).value().module).value();
        const auto runOf = [&](const std::string &reference) {
            const auto run = session::runRecipe(root, session::findRecipe(reference, here).value());
            if (!run)
                qFatal("%s", run.error().render().c_str());
            return pathOf(kernel.toStdString(), run->steps);
        };
        const StepPath path = runOf(recipe.toStdString());
        const StepPath own = runOf(recipe.section(QChar(':'), 0, 0).toStdString());
        const auto anew = session::refitted(path, here);
        QVERIFY(anew);
        QVERIFY(anew->path.steps() == own.steps());
        QVERIFY(!session::refitted(own, here));
        QVERIFY(!session::refitted(path.upTo(path.size() - 1), here));

        explore::Experience experience;
        experience.refitted = [&](const StepPath &made) { return session::refitted(made, here); };
        const target::Machine machine = measure::machineOf(here);
        const std::vector<Finding> found = explore::findingsOf(path, here, machine, {}, experience).value();
        for (const Finding &each : found)
            qInfo("%s -> %s: %.2f", each.title.c_str(), each.remedy.title.c_str(), each.gain);
        const auto other = std::ranges::find(found, explore::Fault::OtherMachine, &Finding::fault);
        if (recipe.startsWith(QStringLiteral("gemm")))
            QVERIFY(other != found.end());
        if (other != found.end())
            QVERIFY(other->remedy.path.steps() == own.steps());
    }

    /// A remedy measured to be slower is not proposed again; other measurements change predictions.
    void experienceCounts()
    {
        const StepPath path = pathOf("op:matmul(M=256,N=256,K=256)", {});
        const Finding first = findings(path).front();
        explore::Experience slower;
        slower.measuredGain = [&](const schedule::State &state) {
            const bool isFirst = ir::structurallyEqual(state.module, first.remedy.path.end().module);
            return isFirst ? std::optional(0.9) : std::nullopt;
        };
        const std::vector<Finding> others =
            explore::findingsOf(path, target(), machine(), {}, slower).value();
        for (const Finding &each : others)
            QVERIFY(!ir::structurallyEqual(each.remedy.path.end().module, first.remedy.path.end().module));
        explore::Experience lower{.compared = 3, .tooGood = 1.3, .strength = 0.5};
        const Finding again = explore::findingsOf(path, target(), machine(), {}, lower).value().front();
        QCOMPARE(again.rawGain, first.rawGain);
        QVERIFY(std::abs(again.gain - std::sqrt(first.rawGain)) < 1e-9 * first.rawGain);
        QCOMPARE(explore::describe(lower), std::string("the last 3 were 1.30 times too good"));
        QVERIFY(explore::describe({}).empty());
    }

    void nothingIsFoundWhereNothingIsKnown()
    {
        const auto symbolic = frontend::openKernelText(R"(
from tvm.script import tir as T
@T.prim_func
def main(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,))
    B = T.match_buffer(b, (n,))
    for i in range(n):
        with T.block("B"):
            vi = T.axis.spatial(n, i)
            B[vi] = A[vi] + T.float32(1)
)",
                                                       "symbolic.py");
        QVERIFY(symbolic);
        QVERIFY(findings(StepPath(schedule::makeState(symbolic->module).value())).empty());
        std::stop_source stop;
        stop.request_stop();
        const auto stopped =
            explore::findingsOf(pathOf("op:matmul()", {}), target(), machine(), stop.get_token());
        QVERIFY(!stopped);
        QCOMPARE(stopped.error().code, "cancelled");
    }

    void devicesHaveTheirOwn()
    {
        const auto cuda = target::parseTarget("cuda").value();
        const auto found =
            explore::findingsOf(pathOf("op:matmul(M=256,N=256,K=256)", {}), cuda, machine()).value();
        QCOMPARE(found.size(), 1U);
        QCOMPARE(explore::nameOf(found.front().fault), "device-threads");
        QCOMPARE(found.front().branchesAt(pathOf("op:matmul(M=256,N=256,K=256)", {})), 0U);
    }
};

QTEST_GUILESS_MAIN(FindingsTest)
#include "findings_test.moc"
