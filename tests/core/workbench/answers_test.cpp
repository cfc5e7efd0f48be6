// SPDX-License-Identifier: Apache-2.0
// Answers have the members that their headers promise.
#include "core/backend/listing/loop_code.h"
#include "core/explore/judge/seal_path.h"
#include "core/script/print/printer.h"
#include "core/support/text/json.h"
#include "core/workbench/answers/comparisons.h"
#include "core/workbench/answers/lesson_answers.h"
#include "core/workbench/answers/lists.h"
#include "core/workbench/answers/loop_rows.h"
#include "core/workbench/answers/measurements.h"
#include "core/workbench/answers/memory_answers.h"
#include "core/workbench/answers/model_answers.h"
#include "core/workbench/answers/place_sweep.h"
#include "core/workbench/answers/step_answers.h"
#include "core/workbench/answers/suggestions.h"
#include "core/workbench/opening/opener.h"

#include <QtTest>

#include <algorithm>

using namespace nestwright;
using support::Json;
using workbench::toJson;

namespace {

template <class T> T valueOf(support::Result<T> result)
{
    if (!result)
        qFatal("%s", result.error().render().c_str());
    return std::move(*result);
}

const std::string product = "op:matmul(M=16,N=16,K=16)";

schedule::State program() { return valueOf(workbench::Opener().loadState(product)); }

/// "a b c": the names of the members, in the order of the object.
template <class J> QString membersOf(const J &object)
{
    QStringList names;
    for (const auto &[name, value] : object.items())
        names.push_back(QString::fromStdString(name));
    return names.join(u' ');
}

schedule::Step splitOf(const schedule::State &state, std::string_view loop)
{
    const suggest::LoopNest nest(state, script::print(state.module));
    for (const support::StmtId id : nest.all()) {
        if (nest.loop(id) && nest.name(id) == loop)
            return valueOf(schedule::makeStep(
                "split", {{"loop", id}, {"factors", schedule::ArgList{schedule::ArgValue(), 4}}}));
    }
    qFatal("no loop");
}

class AnswersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void loopsOfAProgram()
    {
        const schedule::State state = program();
        const suggest::LoopNest nest(state, script::print(state.module));
        backend::LoopCode code;
        code.loop = nest.all().front();
        const std::vector<backend::LoopCode> all{code};
        const Json json = toJson(workbench::loopRows(nest, all));
        QCOMPARE(json.size(), std::size_t(3));
        QCOMPARE(json[0].at("loop"), Json("i"));
        QCOMPARE(json[2].at("depth"), Json(2));
        QCOMPARE(json[0].at("code").size(), std::size_t(1));
        QCOMPARE(json[0].at("code")[0].at("first-line"), Json(1));
        QVERIFY(json[1].at("code").empty());
        QCOMPARE(json[1].at("iterations"), Json(16));
    }

    void cachesOfAProgram()
    {
        const auto function = program().module.mainEntry()->function;
        const std::vector<target::MemoryLevel> levels{valueOf(measure::parseCache("1k,2,64", 1)),
                                                      valueOf(measure::parseCache("32k,8,64", 2))};
        const auto counts = valueOf(explore::countCacheMisses(*function, {}, levels, 100000));
        const Json json = toJson(counts, levels);
        QCOMPARE(membersOf(json), QString("accesses buffers caches total whole"));
        QCOMPARE(json.at("caches").size(), std::size_t(2));
        QCOMPARE(json.at("caches")[0].at("bytes"), Json(1024));
        QCOMPARE(json.at("total").at("misses").size(), std::size_t(2));
        for (const Json &access : json.at("accesses"))
            QCOMPARE(membersOf(access), QString("accesses buffer hits kind misses statement"));
    }

    void aLayoutIsAGridOfOffsets()
    {
        explore::LayoutChange change{.step = "transform_layout", .buffer = "A", .rows = 2, .columns = 3};
        change.before = {"[2, 3]", {0, 1, 2, 3, 4, 5}};
        change.after = {"[3, 2]", {0, 2, 4, 1, 3, 5}};
        const Json json = toJson(std::vector{change});
        QCOMPARE(json[0].at("before").at("offsets"), Json::parse("[[0, 1, 2], [3, 4, 5]]"));
        QCOMPARE(json[0].at("after").at("offsets"), Json::parse("[[0, 2, 4], [1, 3, 5]]"));
    }

    void stepsOfASeal()
    {
        schedule::State state = program();
        explore::StepPath path(state);
        QVERIFY(path.add(splitOf(state, "j")).has_value());
        const auto sealed = valueOf(explore::sealPath(path, {}, {}));
        QCOMPARE(toJson(sealed).at("outcome"), Json("sealed"));
        QCOMPARE(workbench::nothingFound("all is well"),
                 Json::parse(R"({"found": false, "sentence": "all is well"})"));
    }

