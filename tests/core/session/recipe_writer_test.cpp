// SPDX-License-Identifier: Apache-2.0
// Recipes recorded from steps: what becomes a parameter or a formula, and that they are legal and right on
// other sizes and on like kernels.
#include "core/frontend/open_kernel.h"
#include "core/measure/machine/other_load.h"
#include "core/session/reuse/recipe_writer.h"
#include "core/support/files/input_file.h"
#include "tests/support/passes.h"
#include "tests/support/programs.h"

#include <QScopeGuard>
#include <QTemporaryDir>
#include <QtTest>

using namespace nestwright;
using explore::StepPath;
using session::RecipeNumber;

namespace {

schedule::State kernelState(const std::string &kernel)
{
    return schedule::makeState(frontend::openKernel(kernel).value().module).value();
}

StepPath pathOfRun(const schedule::State &root, const support::Result<schedule::ScriptRun> &run)
{
    if (!run)
        qFatal("%s", run.error().render().c_str());
    std::vector<schedule::Step> steps;
    for (const schedule::ScriptStep &each : run->steps)
        steps.push_back(each.step);
    return StepPath::along(root, steps).value();
}

/// Of a script, or of "recipe:NAME".
StepPath recordedPath(const std::string &kernel, const std::string &schedule)
{
    const schedule::State root = kernelState(kernel);
    if (schedule.starts_with("recipe:"))
        return pathOfRun(root, session::runRecipe(root, session::findRecipe(schedule.substr(7)).value()));
    const std::string text = schedule.ends_with(".py") ? support::readText(schedule).value() : schedule;
    return pathOfRun(root, schedule::runScheduleScript(root, text, "s.py"));
}

std::string recorded(const StepPath &path)
{
    const auto text = session::writeRecipe(path, "mine", "Mine.", session::recipeNumbers(path).value());
    if (!text)
        qFatal("%s", text.error().render().c_str());
    return *text;
}

support::Result<schedule::ScriptRun> applied(const std::string &text, const schedule::State &state,
                                             std::vector<schedule::ScriptParameter> given = {})
{
    session::Recipe recipe{.name = "mine",
                           .title = {},
                           .file = "mine.py",
                           .text = text,
                           .parameters = schedule::parametersOf(text, "mine.py").value()};
    for (const schedule::ScriptParameter &each : given)
        std::ranges::find(recipe.parameters, each.name, &schedule::ScriptParameter::name)->value = each.value;
    return session::runRecipe(state, recipe);
}

std::string productScript(const std::string &steps)
{
    return "def f(sch):\n  b = sch.get_block(\"C\")\n  i, j, k = sch.get_loops(b)\n" + steps;
}

} // namespace

class RecipeWriterTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void parametersOfAProduct()
    {
        const StepPath path =
            recordedPath("op:matmul(M=1024,N=1024,K=1024)", "examples/schedules/matmul/08_block_rows.py");
        std::string list;
        const auto numbers = session::recipeNumbers(path).value();
        for (const RecipeNumber &number : numbers)
            list += number.name + "=" + std::to_string(number.value) + " ";
        QCOMPARE(list, "tile_i=32 rows=4 vectors=2 lanes=8 ");
        const std::string text = recorded(path);
        QVERIFY2(text.starts_with("# Mine.\n# from tvm import tir\ndef mine(sch: tir.Schedule, block=\"\", "
                                  "tile_i=32, rows=4, vectors=2, lanes=8) -> None:\n"
                                  "  columns = vectors * lanes\n  c = sch.get_block(block)\n"
                                  "  i, j, k = sch.get_loops(c)\n"),
                 text.c_str());
        for (const char *part : {"sch.split(i, [None, tile_i, rows])", "sch.split(j, [None, vectors, lanes])",
                                 "j // columns", "j % columns", "[None, columns]"})
            QVERIFY2(text.contains(part), (part + ("\n" + text)).c_str());
    }

    void onOtherShapes_data()
    {
        QTest::addColumn<QString>("of");
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<QString>("on");
        const auto row = [](const char *name, const char *of, const char *schedule, const char *on) {
            QTest::newRow(name) << of << schedule << on;
        };
        const char *rows8 = "examples/schedules/matmul/08_block_rows.py";
        const char *product = "op:matmul(M=1024,N=1024,K=1024)";
        row("product", product, rows8, "op:matmul(M=256,N=64,K=32)");
        row("uneven product", product, rows8, "op:matmul(M=130,N=96,K=20)");
        row("product with more", product, rows8, "op:matmul_relu(M=128,N=64,K=16)");
        row("softmax", "op:softmax(M=64,N=64)", "recipe:rows", "op:softmax(M=32,N=48)");
        row("uneven softmax", "op:softmax(M=64,N=64)", "recipe:rows", "op:softmax(M=7,N=33)");
        const char *convolution = "op:conv2d(C=3,H=28,W=28,F=32)";
        row("convolution", convolution, "recipe:conv2d", "op:conv2d(C=4,H=14,W=28,F=16)");
        row("other convolution", convolution, "recipe:conv2d", "op:conv2d(C=2,H=12,W=14,F=48)");
        row("gemm", "op:matmul(M=1024,N=960,K=1024)", "recipe:gemm", "op:matmul(M=64,N=96,K=40)");
        row("chain", "op:elementwise_chain", "recipe:elementwise", "op:elementwise_chain(n=1000)");
    }

    void onOtherShapes()
    {
        QFETCH(QString, of);
        QFETCH(QString, schedule);
        QFETCH(QString, on);
        const auto kernel = frontend::openKernel(on.toStdString());
        if (!kernel)
            QFAIL(kernel.error().render().c_str());
        const std::string text = recorded(recordedPath(of.toStdString(), schedule.toStdString()));
        const schedule::State state = schedule::makeState(kernel->module).value();
        const auto run = applied(text, state);
        if (!run)
            QFAIL((run.error().render() + "\n" + text).c_str());
        QVERIFY(!run->steps.empty());
        const auto wrong = tests::whyNotEquivalent(state.module, tests::lowered(run->state.module));
        QVERIFY2(!wrong, wrong.value_or("").c_str());
    }

    void valuesCanBeGiven()
    {
        const std::string text = recorded(
            recordedPath("op:matmul(M=1024,N=1024,K=1024)", "examples/schedules/matmul/08_block_rows.py"));
        const schedule::State state = kernelState("op:matmul(M=128,N=64,K=16)");
        const auto run = applied(text, state, {{"rows", 4}, {"vectors", 1}});
        if (!run)
            QFAIL(run.error().render().c_str());
        const auto wrong = tests::whyNotEquivalent(state.module, tests::lowered(run->state.module));
        QVERIFY2(!wrong, wrong.value_or("").c_str());
    }

    void formulas_data()
    {
        QTest::addColumn<QString>("steps");
        QTest::addColumn<QString>("written");
        const auto row = [](const char *name, const char *steps, const char *written) {
            QTest::newRow(name) << steps << written;
        };
        row("whole extent", "  a, b = sch.split(j, [None, 96])\n  sch.vectorize(b)\n",
            "sch.split(j, [None, int(sch.get(j).extent)])");
        row("all factors", "  a, b = sch.split(i, [8, 8])\n  sch.reorder(b, a)\n",
            "sch.split(i, [None, tile_i])");
        row("terms", "  a, b = sch.split(k, [None, 4])\n  sch.unroll(b)\n", "sch.split(k, [None, terms])");
        row("defaults", "  a, b = sch.split(k, [None, 4], disable_predication=True)\n  sch.unroll(b)\n",
            "sch.split(k, [None, terms], disable_predication=True)");
        row("one is no parameter", "  a, b, c = sch.split(k, [None, 1, 4])\n  sch.unroll(c)\n",
            "[None, 1, terms]");
    }

    void formulas()
    {
        QFETCH(QString, steps);
        QFETCH(QString, written);
        const std::string text =
            recorded(recordedPath("op:matmul(M=64,N=96,K=32)", productScript(steps.toStdString())));
        QVERIFY2(text.contains(written.toStdString()), text.c_str());
    }

    void threadsAreTheMachines()
    {
        const int cores = measure::usableCores();
        if (cores < 2)
            QSKIP("one processor");
        const std::string kernel = "op:matmul(M=" + std::to_string(cores * 32) + ",N=96,K=32)";
        const std::string outer =
            recorded(recordedPath(kernel, productScript("  a, b = sch.split(i, [" + std::to_string(cores)
                                                        + ", None])\n  sch.parallel(a)\n")));
        QVERIFY2(outer.contains("threads=" + std::to_string(cores)), outer.c_str());
        QVERIFY2(outer.contains("[threads, None]"), outer.c_str());
        const std::string share = recorded(
            recordedPath(kernel, productScript("  a, b = sch.split(i, [None, 32])\n  sch.parallel(a)\n")));
        QVERIFY2(share.contains("(int(sch.get(i).extent) + threads - 1) // threads"), share.c_str());
    }

    void numbersThatAPersonChose()
    {
        const StepPath path =
            recordedPath("op:matmul(M=64,N=96,K=32)",
                         productScript("  a, b = sch.split(i, [None, 8])\n  c, d = sch.split(j, [None, 16])\n"
                                       "  sch.reorder(a, c, k, b, d)\n"));
        auto numbers = session::recipeNumbers(path).value();
        QCOMPARE(numbers.size(), 2U);
        QCOMPARE(numbers[0].place, "split(i, [None, 8])");
        numbers[0].name = "height";
        numbers[1].isParameter = false;
        const std::string text = session::writeRecipe(path, "mine", "Mine.", numbers).value();
        QVERIFY2(text.contains("block=\"\", height=8)"), text.c_str());
        QVERIFY(text.contains("[None, height]") && text.contains("[None, 16]"));
        const auto codeWith = [&](const std::string &name, const std::string &parameter) {
            numbers[1].isParameter = true;
            numbers[1].name = parameter;
            const auto written = session::writeRecipe(path, name, "Mine.", numbers);
            return written ? std::string() : written.error().code;
        };
        QCOMPARE(codeWith("mine", "width"), "");
        QCOMPARE(codeWith("mine", "height"), "recipe.parameter-name");
        QCOMPARE(codeWith("mine", "block"), "recipe.parameter-name");
        QCOMPARE(codeWith("mine", "for"), "recipe.parameter-name");
        QCOMPARE(codeWith("my recipe", "width"), "recipe.name");
        const StepPath none(path.state(0));
        QCOMPARE(session::writeRecipe(none, "mine", "Mine.", {}).error().code, "recipe.nothing");
    }

    void isSavedAmongThePersons()
    {
        const QTemporaryDir folder;
        qputenv("NESTWRIGHT_RECIPES", folder.filePath("mine").toUtf8());
        const auto cleanup = qScopeGuard([] { qunsetenv("NESTWRIGHT_RECIPES"); });
        const std::string text = recorded(
            recordedPath("op:matmul(M=64,N=96,K=32)", productScript("  a, b = sch.split(i, [None, 8])\n")));
        QCOMPARE(session::saveRecipe("gemm", text).error().code, "recipe.name");
        QCOMPARE(session::saveRecipe("../x", text).error().code, "recipe.name");
        QVERIFY(session::saveRecipe("halves", text));
        const auto all = session::recipes().value();
        QVERIFY(std::ranges::contains(all, "halves", &session::Recipe::name));
        QCOMPARE(session::findRecipe("halves")->title, "Mine.");
        QFile broken(folder.filePath("mine/broken.py"));
        QVERIFY(broken.open(QIODevice::WriteOnly));
        broken.write("def broken(sch, x):\n");
        broken.close();
        QCOMPARE(session::recipes()->size(), all.size());
        QVERIFY(!session::findRecipe("broken"));
    }
};

QTEST_APPLESS_MAIN(RecipeWriterTest)
#include "recipe_writer_test.moc"
