// SPDX-License-Identifier: Apache-2.0
/// Arguments of a run, and refusals, which name the fault and the remedy.
#include "core/interp/interpreter.h"
#include "core/ir/build/builder.h"
#include "core/script/tvmscript/parser.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;

namespace {

constexpr const char *pair = R"(
@T.prim_func
def main(a: T.handle, b: T.handle, m: T.int32):
    n = T.int32()
    A = T.match_buffer(a, (n, 4), "int32")
    B = T.match_buffer(b, (n,), "float32")
    for i in range(n):
        B[i] = T.Cast("float32", A[i, 0] + m)
)";

ir::NdArray array(ir::DataType type, std::vector<std::int64_t> shape) { return {type, std::move(shape)}; }

/// "done", or the error as it is shown.
QString ran(const char *text, std::vector<ir::NdArray> arrays, const std::vector<std::int64_t> &scalars = {},
            const interp::Limits &limits = {})
{
    const ir::Module module = tests::parsed(text);
    std::vector<ir::NdArray *> buffers;
    for (ir::NdArray &each : arrays)
        buffers.push_back(&each);
    const auto done = interp::run(*module.mainEntry()->function, buffers, scalars, limits);
    return done ? QStringLiteral("done") : QString::fromStdString(done.error().render());
}

const ir::DataType ints = ir::DataType::int32(), floats = ir::DataType::float32();

} // namespace

class ArgumentsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sizesFollowFromTheArrays()
    {
        QCOMPARE(ran(pair, {array(ints, {3, 4}), array(floats, {3})}, {1}), "done");
        QCOMPARE(ran(pair, {array(ints, {0, 4}), array(floats, {0})}, {1}), "done");
        // A buffer of one dimension takes an array of any shape with as many elements.
        QCOMPARE(ran(pair, {array(ints, {4, 4}), array(floats, {2, 2})}, {1}), "done");
    }

    void arraysMustFitTheirBuffers()
    {
        const auto refusal = [](std::vector<ir::NdArray> arrays,
                                const std::vector<std::int64_t> &scalars = {1}) {
            return ran(pair, std::move(arrays), scalars);
        };
        QVERIFY(refusal({array(ints, {3, 4})}).contains("interp.argument"));
        QVERIFY(refusal({array(ints, {3, 4}), array(floats, {3}), array(floats, {3})})
                    .contains("interp.argument"));
        QVERIFY(refusal({array(ints, {3, 4}), array(floats, {3})}, {}).contains("interp.argument"));
        QVERIFY(refusal({array(ints, {3, 4}), array(floats, {3})}, {1, 2}).contains("interp.argument"));
        const QString type = refusal({array(floats, {3, 4}), array(floats, {3})});
        QVERIFY2(
            type.contains("the buffer 'A' is of type 'int32', but the array given for it of type 'float32'"),
            qPrintable(type));
        const QString rank = refusal({array(ints, {3, 4, 1}), array(floats, {3})});
        QVERIFY2(rank.contains("the buffer 'A' has 2 dimensions, but the array given for it has the shape"),
                 qPrintable(rank));
        const QString size = refusal({array(ints, {3, 5}), array(floats, {3})});
        QVERIFY2(size.contains("the buffer 'A' has the shape (3, 4)"), qPrintable(size));
        const QString other = refusal({array(ints, {3, 4}), array(floats, {2})});
        QVERIFY2(other.contains("'B'")
                     && other.contains("sizes with the same name must be the same in all arrays"),
                 qPrintable(other));
    }

    void runsAreBounded()
    {
        constexpr const char *endless = R"(
@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    while A[0] < 1:
        A[1] = A[1] + 1
)";
        const QString steps = ran(endless, {array(ints, {4})}, {}, {.steps = 1000, .stop = {}});
        QVERIFY(steps.contains("the function did not end within the steps allowed for one run"));
        QVERIFY(steps.contains("look for a loop that does not end, or allow more steps"));
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(ran(endless, {array(ints, {4})}, {}, {.stop = stop.get_token()})
                    .contains("the run was stopped [interp.stopped]"));
    }

    void whatHasNoMeaningIsNamed()
    {
        constexpr const char *foreign = R"(
@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    A[0] = T.call_extern("int32", "somebody_elses", 3)
)";
        const QString found = ran(foreign, {array(ints, {4})});
        QVERIFY2(
            found.contains("calls the external function 'somebody_elses', whose meaning the interpreter does "
                           "not know"),
            qPrintable(found));
        QVERIFY(found.contains("only the C mathematical functions are known by name"));
        constexpr const char *unreached = R"(
@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    if A[0] > 5:
        A[0] = T.call_extern("int32", "somebody_elses", 3)
)";
        QCOMPARE(ran(unreached, {array(ints, {4})}), "done");
    }

    void undefinedNamesAreNamed()
    {
        const ir::Buffer a("A", {4}, ints), missing("M", {4}, ints);
        const auto outcome = [&](const ir::Stmt &body) {
            ir::PrimFunc f;
            f.params.push_back({ir::Var("A", ir::DataType::handle()), a});
            f.body = body;
            ir::NdArray given(ints, {4});
            const std::array<ir::NdArray *, 1> buffers{&given};
            const auto done = interp::run(f, buffers);
            return done ? QStringLiteral("done") : QString::fromStdString(done.error().message);
        };
        QCOMPARE(outcome(store(a, load(missing, {0}), {0})),
                 "the function uses the buffer 'M', which is neither a parameter nor allocated");
        QCOMPARE(outcome(store(a, ir::Expr(ir::Var("v", ints)), {0})),
                 "the function uses the variable 'v', which has no value there");
        QCOMPARE(outcome(store(a, ir::Expr(1), {0})), "done");
    }

    void lastWritesOfFunctionsThatFailAreTheirError()
    {
        const ir::Module module = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    for t in T.thread_binding(4, thread="threadIdx.x"):
        A[t + 1] = 1
)");
        ir::NdArray given(ints, {4});
        const std::array<ir::NdArray *, 1> buffers{&given};
        const auto found = interp::lastWriteTo({0, 0}, *module.mainEntry()->function, buffers);
        QVERIFY(!found);
        QCOMPARE(found.error().code, "interp.out-of-bounds");
    }
};

QTEST_GUILESS_MAIN(ArgumentsTest)
#include "arguments_test.moc"