    void stepsThatAreNextToMake()
    {
        const schedule::State state = program();
        const explore::StepPath path(state);
        const suggest::LoopNest nest(state, script::print(state.module));
        const support::StmtId first = nest.all().front();
        const std::vector<workbench::Suggested> all{{first, suggest::actionsFor(nest, {first}, {})}};
        const auto legal = toJson(nest, path, {}, all, false), whole = toJson(nest, path, {}, all, true);
        QCOMPARE(membersOf(legal), QString("findings statements"));
        QCOMPARE(membersOf(legal.at("statements")[0]), QString("name kind iterations actions"));
        const auto &actions = legal.at("statements")[0].at("actions");
        QVERIFY(!actions.empty());
        for (const auto &action : actions)
            QVERIFY(action.contains("step") != action.contains("incomplete") && !action.contains("refused"));
        QVERIFY(whole.at("statements")[0].at("actions").size() > actions.size());
    }

    void twoVariants()
    {
        const schedule::State state = program();
        explore::StepPath path(state);
        QVERIFY(path.add(splitOf(state, "j")).has_value());
        const auto comparison =
            valueOf(explore::compare({"as it is", explore::StepPath(state)}, {"split", path}, {}, 1));
        const Json json = toJson(comparison, {});
        QCOMPARE(json.at("names"), Json::parse(R"(["as it is", "split"])"));
        QVERIFY(!json.contains("speedup"));
        QCOMPARE(json.at("loops")[0].at("first"), Json("i"));
        workbench::ModelComparison models{
            .names = {"a", "b"}, .kernels = {{.name = "k"}}, .whole = {.name = "total"}, .left = {}};
        QCOMPARE(membersOf(toJson(models)), QString("kernels names total"));
        models.left = {"gone"};
        QCOMPARE(toJson(models).at("left")[0], Json("gone"));
    }

    void placesOfALoop()
    {
        const auto session = valueOf(session::Session::open(product));
        const auto none = workbench::placeSweep(session, {}, "nobody");
        QVERIFY(!none);
        QCOMPARE(none.error().code, std::string("sweep.no-loop"));
        const auto sweep = valueOf(workbench::placeSweep(session, {}, "k"));
        const Json json = toJson(sweep, {});
        QCOMPARE(json.at("moved"), Json("k"));
        QCOMPARE(json.at("now").at("step"), Json("as it is"));
        QCOMPARE(json.at("places").size(), sweep.places.size());
        QVERIFY(!json.at("now").contains("measured"));
    }

    void measuredVariants()
    {
        measure::Measurement result;
        result.counters.emplace();
        const Json json = toJson("k.py", "llvm", {"unscheduled", "rows"}, {result, result});
        QCOMPARE(membersOf(json), QString("module target variants"));
        QCOMPARE(json.at("variants")[1].at("name"), Json("rows"));
        QVERIFY(json.at("variants")[1].contains("gflops"));
    }

    void runsOfModels()
    {
        graph::OutputLabels labels;
        labels.columns =
            std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"cat", "dog"});
        ir::NdArray array(ir::DataType::float_(32), {2, 2});
        array.set(3, 0.5);
        QCOMPARE(toJson(labels, array),
                 Json::parse(R"([{"cat": 0.0, "dog": 0.0}, {"cat": 0.0, "dog": 0.5}])"));
        QCOMPARE(workbench::compiledLine(2, 5), Json::parse(R"({"compiled": 2, "of": 5})"));
        QCOMPARE(workbench::tokenLine(2, 5, 0.5), Json::parse(R"({"token": 2, "of": 5, "seconds": 0.5})"));
        session::ModelTimes times;
        const Json bench = toJson(times, {.compiling = 2, .memoryBytes = 64, .processBytes = 128});
        QCOMPARE(bench.at("compile_seconds"), Json(2.0));
        QVERIFY(!bench.contains("speedup"));
    }

    void lessonsAndTheirGoals()
    {
        const auto lessons = valueOf(course::lessons());
        QVERIFY(!lessons.empty());
        const auto programs = valueOf(course::programsOf(lessons.front()));
        const suggest::LoopNest nest(programs.start, script::print(programs.start.module));
        const workbench::LessonVerdict verdict = workbench::verdictOn(lessons.front(), nest, nullptr, 1);
        QVERIFY(!verdict.isReached);
        const auto json = toJson(lessons.front(), verdict);
        QCOMPARE(membersOf(json), QString("lesson reached goals"));
        QCOMPARE(membersOf(json.at("goals")[0]), QString("goal form verdict message"));
        QCOMPARE(membersOf(toJson(lessons)[0]), QString("lesson title kernel goals hints"));
    }

    void lists_data()
    {
        QTest::addColumn<QString>("members");
        QTest::newRow("primitives") << "documentation fields group key lemmas name summary title";
        QTest::newRow("ops") << "name parameters summary title";
        QTest::newRow("recipes") << "file name parameters summary title";
        QTest::newRow("targets") << "built devices name sources summary tool";
        QTest::newRow("passes") << "name summary";
        QTest::newRow("rules") << "condition forms name result simplified-again summary types";
        QTest::newRow("machine") << "name summary title value";
    }
    void lists()
    {
        QFETCH(QString, members);
        const auto list = std::ranges::find(workbench::lists(), std::string_view(QTest::currentDataTag()),
                                            &workbench::List::name);
        QVERIFY(list != workbench::lists().end());
        const Json all = valueOf(list->make({}));
        QVERIFY(!all.empty());
        for (const Json &each : all)
            QCOMPARE(membersOf(each), members);
    }
};

} // namespace

QTEST_GUILESS_MAIN(AnswersTest)
#include "answers_test.moc"
