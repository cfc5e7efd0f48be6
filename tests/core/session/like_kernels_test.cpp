// SPDX-License-Identifier: Apache-2.0
// One schedule on the kernels of a small transformer: where it fits, what is kept, and the sessions that keep
// it. What is faster on the machine of the tests is not asserted.
#include "core/session/model/like_kernels_text.h"

#include "core/ir/node/equality.h"
#include "core/session/reuse/recipe_writer.h"
#include "core/session/reuse/transfer_text.h"
#include "core/support/errors/codes.h"
#include "core/support/text/json.h"

#include <QTest>

#include <algorithm>

using namespace nestwright;
using namespace nestwright::session;

namespace {

/// Unrolls the innermost loop of the last block, where its extent is at most `most`.
TransferSchedule unrolled(int most)
{
    const std::string text = "def f(sch):\n"
                             "  blocks = sch.get_child_blocks(sch.get_block(\"root\"))\n"
                             "  loop = sch.get_loops(blocks[-1])[-1]\n"
                             "  assert int(sch.get(loop).extent) <= "
                             + std::to_string(most)
                             + ", \"a short loop\"\n"
                               "  sch.unroll(loop)\n";
    return {
        .name = "unrolled",
        .run =
            [text](const schedule::State &state) { return schedule::runScheduleScript(state, text, "f.py"); },
        .text = text};
}

LikeKernel measured(double low, double median, double high, bool significant)
{
    LikeKernel kernel{.name = "k"};
    kernel.run = schedule::ScriptRun{};
    kernel.cell.scheduled = measure::Measurement{};
    kernel.cell.scheduled->time = {1, 1, 1};
    kernel.cell.scheduled->speedup = measure::Speedup{{low, median, high}, significant};
    return kernel;
}

} // namespace

class LikeKernelsTest : public QObject {
    Q_OBJECT

    std::shared_ptr<const Model> m_model;

    LikeKernelsRequest request(TransferSchedule schedule) const
    {
        LikeKernelsRequest wanted{.model = m_model,
                                  .schedule = std::move(schedule),
                                  .now = {},
                                  .target = *target::parseTarget("llvm")};
        wanted.repetitions = 2;
        wanted.secondsPerRepetition = 0.002;
        return wanted;
    }

    LikeKernels found(const LikeKernelsRequest &wanted) const
    {
        measure::Measurer measurer;
        auto result = measureLikeKernels(wanted, measurer, [](const LikeKernels &, double) {});
        if (!result)
            qFatal("%s", result.error().render().c_str());
        return std::move(*result);
    }

private Q_SLOTS:
    void initTestCase()
    {
        auto model = openModel("examples/models/transformer_encoder.onnx", {});
        if (!model && model.error().code == "model.not-built")
            QSKIP("built without the reader for ONNX");
        QVERIFY2(model.has_value(), model ? "" : model.error().message.c_str());
        m_model = std::make_shared<const Model>(std::move(*model));
    }

    void theFasterAreKept()
    {
        QVERIFY(isKept(measured(1.1, 1.2, 1.3, true), Keep::Faster));
        QVERIFY(!isKept(measured(1.1, 1.2, 1.3, false), Keep::Faster));
        QVERIFY(!isKept(measured(0.7, 0.8, 0.9, true), Keep::Faster));
        for (const bool significant : {true, false})
            QVERIFY(isKept(measured(0.7, 0.8, 0.9, significant), Keep::All));
        LikeKernel wrong = measured(1.1, 1.2, 1.3, true);
        wrong.cell.why = support::diagnostic("measure.wrong-result", "wrong");
        QVERIFY(!isKept(wrong, Keep::All) && !isKept(wrong, Keep::Faster));
        QCOMPARE(verdictOf(wrong), std::string("failed"));
        LikeKernel same = measured(1.1, 1.2, 1.3, true);
        same.isAsItIs = true;
        QVERIFY(!isKept(same, Keep::All));
        QCOMPARE(verdictOf(LikeKernel{}), std::string("does not fit"));
        QVERIFY(!isKept(LikeKernel{}, Keep::All));
        QVERIFY(!isKept(measured(1, 1, 1, true), Keep::Faster));
        QCOMPARE(verdictOf(measured(1, 1, 1, true)), std::string("not significant"));
        const LikeKernel holdsOne = measured(0.85, 1.15, 1.46, true); // an old file may say so
        QVERIFY(!isKept(holdsOne, Keep::Faster));
        QCOMPARE(verdictOf(holdsOne), std::string("not significant"));
        QCOMPARE(verdictOf(measured(0.7, 0.8, 0.9, true)), std::string("slower"));
        LikeKernel fits; // and is not measured yet
        fits.run = schedule::ScriptRun{};
        QVERIFY(!isKept(fits, Keep::Faster) && !isKept(fits, Keep::All));
        QCOMPARE(verdictOf(fits), std::string("fits"));
    }

