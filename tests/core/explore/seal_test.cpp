// SPDX-License-Identifier: Apache-2.0
// The seal of schedules and formulas: equal for every input, different, or beyond what it can tell.
#include "core/explore/judge/seal_path.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/schedule/script/reader.h"
#include "tests/core/explore/sealed_programs.h"
#include "tests/support/check_primitive.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <format>

using namespace nestwright;
using namespace nestwright::explore;
using namespace nestwright::tests;
using Outcome = Seal::Outcome;

namespace {

StepPath pathOf(std::string_view program, std::string_view lines)
{
    const schedule::State initial = scheduled(program);
    const auto run = schedule::runScheduleScript(initial, std::string(lines), "seal.py");
    std::vector<schedule::Step> steps;
    for (const schedule::ScriptStep &each : run.value().steps)
        steps.push_back(each.step);
    return StepPath::along(initial, steps).value();
}

class SumsAsDifferences final : public ir::Rewriter {
public:
    ir::Expr expr(const ir::Expr &e) override
    {
        const ir::Expr rebuilt = children(e);
        const auto *binary = rebuilt.as<ir::Binary>();
        const bool isSum = binary && binary->op == ir::BinaryOp::Add && binary->a.as<ir::BufferLoad>();
        return isSum ? ir::binary(ir::BinaryOp::Sub, binary->a, binary->b) : rebuilt;
    }
};

/// A function of one block over 16 elements of A and B.
std::string elementwise(std::string_view value, std::string_view type = "float32")
{
    return std::format(R"(@T.prim_func
def f(a: T.handle, b: T.handle, c: T.handle):
    A = T.match_buffer(a, (16,), "{0}")
    B = T.match_buffer(b, (16,), "{0}")
    C = T.match_buffer(c, (16,), "{0}")
    for i in T.serial(16):
        with T.block("C"):
            v = T.axis.spatial(16, i)
            C[v] = {1}
)",
                       type, value);
}

constexpr std::string_view layerNorm = R"(@T.prim_func
def f(a: T.handle, g: T.handle, o: T.handle):
    A = T.match_buffer(a, (6, 20), "float32")
    G = T.match_buffer(g, (20,), "float32")
    O = T.match_buffer(o, (6, 20), "float32")
    S = T.alloc_buffer((6,), "float32")
    Q = T.alloc_buffer((6,), "float32")
    for i, k in T.grid(6, 20):
        with T.block("sum"):
            vi = T.axis.spatial(6, i)
            vk = T.axis.reduce(20, k)
            with T.init():
                S[vi] = T.float32(0)
            S[vi] = S[vi] + A[vi, vk]
    for i, k in T.grid(6, 20):
        with T.block("squares"):
            vi = T.axis.spatial(6, i)
            vk = T.axis.reduce(20, k)
            with T.init():
                Q[vi] = T.float32(0)
            Q[vi] = Q[vi] + A[vi, vk] * A[vi, vk]
    for i, j in T.grid(6, 20):
        with T.block("norm"):
            vi = T.axis.spatial(6, i)
            vj = T.axis.spatial(20, j)
            mean = T.float32(0.05) * S[vi]
            O[vi, vj] = (A[vi, vj] - mean) * T.rsqrt(Q[vi] / T.float32(20) - mean * mean) * G[vj]
)";

} // namespace

class SealTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rightSchedules_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("lines");
        const auto add = [](const char *name, std::string_view program, const char *lines) {
            QTest::newRow(name) << QString::fromUtf8(program.data(), qsizetype(program.size()))
                                << QString(lines);
        };
        const std::string_view matmul = programText("matmul_small"), relu = programText("mm_relu");
        add("tiled", relu, R"(b = sch.get_block("C")
i, j, k = sch.get_loops(b)
i0, i1 = sch.split(i, [None, 16])
k0, k1 = sch.split(k, [None, 24])
sch.reorder(i0, k0, j, k1, i1)
sch.vectorize(i1)
sch.parallel(i0)
)");
        add("rfactor", programText("row_sum"), R"(b = sch.get_block("B")
i, k = sch.get_loops(b)
k0, k1 = sch.split(k, [None, 8])
sch.rfactor(k1, 0)
)");
        add("decomposed", relu, R"(b = sch.get_block("C")
i, j, k = sch.get_loops(b)
sch.decompose_reduction(b, k)
)");
        add("computed at", relu, R"(c = sch.get_block("C")
d = sch.get_block("D")
i, j = sch.get_loops(d)
sch.compute_at(c, i)
)");
        add("cached", matmul, R"(c = sch.get_block("C")
a = sch.cache_read(c, 0, "global")
w = sch.cache_write(c, 0, "global")
i, j, k = sch.get_loops(c)
sch.compute_at(a, i)
sch.reverse_compute_at(w, j)
)");
        add("fused", programText("two_axis"), R"(b = sch.get_block("B")
sch.compute_inline(b)
)");
        add("convolution", programText("conv2d_pad"), R"(p = sch.get_block("pad")
sch.compute_inline(p)
)");
        add("layer norm", layerNorm, R"(s = sch.get_block("sum")
q = sch.get_block("squares")
n = sch.get_block("norm")
i, j = sch.get_loops(n)
sch.compute_at(q, i)
sch.compute_at(s, i)
x, k = sch.get_loops(sch.get_block("sum"))[-2:]
)");
        add("softmax", programText("softmax"), "");
        add("symbolic", programText("symbolic"), "");
    }

    void rightSchedules()
    {
        QFETCH(QString, program);
        QFETCH(QString, lines);
        std::string script;
        for (const QString &line : lines.split('\n', Qt::SkipEmptyParts))
            script += line.toStdString() + '\n';
        const auto sealed = sealPath(pathOf(program.toStdString(), script), {.extent = 16});
        QVERIFY(sealed.has_value());
        QVERIFY2(sealed->seal.outcome == Outcome::Equal, sealed->seal.reason.message.c_str());
        QVERIFY(sealed->seal.draws > 0);
    }

    void claims()
    {
        const Seal plain = sealOf(elementwise("A[v] * B[v]"), elementwise("B[v] * A[v]"));
        QCOMPARE(plain.claim(), std::string("equal for every input"));
        QCOMPARE(plain.draws, 1);
        QVERIFY(sealOf(elementwise("T.max(A[v], B[v])"), elementwise("T.max(B[v], A[v])")).isOfOrder);
        const Seal integers = sealOf(elementwise("A[v] * B[v]", "int8"), elementwise("B[v] * A[v]", "int8"));
        QVERIFY(integers.outcome == Outcome::Equal && integers.isOfIntegers && integers.draws > 1);
    }

    /// Formulas that are the same but for rounding.
    void equalFormulas_data()
    {
        QTest::addColumn<QString>("one");
        QTest::addColumn<QString>("other");
        const auto add = [](const char *one, const char *other) {
            QTest::newRow(one) << QString(one) << QString(other);
        };
        add("(A[v] + B[v]) * A[v]", "A[v] * A[v] + A[v] * B[v]");
        add("A[v] / B[v] + T.float32(1)", "(A[v] + B[v]) / B[v]");
        add("T.rsqrt(A[v])", "T.float32(1) / T.sqrt(A[v])");
        add("T.fabs(A[v])", "T.max(A[v], T.float32(0) - A[v])");
        add("T.Select(A[v] > T.float32(0), A[v], T.float32(0))", "T.max(A[v], T.float32(0))");
        add("T.max(A[v], B[v])", "T.float32(0) - T.min(T.float32(0) - A[v], T.float32(0) - B[v])");
        add("T.pow(A[v], T.float32(3))", "A[v] * A[v] * A[v]");
        add("T.exp(A[v] + B[v])", "T.exp(B[v] + A[v])");
        add("T.max(T.min(A[v], B[v]), T.float32(-3.4028234663852886e+38))", "T.min(B[v], A[v])");
        add("(T.float32(0.1) + T.float32(0.2)) * A[v]", "A[v] * T.float32(0.3)");
    }

    void equalFormulas()
    {
        QFETCH(QString, one);
        QFETCH(QString, other);
        const Seal seal = sealOf(elementwise(one.toStdString()), elementwise(other.toStdString()));
        QVERIFY2(seal.outcome == Outcome::Equal, seal.reason.message.c_str());
    }

    /// A constant from a buffer may be multiplied by another beforehand, and rounded: that is equal to the
    /// program that computes it, another constant is not.
    void constantsThatMeet()
    {
        const auto through = [](std::string_view value) {
            return std::format(R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    C = T.alloc_buffer((4,))
    for i in range(4):
        with T.block("C"):
            v = T.axis.spatial(4, i)
            C[v] = {}
    for i in range(4):
        with T.block("B"):
            v = T.axis.spatial(4, i)
            B[v] = C[v] * T.float32(0.1)
)",
                               value);
        };
        const auto direct = [](std::string_view value) {
            return std::format(R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.block("B"):
            v = T.axis.spatial(4, i)
            B[v] = {}
)",
                               value);
        };
        const std::string three = through("T.float32(3)");
        const std::string padded = through("T.if_then_else(v < 3, A[v], T.float32(3))");
        for (const auto &[one, other] :
             {std::pair(three, direct("T.Mul(T.float32(3), T.float32(0.1))")),
              std::pair(three, direct("T.float32(3) * T.float32(0.1)")),
              std::pair(padded, direct("T.if_then_else(v < 3, A[v] * T.float32(0.1), "
                                       "T.Mul(T.float32(3), T.float32(0.1)))"))}) {
            const Seal seal = sealOf(one, other);
            QVERIFY2(seal.outcome == Outcome::Equal, seal.reason.message.c_str());
        }
        QVERIFY(sealOf(three, direct("T.Mul(T.float32(3), T.float32(0.2))")).outcome == Outcome::Differs);
        QVERIFY(sealOf(three, direct("T.float32(0.30000001)")).outcome == Outcome::Equal); // 3 * 0.1, rounded
        QVERIFY(sealOf(three, direct("T.float32(0.29999998)")).outcome == Outcome::Differs);
    }

    void wrongPrograms_data()
    {
        QTest::addColumn<QString>("right");
        QTest::addColumn<QString>("wrong");
        const auto add = [](const char *name, const std::string &right, const std::string &wrong) {
            QTest::newRow(name) << QString::fromStdString(right) << QString::fromStdString(wrong);
        };
        const auto formula = [&](const char *one, const char *other) {
            add(other, elementwise(one), elementwise(other));
        };
        formula("A[v] - B[v]", "B[v] - A[v]");
        formula("A[v] + B[v]", "B[v]");
        formula("A[v] * T.float32(0.1)", "A[v] * T.float32(0.10000001)");
        formula("A[v]", "A[v] + T.float32(1e-30)");
        formula("A[v] / B[v]", "A[v] * B[v]");
        formula("A[v]", "A[(v + 1) % 16]");
        formula("A[v]", "A[v + 1]");
        formula("T.exp(A[v])", "T.exp2(A[v])");
        formula("T.max(A[v], T.float32(0))", "T.max(A[v], T.float32(1e-30))");
        formula("T.max(A[v], B[v])", "T.min(A[v], B[v])");
        formula("A[v]", "T.if_then_else(v < 15, A[v], B[v])");
        // Formulas that differ only where a value is one number, none, or that of another element.
        formula("T.Select(A[v] == T.float32(0), B[v], A[v])", "A[v]");
        formula("T.Select(A[v] == T.float32(2.5), B[v], A[v])", "A[v]");
        formula("T.Select(A[v] < T.float32(2.5), B[v], A[v])",
                "T.Select(A[v] <= T.float32(2.5), B[v], A[v])");
        formula("T.Select(A[v] == B[v], T.float32(1), T.float32(0))", "T.float32(0)");
        formula("T.Select(T.isnan(A[v]), B[v], A[v])", "A[v] + T.float32(0)");
        formula("T.Select(A[v] != A[v], B[v], A[v])", "A[v] * T.float32(1)");
        formula("T.Select(T.isinf(A[v]), B[v], A[v])", "A[v] - T.float32(0)");
        // Sums of integers that are small only where all of their terms are.
        add("a sum within a range",
            elementwise(
                "T.if_then_else(0 < A[v] + A[15 - v] + B[v] + B[15 - v] + A[0] + B[0] and A[v] + A[15 - v] + "
                "B[v] + B[15 - v] + A[0] + B[0] < 12, B[v], A[v])",
                "int64"),
            elementwise("A[v]", "int64"));
        const std::string_view product = programText("mm_relu");
        add("a missing init", std::string(programText("row_sum")),
            replaced(programText("row_sum"), "= T.float32(0)", "= T.float32(1)"));
        add("another reduction", std::string(product), replaced(product, "T.max(", "T.min("));
    }

    void wrongPrograms()
    {
        QFETCH(QString, right);
        QFETCH(QString, wrong);
        const Seal seal = sealOf(right.toStdString(), wrong.toStdString());
        QVERIFY2(seal.outcome == Outcome::Differs, seal.claim().c_str());
        QVERIFY(!seal.reason.message.empty());
    }

    void doesNotApply_data()
    {
        QTest::addColumn<QString>("one");
        QTest::addColumn<QString>("other");
        QTest::addColumn<QString>("code");
        const auto add = [](const char *name, const std::string &one, const std::string &other,
                            const char *code) {
            QTest::newRow(name) << QString::fromStdString(one) << QString::fromStdString(other)
                                << QString(code);
        };
        const std::string plain = elementwise("A[v] + B[v]");
        add("narrowed", plain, elementwise("T.Cast(\"float32\", T.Cast(\"float16\", A[v])) + B[v]"),
            "seal.narrowed");
        const std::string address = elementwise("B[T.Cast(\"int32\", A[v]) % 16]");
        add("address", address, address, "interp.beyond-field");
        const std::string bits = elementwise("T.reinterpret(\"float32\", T.reinterpret(\"int32\", A[v]))");
        add("bits", bits, bits, "interp.beyond-field");
        const std::string opaque = elementwise("T.call_extern(\"float32\", \"mystery\", A[v])");
        add("extern", opaque, opaque, "interp.beyond-field");
    }

    void doesNotApply()
    {
        QFETCH(QString, one);
        QFETCH(QString, other);
        QFETCH(QString, code);
        const Seal seal = sealOf(one.toStdString(), other.toStdString());
        QVERIFY2(seal.outcome == Outcome::DoesNotApply, seal.claim().c_str());
        QCOMPARE(QString::fromStdString(seal.reason.code), code);
    }

    /// Types that are narrow to begin with are no narrowing.
    void halfPrecision()
    {
        const std::string half = elementwise("A[v] * B[v] + A[v]", "float16");
        const std::string other =
            elementwise("T.Cast(\"float16\", T.Cast(\"float32\", A[v]) * T.Cast(\"float32\", B[v]) + "
                        "T.Cast(\"float32\", A[v]))",
                        "float16");
        QVERIFY(sealOf(half, other).outcome == Outcome::Equal);
    }

    void stepThatBreaksIt()
    {
        const StepPath right = pathOf(programText("matmul_small"), R"(b = sch.get_block("C")
i, j, k = sch.get_loops(b)
sch.split(i, [None, 2])
sch.annotate(b, "note", 1)
sch.unroll(j)
)");
        const std::size_t last = right.size();
        std::vector<schedule::State> states;
        for (std::size_t i = 0; i <= last; ++i)
            states.push_back(right.state(i));
        for (std::size_t i = last - 1; i <= last; ++i)
            states[i].module = ir::rewriteModule<SumsAsDifferences>(states[i].module);
        const StepPath path(std::move(states), right.steps());
        const auto sealed = sealPath(path, {.work = 0});
        QVERIFY(sealed.has_value());
        QVERIFY(sealed->seal.outcome == Outcome::Differs);
        QCOMPARE(sealed->step, std::optional(last - 2));
        QVERIFY(sealed->describe().contains(sealed->stepText + ", breaks it"));
    }

    void stops()
    {
        std::stop_source source;
        source.request_stop();
        SealOptions options;
        options.stop = source.get_token();
        const auto answer = seal(program("matmul"), program("matmul"), options);
        QVERIFY(!answer);
        QCOMPARE(answer.error().code, std::string("cancelled"));
    }
};

QTEST_GUILESS_MAIN(SealTest)
#include "seal_test.moc"
