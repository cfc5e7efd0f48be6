// SPDX-License-Identifier: Apache-2.0
// Faults that lowering for a device could make: each is found without a device, at its place.
#include "core/interp/interpreter.h"
#include "core/lower/pipeline.h"
#include "core/script/print/printer.h"
#include "core/script/tvmscript/parser.h"

#include <QtTest>

#include <cmath>

using namespace nestwright;

namespace {

/// Through memory that the threads of a block share, in four rounds.
const char *const rotation = R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    S = T.alloc_buffer((8,), scope="shared")
    for b in T.thread_binding(2, thread="blockIdx.x"):
        for r in range(4):
            for t in T.thread_binding(8, thread="threadIdx.x"):
                with T.block("copy"):
                    vb, vr, vt = T.axis.remap("SSS", [b, r, t])
                    S[vt] = A[vb * 32 + vr * 8 + vt]
            for t in T.thread_binding(8, thread="threadIdx.x"):
                with T.block("rotate"):
                    vb, vr, vt = T.axis.remap("SSS", [b, r, t])
                    C[vb * 32 + vr * 8 + vt] = S[(vt + 3) % 8] * T.float32(2)
)";

/// Each block's threads reduce a row together: within warps, then across.
const char *const rowSum = R"(
@T.prim_func
def main(A: T.Buffer((3, 64), "float32"), C: T.Buffer((3,), "float32")):
    for i in T.thread_binding(3, thread="blockIdx.x"):
        for k in T.thread_binding(64, thread="threadIdx.x"):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    C[vi] = T.float32(0)
                C[vi] = C[vi] + A[vi, vk]
)";

/// Each thread keeps its sum to itself until it is done.
const char *const products = R"(
@T.prim_func
def main(A: T.Buffer((16, 8), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((16,), "float32")):
    L = T.alloc_buffer((16,), scope="local")
    for b in T.thread_binding(2, thread="blockIdx.x"):
        for t in T.thread_binding(8, thread="threadIdx.x"):
            for k in range(8):
                with T.block("sum"):
                    vi = T.axis.spatial(16, b * 8 + t)
                    vk = T.axis.reduce(8, k)
                    with T.init():
                        L[vi] = T.float32(0)
                    L[vi] = L[vi] + A[vi, vk] * B[vk]
            with T.block("store"):
                vi = T.axis.spatial(16, b * 8 + t)
                C[vi] = L[vi]
)";

ir::Module parsed(const QString &text) { return script::parseTvmScript(text.toStdString(), "test").value(); }

target::Target cuda()
{
    target::Target target;
    target.kind = target::TargetKind::Cuda;
    return target;
}

std::vector<ir::NdArray *> pointersTo(std::vector<ir::NdArray> &arrays)
{
    std::vector<ir::NdArray *> pointers;
    for (ir::NdArray &array : arrays)
        pointers.push_back(&array);
    return pointers;
}

/// Difference between a threaded program and the one that it came from: its code, its message and
/// its places; empty where all is well.
QString told(const ir::Module &reference, const ir::Module &threads)
{
    const auto text = [](const support::Diagnostic &found) {
        std::string all = found.code + ": " + found.message;
        for (const support::Location &place : found.locations)
            all += " | " + place.label;
        return QString::fromStdString(all);
    };
    const auto kernels = lower::runPass(*lower::findPass("split-host-device"), threads, cuda());
    const auto checked = lower::runPass(*lower::findPass("verify-gpu-code"), kernels.value().after, cuda());
    if (!checked)
        return text(checked.error());
    const ir::PrimFunc &right = *reference.mainEntry()->function, &function = *threads.mainEntry()->function;
    const std::vector<ir::NdArray> inputs = interp::makeArguments(right, 1).value();
    std::vector<ir::NdArray> expected = inputs, actual = inputs;
    if (const auto done = interp::run(right, pointersTo(expected)); !done)
        return text(done.error());
    interp::Limits limits;
    limits.findRaces = true;
    if (const auto done = interp::run(function, pointersTo(actual), {}, limits); !done)
        return text(done.error());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        for (std::int64_t at = 0; at < expected[i].size(); ++at) {
            if (std::abs(expected[i].at(at) - actual[i].at(at)) <= 1e-4)
                continue;
            std::vector<ir::NdArray> again = inputs;
            const auto writer = interp::lastWriteTo({i, at}, function, pointersTo(again)).value();
            return QStringLiteral("wrong result: ")
                   + (writer ? QString::fromStdString(writer->label)
                             : QStringLiteral("no thread changes it"));
        }
    }
    return {};
}

} // namespace

class DeviceFaultsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        for (const char *program : {rotation, rowSum, products}) {
            const ir::Module module = parsed(program);
            const auto threads = lower::lowerToThreads(module, cuda());
            QVERIFY2(threads, threads ? "" : threads.error().render().c_str());
            QCOMPARE(told(module, *threads), QString());
        }
    }

    void faults_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("right"); ///< text of the program that threads run
        QTest::addColumn<QString>("wrong"); ///< what stands there instead
        QTest::addColumn<QString>("code");
        QTest::addColumn<QStringList>("places");
        const auto row = [](const char *name, const char *program, const char *right, const char *wrong,
                            const char *code, const QStringList &places) {
            QTest::newRow(name) << QString(program) << QString(right) << QString(wrong) << QString(code)
                                << places;
        };
        const QStringList copy{"block 'copy'"}, rotate{"block 'rotate'"},
            both{"block 'rotate'", "block 'copy'"}, sum{"block 'sum'"}, store{"block 'store'"};

        row("no barrier before others read", rotation,
            "T.tvm_storage_sync(\"shared\")\n                    T.attr(\"t\"", "T.attr(\"t\"", "interp.race",
            both);
        row("no barrier before the next round", rotation,
            "T.tvm_storage_sync(\"shared\")\n                    with T.attr(\"copy\"",
            "with T.attr(\"copy\"", "interp.race", both);
        row("a barrier that some threads pass", rotation,
            "                    T.tvm_storage_sync(\"shared\")\n                    T.attr(\"t\"",
            "                    if t < 4:\n                        T.tvm_storage_sync(\"shared\")\n"
            "                    T.attr(\"t\"",
            "interp.divergent-barrier", {});
        row("a barrier of warps only", rowSum, "T.tvm_storage_sync(\"shared\")",
            "T.tvm_storage_sync(\"warp\")", "interp.race", sum);
        row("stored one too far", rotation, "S[t] =", "S[t + 1] =", "interp.out-of-bounds", copy);
        row("loaded one too far", rotation, "S[(t + 3) % 8]", "S[(t + 3) % 8 + 1]", "interp.out-of-bounds",
            rotate);
        row("the neighbour of the neighbour", rotation, "S[(t + 3) % 8]", "S[(t + 4) % 8]", "wrong result",
            rotate);
        row("an argument read beyond its end", rotation, "r * 8 + t]\n                    T.tvm",
            "r * 8 + t + 1]\n                    T.tvm", "interp.out-of-bounds", copy);
        row("all threads store to one element", rotation,
            "C[b * 32 + r * 8 + t] =", "C[b * 32 + r * 8] =", "interp.race", rotate);
        row("all blocks store to the same", rotation,
            "C[b * 32 + r * 8 + t] =", "C[r * 8 + t] =", "interp.race", rotate);
        row("the last thread stores nothing", rotation, "                    C[b * 32",
            "                    if t < 7:\n                        C[b * 32", "wrong result",
            {"no thread changes it"});
        row("shared memory too small", rotation, "(8,), scope=\"shared\"", "(7,), scope=\"shared\"",
            "interp.out-of-bounds", copy);
        row("more shared memory than there is", rotation, "(8,), scope=\"shared\"",
            "(16384,), scope=\"shared\"", "lower.device-limit", {"S"});
        row("more threads than there are", rotation, "(8, thread=\"threadIdx.x\")",
            "(2048, thread=\"threadIdx.x\")", "lower.device-limit", {"'t'"});
        row("a value from the wrong lane", rowSum, "red_own0[0], 16, 32, 32)", "red_own0[0], 15, 32, 32)",
            "wrong result", sum);
        row("a value from a lane that does not run", rowSum,
            "                    red_other0[0] = T.tvm_warp_shuffle_down(mask[0], red_own0[0], 8, 32, 32)",
            "                    if k < 8:\n                        red_other0[0] = "
            "T.tvm_warp_shuffle_down(mask[0], red_own0[0], 8, 32, 32)",
            "interp.inactive-lane", sum);
        row("parts of warps beyond their memory", rowSum, "red_buf0[k // 32]", "red_buf0[k // 16]",
            "interp.out-of-bounds", sum);
        row("each warp stores its own part", rowSum,
            "if k == 0:\n                    C[i] = C_cross_thread[0]",
            "if k % 32 == 0:\n                    C[i] = C_in_thread[0]", "interp.race", sum);
        row("registers of another thread", products, "L[0] = L[0] +", "L[t] = L[0] +", "interp.out-of-bounds",
            sum);
        row("a row one too far", products, "t * 8 + k] *", "t * 8 + 8 + k] *", "interp.out-of-bounds", sum);
        row("pairs of threads store to one element", products,
            "C[b * 8 + t] =", "C[b * 8 + t // 2] =", "interp.race", store);
        row("a division by an index", products, "t * 8 + k] *", "t * 8 // k + k] *",
            "interp.division-by-zero", sum);
    }
    void faults()
    {
        QFETCH(QString, program);
        QFETCH(QString, right);
        QFETCH(QString, wrong);
        QFETCH(QString, code);
        QFETCH(QStringList, places);
        const ir::Module module = parsed(program);
        const ir::Module threads = lower::lowerToThreads(module, cuda()).value();
        QString text = QString::fromStdString(script::print(threads).text);
        QCOMPARE(text.count(right), 1);
        const QString found = told(module, parsed(text.replace(right, wrong)));
        QVERIFY2(found.startsWith(code + u':'), qPrintable(found));
        for (const QString &place : places)
            QVERIFY2(found.contains(place), qPrintable(found));
    }
};

QTEST_GUILESS_MAIN(DeviceFaultsTest)
#include "device_faults_test.moc"