    /// Kernels that it fits stand before the others; a ratio that is not significant says so by itself.
    void tables()
    {
        LikeKernel none{.name = "none"}, faster = measured(1.1, 1.2, 1.3, true),
                                         same = measured(0.9, 1.1, 1.3, false), fits{.name = "fits"};
        none.cell.why = support::diagnostic("schedule.assert", "too long");
        fits.run = schedule::ScriptRun{};
        faster.name = "faster";
        same.name = "same";
        const LikeKernels all{.schedule = "f", .target = {}, .kernels = {none, faster, same, fits}};
        QCOMPARE(summaryOf(all), std::string("Fits 3 of 4 kernels: faster on 1, not significant on 1."));
        const QStringList lines = QString::fromStdString(printedTable(all, Keep::Faster)).split(u'\n');
        QVERIFY(lines.at(3).startsWith("faster ") && lines.at(3).simplified().endsWith(") faster kept"));
        QVERIFY(lines.at(4).startsWith("same ") && !lines.at(4).contains("kept"));
        QVERIFY(!lines.at(4).contains("faster") && !lines.at(4).contains("slower"));
        QCOMPARE(lines.at(4).count("not significant"), 1);
        QVERIFY(lines.at(5).startsWith("fits "));
        QVERIFY(lines.at(6).startsWith("none ") && lines.at(6).endsWith("does not fit [1]"));
    }

    void timesAreWrittenInTheirUnit()
    {
        measure::Measurement measured;
        measured.time = {0.9951e-3, 0.996e-3, 1.049e-3};
        QCOMPARE(timeText(measured), std::string("996 µs (995 … 1049)"));
        measured.time = {12.31e-3, 12.345e-3, 12.4e-3};
        QCOMPARE(timeText(measured), std::string("12.3 ms (12.3 … 12.4)"));
        measured.time = {2.25e-6, 2.27e-6, 2.3e-6};
        QCOMPARE(timeText(measured), std::string("2.27 µs (2.25 … 2.30)"));
        measured.time = {1e-3, 1e-3, 1e-3};
        QCOMPARE(timeText(measured), std::string("1.00 ms (1.00 … 1.00)"));
        measured.time = {0.1, 0.1, 0.1};
        QCOMPARE(timeText(measured), std::string("100 ms (100 … 100)"));
        measured.time = {0.01, 0.01, 0.01};
        QCOMPARE(timeText(measured), std::string("10.0 ms (10.0 … 10.0)"));
        QCOMPARE(timeText({}), std::string());
        measured.failed = measure::Failure::Crash;
        QCOMPARE(timeText(measured), std::string());
    }

    void triedOnAllAndMeasuredWhereItFits()
    {
        double last = 0;
        bool grows = true;
        measure::Measurer measurer;
        const auto result =
            measureLikeKernels(request(unrolled(64)), measurer, [&](const LikeKernels &, double fraction) {
                grows = grows && fraction >= last;
                last = fraction;
            });
        QVERIFY2(result.has_value(), result ? "" : result.error().render().c_str());
        QVERIFY(grows);
        QCOMPARE(last, 1.0);
        QCOMPARE(result->kernels.size(), m_model->program.kernels.size());
        QVERIFY(result->fitting() > 0 && result->fitting() < static_cast<int>(result->kernels.size()));
        for (const LikeKernel &kernel : result->kernels) {
            QVERIFY(kernel.cell.isDone);
            if (!kernel.run) {
                QVERIFY(reasonOf(kernel.cell).starts_with("assert int(sch.get(loop).extent) <= 64"));
                QVERIFY(!kernel.cell.base);
                continue;
            }
            QVERIFY2(kernel.cell.ratio(), kernel.name.c_str());
            QCOMPARE(kernel.cell.scheduled->verdict, measure::Verdict::Verified);
            QVERIFY(!timeText(kernel.cell.base).empty());
        }
        const std::string table = printedTable(*result, Keep::All);
        QVERIFY(table.starts_with("Fits ") && table.contains("with unrolled") && table.contains(" kept\n"));
        QVERIFY2(table.contains("[1] assert"), table.c_str());
        const support::Json json = toJson(*result, Keep::All);
        QCOMPARE(json["kernels"].size(), result->kernels.size());
        QCOMPARE(json["kernels"][0]["kept"].get<bool>(), json["kernels"][0]["fits"].get<bool>());
    }

