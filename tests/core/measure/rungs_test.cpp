// SPDX-License-Identifier: Apache-2.0
// The ladder of trust: which rungs a target has, and what is said where a tool is missing. No worker is
// there.
#include "core/measure/verify/rungs.h"

#include "core/backend/link/compiler.h"
#include "core/measure/codes.h"
#include "core/measure/measurer.h"
#include "tests/support/programs.h"

#include <QTest>

#include <format>
#include <set>

using namespace nestwright;
using namespace nestwright::measure;
using Outcome = RungResult::Outcome;

namespace {

ir::Module multiplied(const std::string &factor)
{
    return tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    for i in T.thread_binding(8, thread="threadIdx.x"):
        with T.block("B"):
            v = T.axis.spatial(8, i)
            B[v] = A[v] * T.float32({})
)",
                                     factor));
}

/// Two kernels, the one after the other.
ir::Module doubledTwice()
{
    return tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for i in T.thread_binding(8, thread="threadIdx.x"):
        with T.block("B"):
            v = T.axis.spatial(8, i)
            B[v] = A[v] * T.float32(2)
    for i in T.thread_binding(8, thread="threadIdx.x"):
        with T.block("C"):
            v = T.axis.spatial(8, i)
            C[v] = B[v] * T.float32(2)
)");
}

/// NVIDIA's compiler library: of the n-th kernel of a text it says that it takes 30 + n registers.
constexpr const char *nvrtcText = R"(
#include <stdio.h>
#include <string.h>
static char log_[1000];
int nvrtcVersion(int *major, int *minor) { *major = 13; *minor = 7; return 0; }
int nvrtcGetNumSupportedArchs(int *count) { *count = 1; return 0; }
int nvrtcGetSupportedArchs(int *list) { *list = 90; return 0; }
int nvrtcCreateProgram(void **made, const char *text, const char *name, int headers,
                       const char *const *contents, const char *const *names)
{
    int kernels = 0;
    log_[0] = 0;
    for (const char *at = text; (at = strstr(at, "__global__")); ++at) {
        ++kernels;
        sprintf(log_ + strlen(log_), "Compiling entry function 'kernel_%d'\nUsed %d registers\n", kernels,
                30 + kernels);
    }
    *made = log_;
    return 0;
}
int nvrtcDestroyProgram(void **made) { return 0; }
int nvrtcCompileProgram(void *made, int count, const char *const *options) { return 0; }
int nvrtcGetProgramLogSize(void *made, size_t *size) { *size = strlen(log_) + 1; return 0; }
int nvrtcGetProgramLog(void *made, char *to) { strcpy(to, log_); return 0; }
int nvrtcGetPTXSize(void *made, size_t *size) { *size = 4; return 0; }
int nvrtcGetPTX(void *made, char *to) { strcpy(to, "ptx"); return 0; }
int nvrtcGetCUBINSize(void *made, size_t *size) { *size = 4; return 0; }
int nvrtcGetCUBIN(void *made, char *to) { strcpy(to, "bin"); return 0; }
)";

MeasureJob jobOf(const std::string &factor, const char *target = "cuda")
{
    MeasureJob job;
    job.reference = multiplied("2");
    job.variants = {multiplied(factor), multiplied("7")}; // only the first is asked for
    job.target = *target::parseTarget(target);
    return job;
}

support::Result<std::vector<RungResult>> climbed(const MeasureJob &job, std::vector<Rung> rungs,
                                                 const std::stop_token &stop = {})
{
    Measurer measurer({.program = "/nonexistent/nestc"});
    return climb(measurer, job, rungs, {}, stop);
}

RungResult onlyResult(const MeasureJob &job, Rung rung)
{
    auto results = climbed(job, {rung});
    if (!results)
        qFatal("%s", results.error().render().c_str());
    return results->at(0);
}

} // namespace

class RungsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void targetsHaveTheirs()
    {
        QCOMPARE(rungsOf(*target::parseTarget("llvm")),
                 (std::vector{Rung::Llvm, Rung::C, Rung::Interpreter}));
        QCOMPARE(rungsOf(*target::parseTarget("c")), (std::vector{Rung::Llvm, Rung::C, Rung::Interpreter}));
        for (const char *gpu : {"cuda", "opencl"}) {
            const auto rungs = rungsOf(*target::parseTarget(gpu));
            QCOMPARE(rungs.back(), Rung::Interpreter); // which takes longest
            QCOMPARE(rungs[rungs.size() - 2], Rung::Device);
            QVERIFY(!std::ranges::contains(rungs, Rung::Compiled));
        }
    }

    void eachHasItsOwnName()
    {
        std::set<std::string_view> names;
        for (const Rung rung : {Rung::Interpreter, Rung::Compiled, Rung::Llvm, Rung::C, Rung::OpenCl,
                                Rung::CudaText, Rung::Nvrtc, Rung::Device}) {
            QCOMPARE(factsOf(rung).rung, rung);
            names.insert(factsOf(rung).name);
        }
        QCOMPARE(names.size(), 8UL);
        QCOMPARE(factsOf(Rung::CudaText).name, std::string_view("cuda-text"));
    }

    void theInterpreterSaysWhetherItHolds()
    {
        const RungResult right = onlyResult(jobOf("2"), Rung::Interpreter);
        QCOMPARE(right.outcome, Outcome::Holds);
        QVERIFY(!right.reason && right.seconds > 0);
        QCOMPARE(right.rung, Rung::Interpreter);
        const RungResult wrong = onlyResult(jobOf("3"), Rung::Interpreter);
        QCOMPARE(wrong.outcome, Outcome::Fails);
        QCOMPARE(wrong.reason->code, std::string(codes::wrongResult));
    }

    void allRungsAreClimbedInOrder()
    {
        Measurer measurer({.program = "/nonexistent/nestc"});
        std::vector<Rung> told;
        const std::array rungs{Rung::Interpreter, Rung::CudaText};
        const auto results = climb(measurer, jobOf("3"), rungs,
                                   [&](const RungResult &result) { told.push_back(result.rung); });
        QVERIFY2(results, results ? "" : results.error().render().c_str());
        QCOMPARE(told, std::vector(rungs.begin(), rungs.end()));
        QCOMPARE(results->size(), 2UL); // also behind one that fails
    }

    /// A worker that does not start is no missing tool: something is wrong with this program.
    void aMissingWorkerIsAFailure()
    {
        MeasureJob job;
        job.reference = tests::program("row_sum");
        job.variants = {job.reference};
        const RungResult result = onlyResult(job, Rung::Compiled);
        QCOMPARE(result.outcome, Outcome::Fails);
        QCOMPARE(result.reason->code, std::string("worker.start"));
    }

    void missingToolsAreNotHere()
    {
        const QByteArray compiler = qgetenv("CC"), nestc = qgetenv("NESTWRIGHT_NESTC");
        qputenv("NESTWRIGHT_NVRTC", "/nowhere/libnvrtc.so");
        qputenv("NESTWRIGHT_NESTC", qgetenv("NESTWRIGHT_BIN_DIR") + "/nestc");
        qputenv("NESTWRIGHT_CUDA_DRIVER", "");
        qputenv("CC", "nw-no-such-compiler");
        const RungResult nvrtc = onlyResult(jobOf("2"), Rung::Nvrtc);
        const RungResult text = onlyResult(jobOf("2"), Rung::CudaText);
        const RungResult device = onlyResult(jobOf("2"), Rung::Device);
        MeasureJob plain;
        plain.reference = tests::program("row_sum");
        plain.variants = {plain.reference};
        const RungResult c = onlyResult(plain, Rung::C);
        qunsetenv("NESTWRIGHT_NVRTC");
        qunsetenv("NESTWRIGHT_CUDA_DRIVER");
        compiler.isEmpty() ? qunsetenv("CC") : qputenv("CC", compiler);
        nestc.isEmpty() ? qunsetenv("NESTWRIGHT_NESTC") : qputenv("NESTWRIGHT_NESTC", nestc);
        QCOMPARE(nvrtc.reason.value_or(support::Diagnostic()).code, std::string("cuda.no-compiler"));
        QCOMPARE(nvrtc.outcome, Outcome::NotHere);
        QCOMPARE(text.reason.value_or(support::Diagnostic()).code, std::string("backend.no-compiler"));
        QCOMPARE(text.outcome, Outcome::NotHere);
        QCOMPARE(c.reason.value_or(support::Diagnostic()).code, std::string("backend.no-compiler"));
        QCOMPARE(c.outcome, Outcome::NotHere);
        // Where there is a GPU, the worker that would use it is missing, or its compiler.
        QVERIFY(device.outcome == Outcome::NotHere || device.reason->code == "worker.start");
    }

    /// By the names of the kernels where there are several, for each architecture where none is named.
    void whatKernelsTakeIsTold()
    {
        const backend::TemporaryFolder folder;
        const auto file = folder.path() / "nvrtc.c", library = folder.path() / "libnvrtc.so";
        backend::writeFile(file, nvrtcText);
        const auto compiled =
            backend::runCompiler({"-w", "-shared", "-fPIC", "-o", library.string(), file.string()}, {});
        if (!compiled && compiled.error().code == "backend.no-compiler")
            QSKIP("there is no C compiler here");
        QVERIFY2(compiled, compiled ? "" : compiled.error().message.c_str());
        const QByteArray nestc = qgetenv("NESTWRIGHT_NESTC");
        qputenv("NESTWRIGHT_NVRTC", library.c_str());
        qputenv("NESTWRIGHT_NESTC", qgetenv("NESTWRIGHT_BIN_DIR") + "/nestc");
        MeasureJob job = jobOf("2", "cuda -arch=sm_90");
        const RungResult one = onlyResult(job, Rung::Nvrtc), each = onlyResult(jobOf("2"), Rung::Nvrtc);
        job.variants = {doubledTwice()};
        const RungResult two = onlyResult(job, Rung::Nvrtc);
        qunsetenv("NESTWRIGHT_NVRTC");
        nestc.isEmpty() ? qunsetenv("NESTWRIGHT_NESTC") : qputenv("NESTWRIGHT_NESTC", nestc);
        for (const RungResult *result : {&one, &each, &two})
            QVERIFY2(result->outcome == Outcome::Holds,
                     result->reason ? result->reason->render().c_str() : "");
        QCOMPARE(one.found, std::string("sm_90 31 registers"));
        QCOMPARE(each.found, std::string("sm_80 31 registers · sm_90 31 registers · sm_100 31 registers"));
        QCOMPARE(two.found, std::string("sm_90 kernel_1: 31 registers; kernel_2: 32 registers"));
    }

    /// On every rung, be its result right by chance.
    void unsoundProgramsFail()
    {
        MeasureJob job;
        job.reference = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((1,), "float32")):
    for k in T.parallel(64):
        B[0] = B[0] + A[k]
)");
        job.variants = {job.reference};
        const auto raced = climbed(job, {Rung::Interpreter, Rung::Llvm, Rung::C});
        QVERIFY(raced);
        job.reference = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    S = T.alloc_buffer((64,))
    for i in range(64):
        B[i] = A[i] + S[i]
)");
        job.variants = {job.reference};
        const auto unwritten = climbed(job, {Rung::Interpreter, Rung::Llvm});
        QVERIFY(unwritten);
        for (const RungResult &result : *raced) {
            QCOMPARE(result.outcome, Outcome::Fails);
            QCOMPARE(result.reason->code, std::string("analysis.parallel-conflict"));
        }
        for (const RungResult &result : *unwritten) {
            QCOMPARE(result.outcome, Outcome::Fails);
            QCOMPARE(result.reason->code, std::string("analysis.unwritten"));
        }
    }

    void errorsOfTheJobEndTheClimb()
    {
        MeasureJob job = jobOf("2", "llvm");
        job.function = "other";
        const auto results = climbed(job, {Rung::Interpreter, Rung::Compiled});
        QVERIFY(!results);
        QCOMPARE(results.error().code, std::string("measure.no-function"));
    }

    void climbingCanBeCancelled()
    {
        std::stop_source stop;
        stop.request_stop();
        const auto results = climbed(jobOf("2"), {Rung::Interpreter}, stop.get_token());
        QVERIFY(!results);
        QCOMPARE(results.error().code, std::string("cancelled"));
    }
};

QTEST_GUILESS_MAIN(RungsTest)
#include "rungs_test.moc"
