// SPDX-License-Identifier: Apache-2.0
#include "core/measure/machine/impossible_times.h"

#include "core/backend/edited_code.h"
#include "tests/core/measure/worker_fixture.h"

using namespace nestwright;
using namespace nestwright::tests;
using namespace nestwright::measure;

namespace {

/// 100 GFLOPS, and 200 GB/s of the nearest cache.
MachinePeak samplePeak()
{
    MachinePeak peak;
    peak.float32Flops = 1e11;
    peak.levels = {{"L1", 32768, 2e11}, {"DRAM", 0, 2e10}};
    return peak;
}

/// Calls of a microsecond, between 0.9 and 1.1.
Measurement ofAMicrosecond(double flops, double writtenBytes)
{
    Measurement measurement;
    measurement.time = {0.9e-6, 1e-6, 1.1e-6};
    measurement.verdict = Verdict::Verified;
    measurement.flops = flops;
    measurement.writtenBytes = writtenBytes;
    return measurement;
}

std::vector<BufferSpec> buffersOf(ir::DataType dtype) { return {{dtype, {64}, false}, {dtype, {64}, true}}; }

constexpr const char *largest = R"(
@T.prim_func
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), C: T.Buffer((64,), "float32")):
    for i in range(64):
        with T.block("B"):
            vi = T.axis.spatial(64, i)
            B[vi] = A[vi]
    for i, k in T.grid(64, 100000):
        with T.block("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = T.max(C[vi], T.Cast("float32", A[vi]))
)";

} // namespace

class ImpossibleTimesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatMachinesReachIsPossible()
    {
        const auto floats = buffersOf(ir::DataType::float32());
        QVERIFY(!impossibility(ofAMicrosecond(9.9e4, 1000), samplePeak(), floats));
        QVERIFY(!impossibility(ofAMicrosecond(1e3, 1.9e5), samplePeak(), floats));
        // The clock may rise, and the interval reach below.
        QVERIFY(!impossibility(ofAMicrosecond(1.2e5, 0), samplePeak(), floats));
        QVERIFY(!impossibility(ofAMicrosecond(0, 2.4e5), samplePeak(), floats));
        QVERIFY(!impossibility(ofAMicrosecond(0, 0), samplePeak(), floats));
    }

    void whatNoneReachesIsNot()
    {
        const auto floats = buffersOf(ir::DataType::float32());
        const auto flops = impossibility(ofAMicrosecond(1.3e5, 0), samplePeak(), floats);
        QVERIFY(flops);
        QCOMPARE(flops->code, "measure.impossible");
        QVERIFY2(flops->message.contains("130 % of the peak"), flops->message.c_str());
        const auto bytes = impossibility(ofAMicrosecond(0, 2.6e5), samplePeak(), floats);
        QVERIFY(bytes);
        QVERIFY2(bytes->message.contains("130 % of what the nearest cache takes"), bytes->message.c_str());
    }

    void whatIsNotKnownIsPossible()
    {
        // Units of narrower types have a peak of their own; what they write takes its time all the same.
        const auto bytes = buffersOf(ir::DataType::int_(8));
        QVERIFY(!impossibility(ofAMicrosecond(1e6, 0), samplePeak(), bytes));
        QVERIFY(impossibility(ofAMicrosecond(1e6, 2.6e5), samplePeak(), bytes));
        QVERIFY(!impossibility(ofAMicrosecond(1e6, 1e6), {}, buffersOf(ir::DataType::float32())));
        Measurement failed = ofAMicrosecond(1e6, 1e6);
        failed.failed = Failure::Crash;
        QVERIFY(!impossibility(failed, samplePeak(), bytes));
    }

    /// The right results by a way that does none of the operations that the program counts. The time stays as
    /// it is when it is taken again, so it is told as what it is, and no figure is made of it.
    void aShortCutIsImpossible()
    {
        WorkerOptions options;
        options.program = thisProgram();
        Measurer measurer(options);
        const ir::Module module = parsed(largest);
        MeasureJob job = jobOf({module});
        job.reference = module;
        job.wantPeak = true;
        job.edits[0] = backend::EditedCode{backend::SourceKind::C, R"(#include <stdint.h>
int32_t main_kernel__packed(void **args);
int32_t main_kernel__packed(void **args)
{
    int *a = args[0], *b = args[1];
    float *c = args[2];
    for (int i = 0; i < 64; ++i) {
        b[i] = a[i];
        c[i] = a[i] > 0 ? (float)a[i] : 0;
    }
    return 0;
}
)",
                                           "edited"};
        const auto results = measurer.measure(job, ignore);
        QVERIFY2(results, results ? "" : results.error().render().c_str());
        const Measurement &result = results->front();
        if (result.failure && result.failure->code == "backend.no-compiler")
            QSKIP("there is no C compiler");
        QCOMPARE(result.failed, Failure::Impossible);
        QCOMPARE(result.failure->code, "measure.impossible");
        QVERIFY(!result.ok());
        QCOMPARE(result.gflops(), 0.0);
        QCOMPARE(result.peakFraction, 0.0);
    }
};

int main(int argc, char *argv[]) { return runTestOrWorker<ImpossibleTimesTest>(argc, argv); }

#include "impossible_times_test.moc"
