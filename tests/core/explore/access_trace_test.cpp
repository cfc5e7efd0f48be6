// SPDX-License-Identifier: Apache-2.0
// Accesses of programs in their order: by hand, and of random programs before and after lowering.
#include "core/explore/trace/access_trace.h"

#include "core/explore/trace/cache_counts.h"
#include "core/schedule/script/reader.h"
#include "tests/support/programs.h"
#include "tests/support/random_step.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::explore;
using interp::TraceEvent;

namespace {

const char *const rowSums = R"(@T.prim_func
def main(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2,), "float32")):
    for i, k in T.grid(2, 3):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
)";

const target::Target processor = *target::parseTarget("llvm");

/// "B0= B0 A0 B0= …", iterations as "i0" where they are wanted.
QString traceText(const ir::PrimFunc &function, bool iterations = false)
{
    QStringList parts;
    const auto done =
        traceAccesses(function, {}, [&](const TraceTables &tables, std::span<const TraceEvent> events) {
            for (const TraceEvent &event : events) {
                if (event.kind == TraceEvent::Iteration && iterations)
                    parts << QString::fromStdString(tables.loops[event.site].variable)
                                 + QString::number(event.value);
                if (event.kind != TraceEvent::Access)
                    continue;
                const TracedBuffer &buffer = tables.buffers[event.memory];
                parts << QString::fromStdString(buffer.name)
                             + QString::number(event.value / buffer.elementBytes)
                             + (tables.accesses[tables.accessOf(event)].isWrite ? "=" : "");
            }
            return true;
        });
    if (!done)
        qFatal("%s", done.error().render().c_str());
    return parts.join(u' ');
}

/// The stores to parameters: by memory and place.
std::vector<std::pair<std::uint64_t, bool>> stores(const ir::PrimFunc &function)
{
    std::vector<std::pair<std::uint64_t, bool>> all;
    std::size_t parameters = 0;
    for (const ir::Param &param : function.params)
        parameters += param.buffer ? 1 : 0;
    const auto done =
        traceAccesses(function, {}, [&](const TraceTables &tables, std::span<const TraceEvent> events) {
            for (const TraceEvent &event : events) {
                const bool isStore =
                    event.kind == TraceEvent::Access && tables.accesses[tables.accessOf(event)].isWrite;
                if (isStore && event.memory < parameters)
                    all.emplace_back(tables.addressOf(event), true);
            }
            return true;
        });
    if (!done)
        all.emplace_back(0, false);
    return all;
}

} // namespace

class AccessTraceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void inTheOrderOfTheProgram()
    {
        const ir::Module module = tests::parsed(rowSums);
        const QString expected = "B0= B0 A0 B0= B0 A1 B0= B0 A2 B0= B1= B1 A3 B1= B1 A4 B1= B1 A5 B1=";
        QCOMPARE(traceText(*module.find("main")), expected);
        const auto lowered = traceableFunction(module, processor);
        QVERIFY(lowered.has_value());
        QCOMPARE(traceText(**lowered), expected);
        QVERIFY(traceText(**lowered, true).startsWith("i0 k0 B0= B0 A0 B0= k1 B0 A1"));
    }

    /// A buffer between two blocks is as small as it is kept: one element here.
    void buffersAsTheyAreKept()
    {
        const auto root = schedule::makeState(tests::program("mm_relu"));
        const auto run = schedule::runScheduleScript(
            *root,
            "def apply_trace(sch):\n  d = sch.get_block(\"D\")\n  i, j = sch.get_loops(d)\n"
            "  sch.compute_at(sch.get_block(\"C\"), j)\n",
            "test.py");
        QVERIFY2(run.has_value(), run ? "" : run.error().render().c_str());
        const auto function = traceableFunction(run->state.module, processor);
        const auto counts =
            countCacheMisses(**function, {}, std::vector<target::MemoryLevel>{{"L1", 1 << 20, 8, 64}}, 1000);
        QVERIFY(counts.has_value());
        const auto kept = std::ranges::find(counts->tables.buffers, "C", &TracedBuffer::name);
        QVERIFY(kept != counts->tables.buffers.end());
        QCOMPARE(kept->bytes, 4);
        QVERIFY(!counts->isWhole);
        QCOMPARE(accessesOf(counts->total), 1000);
    }

    /// Each line of a buffer that is read once misses once.
    void missesOfAStream()
    {
        const auto function = traceableFunction(tests::program("elementwise"), processor);
        const auto counts = countCacheMisses(
            **function, {}, std::vector<target::MemoryLevel>{{"L1", 4096, 8, 64}, {"L2", 1 << 20, 16, 64}});
        QVERIFY(counts.has_value() && counts->isWhole);
        for (std::size_t i = 0; i < counts->held.size(); ++i) {
            QCOMPARE(accessesOf(counts->held[i]), 128 * 128);
            QCOMPARE(missesOf(counts->held[i], 0), 128 * 128 / 16);
        }
        // B was written just before it is read, and fits into the second level.
        QCOMPARE(missesOf(counts->total, 1), 3 * 128 * 128 / 16);
    }

    /// Programs under random steps store to the same places in the same order before and after lowering.
    void loweringKeepsTheOrder()
    {
        int compared = 0;
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            const schedule::State state = tests::randomlyScheduled(seed);
            const ir::Module::Entry *entry = state.module.mainEntry();
            const auto lowered = traceableFunction(state.module, processor);
            if (!entry || !lowered)
                continue;
            const auto before = stores(*entry->function), after = stores(**lowered);
            QVERIFY2(before == after, qPrintable(QString::number(seed)));
            compared += before.empty() ? 0 : 1;
        }
        QVERIFY(compared > 30);
    }

    void withoutAMainFunction()
    {
        const ir::Function function = tests::parsed(rowSums).find("main");
        const auto none = traceableFunction(ir::Module({{"a", function}, {"b", function}}), processor);
        QVERIFY(!none);
        QCOMPARE(none.error().code, std::string("explore.no-function"));
    }
};

QTEST_MAIN(AccessTraceTest)
#include "access_trace_test.moc"