    void sessionsKeepIt()
    {
        const LikeKernels all = found(request(unrolled(64)));
        const auto fits = std::ranges::find_if(all.kernels, &LikeKernel::fits);
        const int place = static_cast<int>(fits - all.kernels.begin());
        const auto kept = keepIn({}, *m_model, all, {place});
        QVERIFY(kept.has_value());
        QCOMPARE(kept->size(), 1U);
        const VariantTree &tree = kept->at(place).tree();
        QCOMPARE(tree.current().name, std::string("unrolled"));
        QVERIFY(ir::structurallyEqual(tree.current().state->module, fits->run->state.module));
        QVERIFY(tree.current().measurement && !tree.current().measurement->speedup);
        QVERIFY(std::ranges::count_if(tree.all(), [](const Variant &v) { return v.measurement.has_value(); })
                == 2);

        // Once more it is the schedule that the kernel has.
        LikeKernelsRequest again = request(unrolled(64));
        again.now.emplace(fits->name, *tree.current().state);
        const LikeKernels second = found(again);
        QVERIFY(second.kernels[static_cast<std::size_t>(place)].isAsItIs);
        QCOMPARE(verdictOf(second.kernels[static_cast<std::size_t>(place)]),
                 std::string("scheduled so already"));
        // Kept twice it is there once.
        const auto twice = keepIn(*kept, *m_model, all, {place});
        QCOMPARE(twice->at(place).tree().size(), tree.size());
        QCOMPARE(twice->at(place).tree().current().name, std::string("unrolled"));
        // A name that a person gave it stays.
        std::map<int, Session> named = *kept;
        named.at(place).tree().setName(tree.current().id, "mine");
        QCOMPARE(keepIn(named, *m_model, all, {place})->at(place).tree().current().name, std::string("mine"));
    }

    /// Of another target than the session's a measurement is kept for that.
    void measurementsBelongToTheirTarget()
    {
        LikeKernelsRequest wanted = request(unrolled(64));
        wanted.target.threads = 1;
        const LikeKernels all = found(wanted);
        const auto fits = std::ranges::find_if(all.kernels, &LikeKernel::fits);
        const auto kept = keepIn({}, *m_model, all, {static_cast<int>(fits - all.kernels.begin())});
        const Variant &current = kept->begin()->second.tree().current();
        QVERIFY(!current.measurement);
        QVERIFY(current.elsewhere.contains(wanted.target.str()));
    }

    /// The default schedule of a kernel as a recipe makes the same program there again, and fits others.
    void aRecordedRecipeServesLikeKernels()
    {
        const auto named =
            std::ranges::find(m_model->program.kernels, "packed_matmul_add_add", &graph::Kernel::name);
        QVERIFY(named != m_model->program.kernels.end());
        const auto place = static_cast<int>(named - m_model->program.kernels.begin());
        const Session session = beginKernel(*m_model, place).value();
        const explore::StepPath path = session.tree().steps(session.tree().current().id);
        const auto recipe = recordedRecipe(path, "recorded");
        QVERIFY2(recipe.has_value(), recipe ? "" : recipe.error().render().c_str());
        const LikeKernels all = found(
            request({.name = "recorded",
                     .run = [recipe](const schedule::State &state) { return runRecipe(state, *recipe); },
                     .text = recipe->text}));
        QVERIFY(all.kernels[static_cast<std::size_t>(place)].isAsItIs);
        QVERIFY2(all.fitting() >= 2, summaryOf(all).c_str());
    }

    void itCanBeStopped()
    {
        std::stop_source stop;
        measure::Measurer measurer;
        const auto result = measureLikeKernels(
            request(unrolled(64)), measurer,
            [&](const LikeKernels &table, double) {
                if (std::ranges::any_of(table.kernels,
                                        [](const LikeKernel &each) { return each.cell.ratio() != nullptr; }))
                    stop.request_stop();
            },
            stop.get_token());
        QVERIFY(!result);
        QCOMPARE(result.error().code, std::string(support::codes::cancelled));
    }
};

QTEST_GUILESS_MAIN(LikeKernelsTest)
#include "like_kernels_test.moc"
