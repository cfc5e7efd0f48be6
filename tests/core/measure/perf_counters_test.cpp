// SPDX-License-Identifier: Apache-2.0
// Events that the system counts: those of its own for real, those of the processor where it has them. A
// machine without counters says so once.
#include "core/measure/machine/perf_counters.h"
#include "tests/core/measure/worker_fixture.h"

#include <cerrno>
#include <cmath>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace nestwright;
using namespace nestwright::measure;

namespace {

constexpr int pages = 300;

/// Writes into so many pages that nobody has used.
void touchFreshPages()
{
    const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void *memory = mmap(nullptr, pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        qFatal("no memory");
    madvise(memory, pages * size, MADV_NOHUGEPAGE);
    for (int i = 0; i < pages; ++i)
        static_cast<volatile char *>(memory)[static_cast<std::size_t>(i) * size] = 1;
    munmap(memory, pages * size);
}

/// Page faults under the name of an event of the processor, and an event that no machine has.
constexpr CounterEvent events[] = {
    {"cycles", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"instructions", PERF_TYPE_HARDWARE, 12345},
};

double countedFaults(const PerfCounters &counters, void (*work)())
{
    const auto before = counters.read();
    work();
    return eventsBetween(before[0], counters.read()[0]).value_or(-1);
}

/// Fills a buffer too large to be kept between calls, whose pages are therefore fresh in each.
const char *const freshBuffer = R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    B = T.alloc_buffer((20000000,))
    for i in range(20000000):
        with T.block("B"):
            vi = T.axis.spatial(20000000, i)
            B[vi] = A[vi % 64]
    for i in range(64):
        with T.block("C"):
            vi = T.axis.spatial(64, i)
            C[vi] = B[vi * 312500 + 11] + B[vi]
)";

} // namespace

class PerfCountersTest : public QObject, tests::WorkerFixture {
    Q_OBJECT

private Q_SLOTS:
    void faultsOfPagesAreCounted()
    {
        const PerfCounters counters(events);
        if (counters.error(0) != 0)
            QSKIP("this system counts nothing");
        const double faults = countedFaults(counters, touchFreshPages);
        QVERIFY2(faults >= pages && faults < 2 * pages, qPrintable(QString::number(faults)));
    }

    void threadsThatAreMadeLaterCountToo()
    {
        const PerfCounters counters(events);
        if (counters.error(0) != 0)
            QSKIP("this system counts nothing");
        const double faults = countedFaults(counters, [] {
            std::thread first(touchFreshPages), second(touchFreshPages);
            first.join();
            second.join();
        });
        QVERIFY2(faults >= 2 * pages, qPrintable(QString::number(faults)));
    }

    void countsAreScaledToTheWholeTime()
    {
        QCOMPARE(*eventsBetween({10, 100, 100}, {110, 300, 300}), 100.0);
        QCOMPARE(*eventsBetween({10, 100, 50}, {110, 500, 150}), 400.0); // a quarter of the time
        QVERIFY(!eventsBetween({10, 100, 50}, {10, 500, 50}));           // never on the processor
        QVERIFY(!eventsBetween({10, 100, 50}, {5, 500, 60}));
    }

    void whatIsMissingIsSaidOnce()
    {
        const PerfCounters counters(events);
        QVERIFY(counters.error(1) != 0);
        CountsInMemory counts;
        counts.events = {50, -1};
        counts.errors = {0, ENOENT};
        const Counters missing = countersOf(counts, events, 10);
        QCOMPARE(missing.counts, (std::map<std::string, double>{{"cycles", 5}}));
        QCOMPARE(missing.absent, "no instructions: this machine does not count them: perf_event_open says "
                                 "ENOENT; a virtual machine hides them");
        counts.errors = {EACCES, EACCES};
        const std::string forbidden = countersOf(counts, events, 10).absent;
        QVERIFY(forbidden.starts_with("no cycles and instructions: the system forbids it: "));
        QVERIFY(forbidden.contains("kernel.perf_event_paranoid=2"));
        counts.errors = {};
        counts.events = {std::nan(""), -1};
        QVERIFY(countersOf(counts, events, 10).absent.contains("measure for longer"));
    }

    void figuresAreDerivedFromCounts()
    {
        const Counters counters{
            .counts = {{"cycles", 1000}, {"instructions", 2500}, {"cache-misses", 5}, {"page-faults", 3}},
            .absent = ""};
        QStringList texts;
        for (const CounterFigure &figure : figuresOf(counters))
            texts << QString::fromStdString(textOf(figure));
        QCOMPARE(texts,
                 (QStringList{"2.5 instructions per cycle", "2 cache-misses per 1000 instructions",
                              "1e+03 cycles", "2.5e+03 instructions", "5 cache-misses", "3 page-faults"}));
        QVERIFY(figuresOf({}).empty());
    }

    /// In its sandbox, by all of its threads, and apart from its times.
    void aKernelIsCountedInItsProcess()
    {
        const PerfCounters counters(events);
        if (counters.error(0) != 0)
            QSKIP("this system counts nothing");
        WorkerOptions options;
        options.program = tests::thisProgram();
        Measurer measurer(options);
        MeasureJob job = tests::jobOf({tests::parsed(freshBuffer)});
        job.reference = job.variants.front();
        job.secondsPerVariant = 0.1;
        job.counters = true;
        const auto results = measurer.measure(job, tests::ignore);
        QVERIFY2(results, results ? "" : results.error().render().c_str());
        const Measurement &result = results->front();
        QVERIFY(result.ok() && result.counters);
        // 80 MB of pages of at most 2 MB in each call.
        QVERIFY2(result.counters->counts.at("page-faults") >= 39, result.counters->absent.c_str());
        job.counters = false;
        QVERIFY(!measurer.measure(job, tests::ignore).value().front().counters);
    }
};

int main(int argc, char *argv[]) { return tests::runTestOrWorker<PerfCountersTest>(argc, argv); }
#include "perf_counters_test.moc"
