// SPDX-License-Identifier: Apache-2.0
#include "core/session/model/model_times.h"

#include "core/session/model/model_project.h"
#include "core/support/text/json.h"

#include <QTest>

#include <limits>

using namespace nestwright;
using namespace nestwright::session;

namespace {

ModelTimes someTimes(double seconds = 0.25)
{
    return {.target = "llvm -num-cores=2",
            .threads = 2,
            .machine = "A processor",
            .date = "2026-11-29T16:40:12Z",
            .seconds = {seconds * 0.9, seconds, seconds * 1.1},
            .runs = 7,
            .otherLoad = 0.5,
            .disturbed = true,
            .peak = {1e11, 2e10},
            .kernels = {{"a", 2, 0.2, {1e9, 1e8}, "0123456789abcdef"}, {"b", 1, 0.05, {}, ""}},
            .nodes = {{"first", "a", 0.1}, {"second", "a", 0.1}, {"third", "b", 0.05}}};
}

} // namespace

class ModelTimesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsWrittenReadsTheSame()
    {
        const support::Json written = toJson(someTimes());
        const auto read = modelTimesFromJson(written);
        QVERIFY(read);
        QVERIFY(toJson(*read) == written);
        QCOMPARE(read->kernels[0].schedule, std::string("0123456789abcdef"));
        QCOMPARE(read->nodes.size(), std::size_t{3});
    }

    void figuresThatCannotBeAreRefused()
    {
        const auto refused = [](const char *key, support::Json value) {
            support::Json times = toJson(someTimes());
            times[key] = std::move(value);
            return !modelTimesFromJson(times);
        };
        QVERIFY(refused("seconds", -1));
        QVERIFY(refused("seconds", 0));
        QVERIFY(refused("seconds", "soon"));
        QVERIFY(refused("seconds_low", 9));
        QVERIFY(refused("seconds_high", std::numeric_limits<double>::quiet_NaN()));
        QVERIFY(refused("kernels", support::Json::object({{"a", 1}})));
        QVERIFY(refused("nodes", support::Json::array({{{"name", "n"}, {"seconds", -1}}})));
        QVERIFY(refused("machine", 7));
        QVERIFY(!refused("later", true)); // of a later release
        QVERIFY(!modelTimesFromJson(support::Json::array()));
        QCOMPARE(QString::fromStdString(modelTimesFromJson(support::Json()).error().code), "session.times");
    }

    void theNewestAreKept()
    {
        std::vector<ModelTimes> kept;
        for (int i = 1; i <= 25; ++i)
            keep(kept, someTimes(i));
        QCOMPARE(kept.size(), mostModelTimes);
        QCOMPARE(kept.front().seconds.median, 6.0);
        QCOMPARE(kept.back().seconds.median, 25.0);
    }

    /// A session file keeps them; what cannot be read of them is left out, and files of before have none.
    void sessionsKeepThem()
    {
        ModelWork work{"m.onnx", "abc", {}, {}, "k"};
        const std::string before = writeModelProject(work);
        QVERIFY(!before.contains("times"));
        QVERIFY(readModelProject(before, "a.nest")->times.empty());
        work.times = {someTimes(1), someTimes(2)};
        const std::string text = writeModelProject(work);
        const auto read = readModelProject(text, "a.nest");
        QVERIFY(read);
        QCOMPARE(read->times.size(), std::size_t{2});
        QCOMPARE(writeModelProject(*read), text);
        support::Json damaged = support::Json::parse(text);
        damaged["times"][0]["seconds"] = "soon";
        QCOMPARE(readModelProject(damaged.dump(), "a.nest")->times.size(), std::size_t{1});
        damaged["times"] = 7;
        QVERIFY(!readModelProject(damaged.dump(), "a.nest")
                || readModelProject(damaged.dump(), "a.nest")->times.empty());
    }

    void datesAreOfNow()
    {
        const QString date = QString::fromStdString(dateOfNow());
        QVERIFY2(date.size() == 20 && date.startsWith("20") && date.endsWith('Z'), qPrintable(date));
    }
};

QTEST_GUILESS_MAIN(ModelTimesTest)
#include "model_times_test.moc"
