// SPDX-License-Identifier: Apache-2.0
#include "core/measure/worker/worker_protocol.h"

#include "core/measure/build/content_store.h"
#include "core/measure/machine/machine_peak.h"
#include "core/support/text/json.h"

#include <QTest>

using namespace nestwright;
using namespace nestwright::measure;
using json = support::Json;

namespace {

MeasureRequest sampleRequest()
{
    MeasureRequest request;
    KernelFile kernel;
    kernel.content = "12ab";
    kernel.path = fileOf("/tmp/store", "12ab").string();
    kernel.entry = "main";
    kernel.artifact.target = "llvm";
    kernel.artifact.entries.push_back({.name = "main",
                                       .symbol = "main_",
                                       .arguments = {{.kind = backend::Argument::Kind::Buffer,
                                                      .name = "A",
                                                      .dtype = ir::DataType::float32(),
                                                      .shape = {4, -1},
                                                      .buffer = -1,
                                                      .dimension = -1},
                                                     {.kind = backend::Argument::Kind::Size,
                                                      .name = "n",
                                                      .dtype = ir::DataType::int32(),
                                                      .shape = {},
                                                      .buffer = 0,
                                                      .dimension = 1}}});
    request.store = "/tmp/store";
    request.reference = kernel;
    request.referenceKey = "key";
    request.candidates = {kernel, kernel};
    request.candidates[1].artifact.externs = {"own"};
    request.candidates[1].artifact.libraries.paths = {"/tmp/own.so"};
    request.bounds = {kernel, {1, 2}};
    request.reductionLength = 17;
    request.memoryBytes = 1 << 20;
    request.silenceSeconds = 3;
    ArgumentSet set;
    set.buffers = {{ir::DataType::float32(), {4, 8}, true, {}, false, "34cd-1"}};
    set.buffers.push_back({ir::DataType::int32(), {4}, false, std::pair(-2, 9), true});
    set.buffers.back().integerBits = 12;
    set.scalars = {25};
    set.seed = 42;
    request.sets = {set, set};
    request.sets[1].values = Values::Wide;
    request.sets[1].sizes = "n = 37";
    request.relativeTolerance = 0.25;
    request.threads = 2;
    request.flops = 1e9;
    request.counters = true;
    return request;
}

} // namespace

class WorkerProtocolTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void requestsSurviveTheWire()
    {
        const MeasureRequest request = sampleRequest();
        const auto read = requestFromJson(json::parse(toJson(request).dump()));
        QVERIFY(read.has_value());
        QCOMPARE(toJson(*read), toJson(request));
        QCOMPARE(read->candidates.size(), 2UL);
        QVERIFY(read->candidates[0].artifact.entries == request.candidates[0].artifact.entries);
        const std::vector<BufferSpec> &buffers = read->sets[0].buffers;
        QCOMPARE(buffers[0].shape, request.sets[0].buffers[0].shape);
        QCOMPARE(read->sets[0].seed, 42U);
        QCOMPARE(read->sets[1].sizes, std::string("n = 37"));
        QVERIFY(read->sets[1].values == Values::Wide);
        QCOMPARE(read->relativeTolerance, request.relativeTolerance);
        QCOMPARE(read->candidates[1].artifact.externs, request.candidates[1].artifact.externs);
        QVERIFY(read->candidates[1].artifact.libraries == request.candidates[1].artifact.libraries);
        QCOMPARE(read->bounds->kernel.path, request.bounds->kernel.path);
        QCOMPARE(read->bounds->bounded, (std::vector<std::size_t>{1, 2}));
        QCOMPARE(buffers[0].file, fileOf("/tmp/store", "34cd-1").string());
        QVERIFY(buffers[1].file.empty());
        QVERIFY(buffers[1].range == std::pair(std::int64_t{-2}, std::int64_t{9}));
        QVERIFY(buffers[1].isAscending && buffers[1].integerBits == 12);
        QCOMPARE(read->reductionLength, 17);
        QCOMPARE(read->silenceSeconds, 3.0);
    }

    void aMissingFieldIsNamed()
    {
        json broken = toJson(sampleRequest());
        broken.erase("threads");
        const auto read = requestFromJson(broken);
        QVERIFY(!read.has_value());
        QCOMPARE(read.error().code, std::string("measure.bad-request"));
        QVERIFY(read.error().message.contains("threads"));
    }

    void aNameThatLeadsOutOfTheStoreIsNone()
    {
        for (const char *name : {"", "..", "12ab/..", "/etc/passwd", "12AB"}) {
            json broken = toJson(sampleRequest());
            broken["reference"]["content"] = name;
            const auto read = requestFromJson(broken);
            QVERIFY2(!read, name);
            QCOMPARE(read.error().code, std::string("measure.bad-request"));
        }
    }

    void anUnknownTypeIsNamed()
    {
        json broken = toJson(sampleRequest());
        broken["sets"][0]["buffers"][0]["dtype"] = "float31";
        const auto read = requestFromJson(broken);
        QVERIFY(!read.has_value());
        QVERIFY(read.error().message.contains("float31"));
    }

    void measurementsSurviveTheWire()
    {
        Measurement measurement;
        measurement.samples = {1e-3, 1.1e-3};
        measurement.time = {0.9e-3, 1e-3, 1.2e-3};
        measurement.verdict = Verdict::Verified;
        measurement.flops = 2e9;
        measurement.threads = 2;
        measurement.final = true;
        measurement.speedup = Speedup{{1.5, 2, 2.5}, true};
        measurement.difference = 3e-7;
        measurement.boundShare = 0.25;
        measurement.counters =
            Counters{.counts = {{"cycles", 2e6}, {"page-faults", 0}}, .absent = "no others"};
        const auto read = measurementFromJson(json::parse(toJson(measurement).dump()));
        QVERIFY(read.has_value());
        QCOMPARE(toJson(*read), toJson(measurement));
        QCOMPARE(read->gflops(), 2000.0);
        QCOMPARE(*read->difference, 3e-7);
        QCOMPARE(*read->boundShare, 0.25);
        QCOMPARE(read->counters->counts, measurement.counters->counts);
        QCOMPARE(read->counters->absent, measurement.counters->absent);
    }

    /// Of a release that counts more.
    void eventsThatAreNotKnownAreLeftOut()
    {
        const auto read = measurementFromJson(
            json::parse(R"({"time": [1, 1, 1], "counters": {"counts": {"cycles": 5, "dreams": 7}}})"));
        QVERIFY(read.has_value());
        QCOMPARE(read->counters->counts, (std::map<std::string, double>{{"cycles", 5}}));
        const auto older = measurementFromJson(json::parse(R"({"time": [1, 1, 1]})"));
        QVERIFY(older.has_value() && !older->counters && !older->difference);
    }

    void aFailedMeasurementKeepsItsReason()
    {
        Measurement measurement;
        measurement.failed = Failure::TimeOut;
        measurement.failure = support::diagnostic("worker.time-out", "too slow").withHint("wait");
        const auto read = measurementFromJson(toJson(measurement));
        QVERIFY(read.has_value());
        QVERIFY(read->failed == Failure::TimeOut);
        QCOMPARE(read->failure->message, std::string("too slow"));
        QCOMPARE(read->failure->hint, std::string("wait"));
        QVERIFY(read->failure->locations.empty());
        QCOMPARE(read->gflops(), 0.0);
    }

    void aDiagnosticKeepsItsPlace()
    {
        support::Diagnostic error = support::diagnostic("code.compile", "no such type");
        error.locations.push_back({.file = "a.c", .line = 3, .column = 7, .stmt = {}, .label = {}});
        const auto read = process::errorFromJson(process::toJson(error));
        QVERIFY(read && read->locations == error.locations);
        for (const char *bad : {"7", "{}", R"({"file": 3})"}) {
            const json answer{{"code", "a"}, {"message", "b"}, {"place", json::parse(bad)}};
            QVERIFY2(process::errorFromJson(answer)->locations.empty(), bad);
        }
        const json odd{{"code", "a"}, {"message", "b"}, {"place", {{"file", "a.c"}, {"line", -3}}}};
        QCOMPARE(process::errorFromJson(odd)->locations.front().line, 0);
    }

    void numbersThatCannotBeAreRefused_data()
    {
        QTest::addColumn<QString>("patch");
        QTest::addColumn<bool>("isPossible");
        const auto row = [](const char *patch, bool isPossible) {
            QTest::newRow(patch) << patch << isPossible;
        };
        row("{}", true);
        for (const char *name : {"threads", "flops", "bytes", "peakFraction"}) {
            QTest::addRow("%s -1", name) << QString(R"({"%1": -1})").arg(name) << false;
            QTest::addRow("%s 0", name) << QString(R"({"%1": 0})").arg(name) << true;
        }
        row(R"({"threads": 1000000})", true);
        row(R"({"threads": 1000001})", false);
        row(R"({"threads": 1.5})", false);
        row(R"({"time": [1, 1, 1]})", true);
        row(R"({"time": [2, 1, 3]})", false);
        row(R"({"time": [1, 3, 2]})", false);
        row(R"({"time": [-1, 1, 2]})", false);
        row(R"({"samples": [0]})", true);
        row(R"({"samples": [1, -1]})", false);
        row(R"({"speedup": {"ratio": [1, 2, 3], "significant": true}})", true);
        row(R"({"speedup": {"ratio": [3, 2, 1], "significant": true}})", false);
        row(R"({"difference": 0})", true);
        row(R"({"difference": -1})", false);
        row(R"({"boundShare": -1})", false);
        row(R"({"counters": {"counts": {"cycles": 0}, "absent": ""}})", true);
        row(R"({"counters": {"counts": {"cycles": -1}}})", false);
        row(R"({"counters": {"counts": {"cycles": "many"}}})", false);
        row(R"({"counters": {"absent": 5}})", false);
        row(R"({"counters": [1]})", false);
        row(R"({"failed": "crash"})", false);
        row(R"({"failure": {"code": "a", "message": "b"}})", false);
        row(R"({"failed": "crash", "failure": {"code": "a", "message": "b"}})", true);
    }
    void numbersThatCannotBeAreRefused()
    {
        QFETCH(QString, patch);
        QFETCH(bool, isPossible);
        json value = toJson(Measurement());
        value.merge_patch(json::parse(patch.toStdString()));
        QCOMPARE(measurementFromJson(value).has_value(), isPossible);
    }

    void samplesAndTextsAreBounded()
    {
        const auto takes = [](std::size_t samples) {
            Measurement measurement;
            measurement.samples.assign(samples, 1.0);
            return measurementFromJson(toJson(measurement)).has_value();
        };
        QVERIFY(takes(100'000) && !takes(100'001));
        const auto shown = [](const std::string &text) {
            return process::errorFromJson({{"code", "a"}, {"message", text}})->message;
        };
        QCOMPARE(shown("a \x1f\x7f~\nb"), std::string("a   ~\nb"));
        QCOMPARE(shown(std::string(9000, 'x')), shown(std::string(8001, 'x')));
        for (const json &none :
             {json(7), json{{"code", "a"}}, json{{"message", "b"}}, json{{"code", 1}, {"message", "b"}}})
            QVERIFY(!process::errorFromJson(none));
    }

    void progressIsWithinItsEnds()
    {
        const auto read = [](const char *text, std::size_t candidates = 1) {
            return progressFromJson(json::parse(text), candidates);
        };
        QCOMPARE(read(R"({"progress": 7, "phase": "x"})")->fraction, 1.0);
        QCOMPARE(read(R"({"progress": -7, "phase": "x"})")->fraction, 0.0);
        QCOMPARE(read(R"({"progress": 0.5, "phase": "x", "partial": [{}, {}]})", 2)->partial.size(), 2UL);
        QVERIFY(read(R"({"progress": 0.5, "phase": "x", "partial": null})")->partial.empty());
        for (const char *none :
             {R"({"progress": 0.5})", R"({"phase": "x"})", R"({"progress": "x", "phase": "x"})",
              R"({"progress": 1, "phase": 1})", R"({"progress": 1, "phase": "x", "partial": 7})",
              R"({"progress": 1, "phase": "x", "partial": [{}, {}]})",
              R"({"progress": 1, "phase": "x", "partial": [7]})"})
            QVERIFY2(!read(none), none);
    }

    void aWrongTypeIsAnError()
    {
        const auto read = measurementFromJson(json{{"samples", "none"}});
        QVERIFY(!read.has_value());
        QCOMPARE(read.error().code, std::string("measure.bad-measurement"));
    }

    void thePeakSurvivesTheWireAndBoundsTheRoofline()
    {
        MachinePeak peak;
        peak.processor = "a CPU";
        peak.float32Flops = 100e9;
        peak.float64Flops = 50e9;
        peak.levels = {{"L1", 32768, 200e9}, {"DRAM", 0, 20e9}};
        const auto read = machinePeakFromJson(json::parse(toJson(peak).dump()));
        QVERIFY(read.has_value());
        QCOMPARE(toJson(*read), toJson(peak));
        QCOMPARE(attainable(*read, read->levels[1], 1.0), 20e9);
        QCOMPARE(attainable(*read, read->levels[1], 100.0), 100e9);
        QVERIFY(!machinePeakFromJson(json::object()).has_value());

        MachinePeak busy = peak;
        busy.float32Flops = 50e9;
        busy.levels[0].bytesPerSecond = 300e9;
        const MachinePeak higher = higherOf(busy, peak);
        QCOMPARE(higher.float32Flops, 100e9);
        QCOMPARE(higher.levels[0].bytesPerSecond, 300e9);
        QCOMPARE(higher.levels[1].bytesPerSecond, 20e9);
    }
};

QTEST_GUILESS_MAIN(WorkerProtocolTest)
#include "core/process/error_json.h"
#include "worker_protocol_test.moc"
