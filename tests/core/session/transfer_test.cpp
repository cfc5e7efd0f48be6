// SPDX-License-Identifier: Apache-2.0
// One schedule on several shapes: kernels opened with other sizes, cells that are measured, refused and
// wrong, and the table as text.
#include "core/session/reuse/transfer.h"
#include "core/session/reuse/transfer_text.h"
#include "core/support/text/json.h"

#include <QtTest>

using namespace nestwright;
using session::KernelSizes;
using session::TransferRequest;
using session::TransferTable;

namespace {

constexpr const char *teKernel = R"(import tvm
from tvm import te
M, N = 64, 32
K = half = 16
bn = M // 2
A = te.placeholder((M, K), name="A")
B = te.placeholder((K, N), name="B")
k = te.reduce_axis((0, K), name="k")
C = te.compute((M, N), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
)";

constexpr const char *teFunction = R"(from tvm import te
def product(M, N, K=16):
    A = te.placeholder((M, K), name="A")
    B = te.placeholder((K, N), name="B")
    k = te.reduce_axis((0, K), name="k")
    C = te.compute((M, N), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    return [A, B, C]
)";

constexpr const char *symbolic = R"(
@T.prim_func
def main(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    B = T.match_buffer(b, (n,), "float32")
    for i in range(n):
        with T.block("B"):
            vi = T.axis.spatial(n, i)
            B[vi] = A[vi] * T.float32(2)
)";

constexpr const char *halving = R"(def f(sch):
  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  assert int(sch.get(j).extent) % 16 == 0, "columns in vectors"
  a, v = sch.split(j, [None, 16])
  sch.reorder(i, a, k, v)
  sch.vectorize(v)
)";

TransferRequest requestFor(const std::string &kernel, const char *script, std::vector<KernelSizes> shapes)
{
    return {.kernelText = kernel,
            .kernelName = kernel,
            .shapes = std::move(shapes),
            .targets = {*target::parseTarget("llvm")},
            .schedule = {.name = "halving",
                         .run =
                             [script](const schedule::State &state) {
                                 return schedule::runScheduleScript(state, script, "f.py");
                             },
                         .text = script},
            .base = {},
            .repetitions = 2,
            .secondsPerRepetition = 0.005};
}

TransferTable measured(const TransferRequest &request)
{
    measure::Measurer measurer;
    const auto table = session::measureTransfer(request, measurer, [](const TransferTable &, double) {});
    if (!table)
        qFatal("%s", table.error().render().c_str());
    return *table;
}

std::vector<std::int64_t> shapeOf(const ir::Module &module, std::size_t parameter)
{
    std::vector<std::int64_t> shape;
    for (const ir::Expr &extent : module.mainEntry()->function->params[parameter].buffer.shape())
        shape.push_back(extent.as<ir::IntImm>() ? extent.as<ir::IntImm>()->value : -1);
    return shape;
}

} // namespace

class TransferTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void kernelsWithOtherSizes()
    {
        const auto preset = session::openWithSizes("op:matmul(M=64)", "op:matmul(M=64)", {{"N", 48}});
        QCOMPARE(preset->sizes.at("N"), 48);
        QCOMPARE(shapeOf(preset->module, 2), (std::vector<std::int64_t>{64, 48}));
        QVERIFY(preset->text.starts_with("op:matmul("));

        const auto script = session::openWithSizes(teKernel, "te.py", {{"M", 8}, {"K", 24}});
        QCOMPARE(shapeOf(script->module, 0), (std::vector<std::int64_t>{8, 24}));
        QCOMPARE(shapeOf(script->module, 1), (std::vector<std::int64_t>{24, 32}));
        QCOMPARE(script->sizes, (KernelSizes{{"K", 24}, {"M", 8}, {"N", 32}, {"half", 16}}));

        const auto function = session::openWithSizes(teFunction, "te.py", {{"M", 8}, {"N", 12}});
        if (!function)
            QFAIL(function.error().render().c_str());
        QCOMPARE(shapeOf(function->module, 2), (std::vector<std::int64_t>{8, 12}));
        const auto all = session::openWithSizes(teFunction, "te.py", {{"M", 8}, {"N", 12}, {"K", 5}});
        QCOMPARE(shapeOf(all->module, 0), (std::vector<std::int64_t>{8, 5}));

        const auto open = session::openWithSizes(symbolic, "s.py", {});
        QCOMPARE(open->sizes, (KernelSizes{{"n", session::usualSize}}));
        QCOMPARE(session::openWithSizes(symbolic, "s.py", {{"n", 77}})->sizes, (KernelSizes{{"n", 77}}));
    }

    void sizesThatAreNotThere()
    {
        const auto codeOf = [](const char *text, const KernelSizes &sizes) {
            const auto kernel = session::openWithSizes(text, "k.py", sizes);
            return kernel ? std::string() : kernel.error().code;
        };
        QCOMPARE(codeOf("op:matmul", {{"Q", 4}}), "ops.unknown-parameter");
        QCOMPARE(codeOf("op:matmul", {{"M", 0}}), "ops.bad-value");
        QCOMPARE(codeOf(teKernel, {{"bn", 4}}), "open.unknown-size"); // follows from M
        QCOMPARE(codeOf(symbolic, {{"m", 4}}), "open.unknown-size");
        QCOMPARE(session::parseKernelSizes("M=2, N=3").value(), (KernelSizes{{"M", 2}, {"N", 3}}));
        for (const char *text : {"M", "=3", "M=", "M=x", "M=-1", "M=3.5", "M=99999999999999999999"})
            QCOMPARE(session::parseKernelSizes(text).error().code, "usage.sizes");
    }

    void cellsAreMeasuredOrSayWhyNot()
    {
        const TransferTable table = measured(
            requestFor("op:matmul(M=32,N=32,K=32)", halving, {{{"N", 32}}, {{"N", 24}}, {{"M", 0}}}));
        QVERIFY(!table.isWhole());
        QVERIFY(table.at(0, 0).ratio());
        QVERIFY(table.at(0, 0).scheduled->isVerified());
        QVERIFY(table.at(0, 0).ratio()->ratio.median > 0);
        QCOMPARE(table.at(1, 0).why->message, "columns in vectors");
        QVERIFY2(table.at(1, 0).step.starts_with("assert int(sch.get(j)"), table.at(1, 0).step.c_str());
        QCOMPARE(table.at(2, 0).why->code, "ops.bad-value");
        const std::string csv = session::csvOf(table);
        QCOMPARE(std::ranges::count(csv, '\n'), 4);
        QVERIFY(csv.contains("N=24,llvm,"));
        QVERIFY(session::printedTable(table).contains("does not apply [1]"));
        const support::Json json = session::toJson(table);
        QCOMPARE(json["cells"].size(), 3U);
        QVERIFY(json["cells"][0]["ratio"]["median"].get<double>() > 0);
        QCOMPARE(json["cells"][1]["result"].get<std::string>(), "does not apply");
    }

    void overABaseOnSymbolicSizes()
    {
        const char *vectors = "def f(sch):\n  i, = sch.get_loops(sch.get_block(\"B\"))\n"
                              "  a, v = sch.split(i, [None, 8])\n  sch.vectorize(v)\n";
        TransferRequest request = requestFor(symbolic, vectors, {{{"n", 640}}, {{"n", 65}}});
        request.base = request.schedule;
        request.base->name = "other";
        request.targets =
            session::withThreads({*target::parseTarget("llvm"), *target::parseTarget("c")}, {1});
        const TransferTable table = measured(request);
        QCOMPARE(table.targets.size(), 2U);
        QCOMPARE(table.targets[1].threads, 1);
        QCOMPARE(table.base, "other");
        for (const session::TransferCell &cell : table.cells) {
            if (!cell.ratio())
                QFAIL(session::reasonOf(cell).c_str());
            QVERIFY(cell.base->isVerified());
        }
    }

    void canBeCancelled()
    {
        std::stop_source stop;
        measure::Measurer measurer;
        const auto table = session::measureTransfer(
            requestFor("op:matmul(M=32,N=32,K=32)", halving, {{{"N", 32}}, {{"N", 64}}}), measurer,
            [&](const TransferTable &, double fraction) {
                if (fraction > 0)
                    stop.request_stop();
            },
            stop.get_token());
        QCOMPARE(table.error().code, "cancelled");
        QCOMPARE(session::measureTransfer({}, measurer, [](const TransferTable &, double) {}).error().code,
                 "transfer.nothing");
    }

    void aCellIsASession()
    {
        const auto opened = session::sessionAt(requestFor(teKernel, halving, {}), {{"M", 8}, {"N", 16}});
        if (!opened)
            QFAIL(opened.error().render().c_str());
        QCOMPARE(opened->tree().current().name, "halving");
        QCOMPARE(opened->tree().size(), 4);
        QCOMPARE(shapeOf(opened->tree().root().state->module, 2), (std::vector<std::int64_t>{8, 16}));
        QVERIFY(!session::sessionAt(requestFor(teKernel, halving, {}), {{"N", 8}}));
    }
};

QTEST_APPLESS_MAIN(TransferTest)
#include "transfer_test.moc"
