// SPDX-License-Identifier: Apache-2.0
// PTX that LLVM makes where NVIDIA's compiler is not there.
#include "core/backend/backend.h"
#include "tests/support/programs.h"
#include "tests/support/shared_stages.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

support::Result<backend::Source> sourceOf(std::string_view text, const char *target = "cuda -arch=sm_80")
{
    return backend::source(parsed(text), *target::parseTarget(target), backend::SourceKind::Ptx);
}

QString ptx(std::string_view text, const char *target = "cuda -arch=sm_80")
{
    const auto source = sourceOf(text, target);
    if (!source)
        qFatal("%s", source.error().render().c_str());
    return QString::fromStdString(source->text);
}

std::string refusal(std::string_view text, const char *target = "cuda -arch=sm_80")
{
    const auto source = sourceOf(text, target);
    return source ? std::string() : source.error().code + ": " + source.error().message;
}

constexpr std::string_view reversed = R"(
@T.prim_func
def main(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32"), n: T.int32):
    with T.decl_buffer((64,), scope="shared") as S:
        for bx in T.thread_binding(16, thread="blockIdx.y"):
            for tx in T.thread_binding(64, thread="threadIdx.x"):
                S[tx] = A[bx * 64 + tx]
                B[bx * 64 + tx] = S[63 - tx] + T.Cast("float32", n)
)";

std::string ofEach(std::string_view value, std::string_view type = "float32")
{
    return std::format(R"(
@T.prim_func
def main(A: T.Buffer((64,), "{1}"), B: T.Buffer((64,), "{1}"), n: T.int32):
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        B[tx] = {0}
)",
                       value, type);
}

} // namespace

class LlvmPtxTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// One piece of memory: of the kernel's own, or given at the launch.
    void arraysOfABlockShareMemory()
    {
        const QString own = ptx(sharedStages(64)), given = ptx(sharedStages(8192), "cuda -arch=sm_90");
        QVERIFY2(own.contains(QRegularExpression(R"(\.shared \.align 16 \.b8 nw_shared\[512\];)")),
                 qPrintable(own));
        QVERIFY2(given.contains(QRegularExpression(R"(\.extern \.shared \.align 16 \.b8 nw_shared\[\];)")),
                 qPrintable(given));
    }

    void initTestCase()
    {
        if (!backend::isBuilt(target::TargetKind::Llvm))
            QSKIP("LLVM is not built in");
        qputenv("NESTWRIGHT_NVRTC", "/nowhere");
        qputenv("NESTWRIGHT_NESTC", qgetenv("NESTWRIGHT_BIN_DIR") + "/nestc");
    }

    void kernel()
    {
        const QString text = ptx(reversed);
        QVERIFY2(text.startsWith(QStringLiteral("// Made by LLVM ")), qPrintable(text));
        for (const char *part : {".target sm_80", ".visible .entry main_kernel(", ".maxntid 64, 1, 1",
                                 "%ctaid.y", "%tid.x", ".shared .align 16 .b8 S[256];", "st.shared.f32",
                                 "bar.sync \t0;", "ld.shared.f32", "ld.global.nc.f32", "st.global.f32"})
            QVERIFY2(text.contains(QLatin1String(part)), qPrintable(part + QStringLiteral(" in ") + text));
        QCOMPARE(text.count(QStringLiteral(".param .u64")), 2);
        QCOMPARE(text.count(QStringLiteral(".param .u32")), 1);
        for (const char *part : {".loc", ".file", "$L__tmp", "debug"})
            QVERIFY2(!text.contains(QLatin1String(part)), qPrintable(text));
    }

    void linesHaveTheirLoops()
    {
        const auto source = sourceOf(reversed);
        QVERIFY(source);
        const QStringList lines = QString::fromStdString(source->text).split('\n');
        const auto store = lines.indexOf(QRegularExpression("\\s*st\\.global\\.f32.*"));
        QVERIFY(store > 0);
        QVERIFY(std::ranges::any_of(source->spans, [&](const script::LineSpan &span) {
            return span.stmt && span.firstLine <= store && store <= span.lastLine;
        }));
    }

    void neighboursMoveTogether()
    {
        const QString text = ptx(R"(
@T.prim_func
def main(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32")):
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            for v in T.vectorized(4):
                B[bx * 256 + tx * 4 + v] = A[bx * 256 + tx * 4 + v]
)");
        QVERIFY2(text.contains(".v4"), qPrintable(text));
    }

    /// Memory for an error is taken where there may be one.
    void errors()
    {
        const QString text = ptx(R"(
@T.prim_func
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        B[tx] = A[tx] // A[63 - tx]
)");
        QCOMPARE(text.count(QStringLiteral(".param .u64")), 3);
        QCOMPARE(ptx(ofEach("A[tx] + T.float32(1)")).count(QStringLiteral(".param .u64")), 2);
    }

    void exchangesWithinAWarp()
    {
        const QString text = ptx(R"(
@T.prim_func
def main(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32"), C: T.Buffer((32,), "int64")):
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        B[tx] = T.tvm_warp_shuffle_down(T.uint32(4294967295), A[tx], 4, 32, 32)
        C[tx] = T.tvm_warp_shuffle(T.uint32(4294967295), T.Cast("int64", tx), 3, 16, 32)
)");
        QVERIFY2(text.contains("shfl.sync.down.b32"), qPrintable(text));
        QCOMPARE(text.count(QStringLiteral("shfl.sync.idx.b32")), 2); // of 32 bits each
        QVERIFY2(text.contains("4127"), qPrintable(text));            // (32 - 16) << 8 | 31
    }

    void functionsOfMathematics()
    {
        QVERIFY(ptx(ofEach("T.exp(A[tx])")).contains("fma.rn"));
        QVERIFY(ptx(ofEach("T.log(A[tx])")).contains("lg2.approx"));
        QVERIFY(ptx(ofEach("T.exp2(A[tx])")).contains("ex2.approx"));
        QVERIFY(ptx(ofEach("T.sqrt(A[tx])")).contains("sqrt.rn"));
        QVERIFY(
            refusal(ofEach("T.sin(A[tx])")).starts_with("backend.unsupported: LLVM has no 'sin' for GPUs"));
        QVERIFY(refusal(ofEach("T.exp(A[tx])", "float64")).starts_with("backend.unsupported"));
    }

    void typesAndArchitectures()
    {
        QVERIFY(ptx(ofEach("A[tx] + A[tx]", "float16"), "cuda -arch=sm_70").contains("add."));
        QVERIFY(ptx(ofEach("A[tx] + A[tx]", "bfloat16")).contains(".target sm_80"));
        QVERIFY(refusal(ofEach("A[tx] + A[tx]", "bfloat16"), "cuda -arch=sm_70")
                    .starts_with("backend.unsupported: LLVM makes no PTX of sm_70 for bfloat16"));
        const std::string unknown = refusal(ofEach("A[tx]"), "cuda -arch=sm_120");
        QVERIFY2(unknown.empty() || unknown.starts_with("target.option: LLVM makes no PTX for sm_120"),
                 unknown.c_str());
    }
};

QTEST_GUILESS_MAIN(LlvmPtxTest)
#include "llvm_ptx_test.moc"
