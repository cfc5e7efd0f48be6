// SPDX-License-Identifier: Apache-2.0
#include "core/measure/machine/machine_peak.h"

#include "core/measure/machine/peak_loops.h"
#include "core/support/host.h"
#include "core/support/text/json.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <chrono>

using namespace nestwright::measure;
using json = nestwright::support::Json;

namespace {

MachinePeak samplePeak()
{
    MachinePeak peak;
    peak.processor = "a CPU";
    peak.threads = 2;
    peak.float32Flops = 1e11;
    peak.float64Flops = 5e10;
    peak.levels = {{"L1", 32768, 2e11}, {"DRAM", 0, 2e10}};
    return peak;
}

/// Of this machine, for a number of threads that nobody else measures.
MachinePeak ownPeak()
{
    MachinePeak peak = samplePeak();
    peak.processor = nestwright::support::processorName();
    peak.threads = 77;
    return peak;
}

/// An empty folder for caches, for as long as a test runs.
class CacheFolder {
public:
    CacheFolder() { qputenv("XDG_CACHE_HOME", m_folder.path().toUtf8()); }
    ~CacheFolder() { m_old.isEmpty() ? qunsetenv("XDG_CACHE_HOME") : qputenv("XDG_CACHE_HOME", m_old); }
    CacheFolder(const CacheFolder &) = delete;
    CacheFolder &operator=(const CacheFolder &) = delete;

private:
    QByteArray m_old = qgetenv("XDG_CACHE_HOME");
    QTemporaryDir m_folder;
};

} // namespace

class MachinePeakTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void halfOfWhatAllCoresCanDoIsThatOfShared()
    {
        QVERIFY(!shareCores(100, 200, 2));
        QVERIFY(!shareCores(100, 150, 2)); // at a lower clock
        QVERIFY(shareCores(100, 101, 2));
        QVERIFY(shareCores(100, 115, 2));
        QVERIFY(!shareCores(100, 300, 4));
        QVERIFY(shareCores(100, 210, 4)); // two cores for four
    }

    /// Loops shortened by the compiler would report more work than was done.
    void loopsDoAllTheyCount()
    {
        constexpr int chains = 12, rounds = 4096;
        constexpr double sum = chains * (1 + rounds) + chains * (chains - 1) / 2.0;
        int bytes = 16;
#if defined(__x86_64__)
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
            bytes = 64;
        else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
            bytes = 32;
#endif
        QCOMPARE(multiplyAddFloat32().checksum, sum);
        QCOMPARE(multiplyAddFloat32().amount, static_cast<double>(bytes) / 4 * 2 * chains * rounds);
        QCOMPARE(multiplyAddFloat64().checksum, sum);
        QCOMPARE(multiplyAddFloat64().amount, static_cast<double>(bytes) / 8 * 2 * chains * rounds);
        Line ones;
        ones.numbers.fill(1.0F);
        for (const std::size_t count : {128UL, 1024UL, std::size_t{1} << 19}) {
            const std::size_t whole = 1 + (std::size_t{1} << 18) / count;
            const auto passes = static_cast<double>(whole);
            const std::vector<Line> data(count / ones.numbers.size(), ones);
            const Work work = readAll(data);
            QCOMPARE(work.amount, passes * static_cast<double>(count) * sizeof(float));
            QCOMPARE(work.checksum, passes * static_cast<double>(count));
            QCOMPARE(reinterpret_cast<std::uintptr_t>(data.data()) % nestwright::target::lineBytes, 0U);
        }
    }

    /// Work per second: the work of one thread in a few milliseconds must fit.
    void thePeakIsARate()
    {
        double best = 0;
        for (int i = 0; i < 5; ++i) {
            const auto begin = std::chrono::steady_clock::now();
            std::chrono::duration<double> passed{};
            double done = 0;
            for (; passed.count() < 0.03; passed = std::chrono::steady_clock::now() - begin)
                done += multiplyAddFloat32().amount;
            best = std::max(best, done / passed.count());
        }
        // On a busy machine the processor may be with others for all of a trial.
        MachinePeak peak;
        const auto fits = [&] {
            return peak.float32Flops > best / 10 && peak.float32Flops < best * 10
                   && peak.float64Flops > best / 40 && peak.float64Flops < best * 10;
        };
        for (int attempt = 0; attempt < 5 && !fits(); ++attempt)
            peak = measureMachinePeak(1);
        QVERIFY2(fits(),
                 qPrintable(
                     QString("%1 and %2, here %3").arg(peak.float32Flops).arg(peak.float64Flops).arg(best)));
        QCOMPARE(peak.threads, 1);
        for (const nestwright::target::MemoryLevel &level : peak.levels)
            QVERIFY2(level.bytesPerSecond > 1e8 && level.bytesPerSecond < 1e13, level.name.c_str());
        QVERIFY(std::ranges::is_sorted(peak.levels, std::greater(),
                                       &nestwright::target::MemoryLevel::bytesPerSecond));
        const auto read = machinePeakFromJson(toJson(peak));
        QVERIFY(read);
        QCOMPARE(toJson(*read), toJson(peak));
    }

    void workReachesAPartOfWhatTheMachineAllows()
    {
        const Throughput machine{.flops = 1e11, .bytes = 2e10};
        const Throughput product{.flops = 1e10, .bytes = 1e8}; // 0.1 s of computing, 0.005 s of moving
        const Throughput copy{.flops = 1e8, .bytes = 1e10};    // 0.001 s and 0.5 s
        QCOMPARE(peakFraction(product, 0.2, machine).value(), 0.5);
        QCOMPARE(peakFraction(copy, 2, machine).value(), 0.25);
        QCOMPARE(peakFraction(copy, 0.1, machine).value(), 1.0); // the copied bytes came from a cache
        QVERIFY(!isMemoryBound(product, machine) && isMemoryBound(copy, machine));
        QVERIFY(!peakFraction(product, 0, machine));
        QVERIFY(!peakFraction(product, 0.2, {}));
        QVERIFY(!peakFraction(product, 0.2, {.flops = 1e11}));
    }

    /// A peak comes from the worker or from a file: impossible ones are not believed.
    void impossibleValuesAreRefused_data()
    {
        QTest::addColumn<QString>("patch");
        for (const char *patch :
             {R"({"float32Flops": 0})", R"({"float32Flops": -1})", R"({"float32Flops": "fast"})",
              R"({"float64Flops": null})", R"({"threads": 0})", R"({"processor": 7})", R"({"levels": 7})",
              R"({"levels": [{"name": "L1", "bytes": 1, "bytesPerSecond": 0}]})", R"({"levels": [7]})"})
            QTest::newRow(patch) << patch;
    }
    void impossibleValuesAreRefused()
    {
        QFETCH(QString, patch);
        json value = toJson(samplePeak());
        QVERIFY(machinePeakFromJson(value));
        value.merge_patch(json::parse(patch.toStdString()));
        QVERIFY(!machinePeakFromJson(value));
        QVERIFY(!machinePeakFromJson(json()));
        QVERIFY(!machinePeakFromJson(json::array()));
    }

    void thePeakIsKeptPerNumberOfThreads()
    {
        const CacheFolder cache;
        QVERIFY(!loadCachedPeak(77));
        storeCachedPeak(ownPeak());
        const auto kept = loadCachedPeak(77);
        QVERIFY2(kept, kept ? "" : kept.error().message.c_str());
        QCOMPARE(toJson(*kept), toJson(ownPeak()));
        QVERIFY(!loadCachedPeak(76));
    }

    /// Taken beside other programs it says less than the machine can.
    void disturbedPeaksAreNotKept()
    {
        const CacheFolder cache;
        MachinePeak peak = ownPeak();
        peak.disturbed = true;
        storeCachedPeak(peak);
        QVERIFY(!loadCachedPeak(77));
    }

    void whatWasReachedOnceIsKept()
    {
        const CacheFolder cache;
        MachinePeak peak = ownPeak();
        storeCachedPeak(peak);
        peak.float32Flops /= 2;
        peak.float64Flops *= 2;
        peak.levels[1].bytesPerSecond *= 2;
        storeCachedPeak(peak);
        const auto kept = loadCachedPeak(77);
        QVERIFY(kept);
        QCOMPARE(kept->float32Flops, 1e11);
        QCOMPARE(kept->float64Flops, 1e11);
        QCOMPARE(kept->levels[0].bytesPerSecond, 2e11);
        QCOMPARE(kept->levels[1].bytesPerSecond, 4e10);
    }

    void thePeakOfAnotherProcessorIsNone()
    {
        const CacheFolder cache;
        MachinePeak peak = ownPeak();
        peak.processor = "another";
        storeCachedPeak(peak);
        const auto kept = loadCachedPeak(77);
        QVERIFY(!kept);
        QVERIFY(kept.error().message.contains("of another processor"));
        storeCachedPeak(ownPeak()); // takes its place, with nothing of it
        QVERIFY(loadCachedPeak(77));
    }

    /// Levels that only one of them knows are left as they are.
    void higherOfTwo()
    {
        MachinePeak more = samplePeak();
        more.levels = {{"DRAM", 0, 3e10}, {"L2", 1 << 20, 9e11}};
        const MachinePeak higher = higherOf(samplePeak(), more);
        QCOMPARE(higher.levels.size(), 2UL);
        QCOMPARE(higher.levels[0].bytesPerSecond, 2e11);
        QCOMPARE(higher.levels[1].bytesPerSecond, 3e10);
    }

    void thousandsOfLevelsAreNone()
    {
        MachinePeak peak = samplePeak();
        peak.levels.assign(1000, peak.levels.front());
        QVERIFY(!machinePeakFromJson(toJson(peak)));
        peak.levels.resize(17);
        QVERIFY(!machinePeakFromJson(toJson(peak)));
        peak.levels.resize(16);
        QVERIFY(machinePeakFromJson(toJson(peak)));
    }
};

QTEST_GUILESS_MAIN(MachinePeakTest)
#include "machine_peak_test.moc"
