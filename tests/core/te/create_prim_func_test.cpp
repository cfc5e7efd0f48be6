// SPDX-License-Identifier: Apache-2.0
#include "core/te/create_prim_func.h"

#include "core/analysis/access/complete_regions.h"
#include "core/analysis/verify/verify.h"
#include "core/interp/interpreter.h"
#include "core/ir/build/builder.h"
#include "core/ir/node/equality.h"
#include "core/script/print/printer.h"
#include "core/script/tvmscript/parser.h"
#include "core/support/errors/errors.h"

#include <QtTest>

#include <cmath>

using namespace nestwright;
using te::Expr;
using te::Tensor;
using Axes = std::vector<Expr>;

namespace {

/// Whether the function of `arguments` is well-formed and is `expected` (TVMScript).
void compareWith(std::initializer_list<te::Argument> arguments, std::string_view expected)
{
    const auto made = te::createModule(std::span(arguments.begin(), arguments.size()));
    QVERIFY2(made, made ? "" : made.error().render().c_str());
    const auto parsed = script::parseTvmScript(expected, "expected.py");
    QVERIFY2(parsed, parsed ? "" : parsed.error().render().c_str());
    const auto formed = analysis::verify(*made, analysis::Level::Block);
    QVERIFY2(formed, formed ? "" : formed.error().render().c_str());
    const auto difference = ir::firstDifference(*made, analysis::completeRegions(*parsed));
    QVERIFY2(!difference, difference ? (*difference + "\n" + script::print(*made).text).c_str() : "");
}

/// The code of the error that `make` throws.
template <class F> std::string codeOf(F make)
{
    try {
        make();
    } catch (const support::UserError &error) {
        return error.diagnostic().code;
    }
    return "no error";
}

class CreatePrimFuncTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void matmulHasAnInitAndDoesNotReadItself()
    {
        te::Builder b;
        const Tensor A = b.placeholder({64, 32}, te::DataType::float32(), "A");
        const Tensor B = b.placeholder({32, 16}, te::DataType::float32(), "B");
        const te::IterVar k = te::reduceAxis(32, "k");
        const Tensor C = b.compute(
            {64, 16}, {"i", "j"},
            [&](const Axes &i) { return te::sum(A(i[0], k.var) * B(k.var, i[1]), {k}); }, "C");
        compareWith({A, B, C}, R"(
@T.prim_func
def main(A: T.Buffer((64, 32), "float32"), B: T.Buffer((32, 16), "float32"),
         C: T.Buffer((64, 16), "float32")):
    T.func_attr({"tir.noalias": T.bool(True), "global_symbol": "main"})
    for i, j, k in T.grid(64, 16, 32):
        with T.block("C"):
            v_i, v_j, v_k = T.axis.remap("SSR", [i, j, k])
            T.reads(A[v_i, v_k], B[v_k, v_j])
            T.writes(C[v_i, v_j])
            with T.init():
                C[v_i, v_j] = T.float32(0)
            C[v_i, v_j] = C[v_i, v_j] + A[v_i, v_k] * B[v_k, v_j]
)");
    }

    void intermediateTensorsAreAllocatedAtTheRoot()
    {
        te::Builder b;
        const te::Var n("n");
        const Tensor A = b.placeholder({n}, te::DataType::float32(), "A");
        const Tensor B =
            b.compute({n}, {"i"}, [&](const Axes &i) { return te::Body(A(i[0]) + Expr(1.0F)); }, "B");
        const Tensor C =
            b.compute({n}, {"i"}, [&](const Axes &i) { return te::Body(B(i[0]) * Expr(2.0F)); }, "C");
        compareWith({A, C}, R"(
@T.prim_func
def main(a: T.handle, c: T.handle):
    T.func_attr({"tir.noalias": T.bool(True), "global_symbol": "main"})
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    C = T.match_buffer(c, (n,), "float32")
    B = T.alloc_buffer((n,), "float32")
    for i in range(n):
        with T.block("B"):
            v_i = T.axis.spatial(n, i)
            T.reads(A[v_i])
            T.writes(B[v_i])
            B[v_i] = A[v_i] + T.float32(1)
    for i in range(n):
        with T.block("C"):
            v_i = T.axis.spatial(n, i)
            T.reads(B[v_i])
            T.writes(C[v_i])
            C[v_i] = B[v_i] * T.float32(2)
)");
    }

    void aScalarIsComputedByABlockOfOneInstance()
    {
        te::Builder b;
        const Tensor a = b.placeholder({}, te::DataType::float32(), "a");
        const Tensor c = b.compute({}, {}, [&](const Axes &) { return te::Body(a() + Expr(1.0F)); }, "c");
        compareWith({a, c}, R"(
@T.prim_func
def main(a: T.Buffer((), "float32"), c: T.Buffer((), "float32")):
    T.func_attr({"tir.noalias": T.bool(True), "global_symbol": "main"})
    with T.block("c"):
        vi = T.axis.spatial(1, 0)
        T.reads(a[()])
        T.writes(c[()])
        c[()] = a[()] + T.float32(1)
)");
    }

    void accessesOfOneBufferMakeOneRegion()
    {
        te::Builder b;
        const Tensor A = b.placeholder({16}, te::DataType::float32(), "A");
        const Tensor B = b.compute(
            {14}, {"i"},
            [&](const Axes &i) { return te::Body(A(i[0]) + A(i[0] + Expr(1)) + A(i[0] + Expr(2))); }, "B");
        compareWith({A, B}, R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((14,), "float32")):
    T.func_attr({"tir.noalias": T.bool(True), "global_symbol": "main"})
    for i in range(14):
        with T.block("B"):
            v_i = T.axis.spatial(14, i)
            T.reads(A[v_i:v_i + 3])
            T.writes(B[v_i])
            B[v_i] = A[v_i] + A[v_i + 1] + A[v_i + 2]
)");
    }

    /// An index that a call computes is its own region.
    void indicesThatCallsCompute()
    {
        te::Builder b;
        const Tensor A = b.placeholder({4}, te::DataType::float32(), "A");
        const Tensor B = b.compute(
            {8}, {"i"},
            [&](const Axes &i) { return te::Body(A(te::ifThenElse(ir::lt(i[0], Expr(3)), i[0], Expr(0)))); },
            "B");
        compareWith({A, B}, R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((8,), "float32")):
    T.func_attr({"tir.noalias": T.bool(True), "global_symbol": "main"})
    for i in range(8):
        with T.block("B"):
            v_i = T.axis.spatial(8, i)
            T.reads(A[T.if_then_else(v_i < 3, v_i, 0)])
            T.writes(B[v_i])
            B[v_i] = A[T.if_then_else(v_i < 3, v_i, 0)]
)");
    }

    void severalReductionsAreCombinedBeforeTheyAreStored()
    {
        te::Builder b;
        const Tensor index = b.placeholder({4, 8}, te::DataType::int32(), "index");
        const Tensor value = b.placeholder({4, 8}, te::DataType::float32(), "value");
        const te::IterVar k = te::reduceAxis(8, "k");
        const auto combine = [](const Axes &x, const Axes &y) {
            const Expr left = ir::ge(x[1], y[1]);
            return Axes{ir::select(left, x[0], y[0]), ir::select(left, x[1], y[1])};
        };
        const auto identity = [](const std::vector<te::DataType> &types) {
            return Axes{ir::intImm(-1, types[0]), ir::minValue(types[1])};
        };
        const std::vector<Tensor> T = b.computeAll(
            {4}, {"i"},
            [&](const Axes &i) {
                return te::reduce("argmax", combine, identity, {index(i[0], k.var), value(i[0], k.var)}, {k});
            },
            "T");
        QCOMPARE(T.size(), 2U);
        compareWith({index, value, T[0], T[1]}, R"(
@T.prim_func
def main(index: T.Buffer((4, 8), "int32"), value: T.Buffer((4, 8), "float32"), T_v0: T.Buffer((4,), "int32"),
         T_v1: T.Buffer((4,), "float32")):
    T.func_attr({"tir.noalias": T.bool(True), "global_symbol": "main"})
    for i, k in T.grid(4, 8):
        with T.block("T"):
            v_i, v_k = T.axis.remap("SR", [i, k])
            T.reads(value[v_i, v_k], index[v_i, v_k])
            T.writes(T_v0[v_i], T_v1[v_i])
            with T.init():
                T_v0[v_i] = -1
                T_v1[v_i] = T.min_value("float32")
            v_T_v0: T.int32 = T.Select(T_v1[v_i] >= value[v_i, v_k], T_v0[v_i], index[v_i, v_k])
            v_T_v1: T.float32 = T.Select(T_v1[v_i] >= value[v_i, v_k], T_v1[v_i], value[v_i, v_k])
            T_v0[v_i] = v_T_v0
            T_v1[v_i] = v_T_v1
)");
    }

    void severalOutputsGetABlockEachInOneNest()
    {
        te::Builder b;
        const Tensor A = b.placeholder({4}, te::DataType::float32(), "A");
        const std::vector<Tensor> B = b.computeAll(
            {4}, {"i"}, [&](const Axes &i) { return te::Body(Axes{A(i[0]) + Expr(1), A(i[0]) * Expr(2)}); },
            "B");
        compareWith({A, B[0], B[1]}, R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), B_v0: T.Buffer((4,), "float32"), B_v1: T.Buffer((4,), "float32")):
    T.func_attr({"tir.noalias": T.bool(True), "global_symbol": "main"})
    for i in range(4):
        with T.block("B_v0"):
            v_i = T.axis.spatial(4, i)
            T.reads(A[v_i])
            T.writes(B_v0[v_i])
            B_v0[v_i] = A[v_i] + T.float32(1)
        with T.block("B_v1"):
            v_i = T.axis.spatial(4, i)
            T.reads(A[v_i])
            T.writes(B_v1[v_i])
            B_v1[v_i] = A[v_i] * T.float32(2)
)");
    }

    void offsetsConditionsAndOwnInitialValuesOfReductionsAreKept()
    {
        te::Builder b;
        const Tensor A = b.placeholder({16}, te::DataType::float32(), "A");
        const te::IterVar k = te::reduceAxis(2, 4, "k");
        te::Reduction sum = te::sum(A(k.var), {k});
        sum.condition = ir::gt(A(k.var), Expr(0.0F));
        sum.init = {ir::floatImm(5)};
        const Tensor B = b.compute({1}, {"i"}, [&](const Axes &) { return te::Body(sum); }, "B");
        compareWith({A, B}, R"(
@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((1,), "float32")):
    T.func_attr({"tir.noalias": T.bool(True), "global_symbol": "main"})
    for i in range(1):
        for k in range(2, 6):
            with T.block("B"):
                v_i = T.axis.spatial(1, i)
                v_k = T.axis.reduce((2, 6), k)
                T.reads(A[v_k])
                T.writes(B[v_i])
                with T.init():
                    B[v_i] = T.float32(5)
                B[v_i] = B[v_i] + T.if_then_else(T.float32(0) < A[v_k], A[v_k], T.float32(0))
)");
    }

    /// A triangular sum: inner axes have a block of their own; the block around it initialises.
    void axesThatDependOnOthersAreNested()
    {
        te::Builder b;
        const Tensor A = b.placeholder({8, 8}, te::DataType::float32(), "A");
        const te::IterVar k = te::reduceAxis(8, "k"), l = te::reduceAxis(k.var + Expr(1), "l");
        const Tensor B = b.compute(
            {8}, {"i"}, [&](const Axes &i) { return te::sum(A(i[0], l.var) * A(k.var, l.var), {k, l}); },
            "B");
        compareWith({A, B}, R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8,), "float32")):
    T.func_attr({"tir.noalias": T.bool(True), "global_symbol": "main"})
    for i, k in T.grid(8, 8):
        with T.block("B_l1"):
            v_i, v_k = T.axis.remap("SR", [i, k])
            T.reads(A[T.min(v_i, v_k):T.min(v_i, v_k) + (T.max(v_i, v_k) + 1 - T.min(v_i, v_k)), 0:v_k + 1])
            T.writes(B[v_i])
            with T.init():
                B[v_i] = T.float32(0)
            for l in range(v_k + 1):
                with T.block("B"):
                    v_i_1 = T.axis.spatial((v_i, v_i + 1), v_i)
                    v_k_1 = T.axis.reduce((v_k, v_k + 1), v_k)
                    v_l = T.axis.reduce(v_k + 1, l)
                    T.reads(B[v_i_1],
                            A[T.min(v_i_1, v_k_1):T.min(v_i_1, v_k_1)
                              + (T.max(v_i_1, v_k_1) + 1 - T.min(v_i_1, v_k_1)), v_l])
                    T.writes(B[v_i_1])
                    B[v_i_1] = B[v_i_1] + A[v_i_1, v_l] * A[v_k_1, v_l]
)");
        const auto function = te::createPrimFunc({A, B});
        QVERIFY(function);
        auto arrays = interp::makeArguments(**function, 3);
        QVERIFY(arrays);
        ir::NdArray *const pointers[] = {&(*arrays)[0], &(*arrays)[1]};
        const auto ran = interp::run(**function, pointers);
        QVERIFY2(ran, ran ? "" : ran.error().render().c_str());
        const ir::NdArray &a = (*arrays)[0];
        for (int row = 0; row < 8; ++row) {
            double sum = 0;
            for (int k = 0; k < 8; ++k) {
                for (int l = 0; l <= k; ++l)
                    sum += a.at(row * 8 + l) * a.at(k * 8 + l);
            }
            QVERIFY(std::fabs(sum - (*arrays)[1].at(row)) < 1e-5);
        }
    }

    void scalarArgumentsAreSizes()
    {
        te::Builder b;
        const te::Var n("n");
        const Tensor A = b.placeholder({n}, te::DataType::float32(), "A");
        const Tensor B = b.compute({n}, {"i"}, [&](const Axes &i) { return te::Body(A(i[0])); }, "B");
        const auto function = te::createPrimFunc({n, A, B});
        QVERIFY(function);
        QCOMPARE((*function)->params.size(), 3U);
        QVERIFY(!(*function)->params[0].buffer && (*function)->params[0].var == n);
    }

    void blockNamesAreUnique()
    {
        te::Builder b;
        const Tensor A = b.placeholder({4}, te::DataType::float32(), "A");
        const auto addOne = [&](const Tensor &t) {
            return b.compute({4}, {"i"}, [&](const Axes &i) { return te::Body(t(i[0]) + Expr(1)); }, "A");
        };
        const Tensor C = addOne(addOne(addOne(A)));
        const auto module = te::createModule(std::vector<te::Argument>{A, C});
        QVERIFY(module);
        const std::string text = script::print(*module).text;
        for (const char *block : {"T.block(\"A\")", "T.block(\"A_1\")", "T.block(\"A_2\")"})
            QVERIFY2(text.contains(block), text.c_str());
    }

    void refusedArguments()
    {
        te::Builder b;
        const Tensor A = b.placeholder({4}, te::DataType::float32(), "A");
        const Tensor B = b.compute({4}, {"i"}, [&](const Axes &i) { return te::Body(A(i[0])); }, "B");
        QCOMPARE(te::createPrimFunc({B}).error().code, "te.missing-argument");
        QVERIFY(te::createPrimFunc({B}).error().message.contains("\"A\""));
        QCOMPARE(te::createPrimFunc({A, B, B}).error().code, "te.duplicate-argument");
        QCOMPARE(te::createPrimFunc(std::span<const te::Argument>()).error().code, "te.no-arguments");
    }

    void refusedBodies()
    {
        te::Builder b, other;
        const Tensor A = b.placeholder({4, 4}, te::DataType::float32(), "A");
        const Tensor foreign = other.placeholder({4}, te::DataType::float32(), "F");
        const auto compute = [&](const te::Builder::Function &f) {
            return codeOf([&] { b.compute({4}, {"i"}, f, "B"); });
        };
        QCOMPARE(compute([&](const Axes &i) { return te::Body(A(i[0])); }), "te.index-count");
        QCOMPARE(compute([&](const Axes &i) { return te::Body(A(i[0], Expr(1.0F))); }), "te.index-type");
        QCOMPARE(compute([&](const Axes &i) { return te::Body(A(i[0] + Expr(1), i[0])); }),
                 "te.out-of-bounds");
        QCOMPARE(compute([&](const Axes &i) { return te::Body(A(i[0], i[0] - Expr(1))); }),
                 "te.out-of-bounds");
        QCOMPARE(compute([&](const Axes &i) { return te::Body(foreign(i[0])); }), "te.unknown-tensor");
        QCOMPARE(compute([&](const Axes &i) { return te::Body(Axes{A(i[0], i[0]), A(i[0], i[0])}); }),
                 "te.output-count");
        QCOMPARE(compute([&](const Axes &i) { return te::sum(A(i[0], i[0]), {}); }), "te.not-reduce-axis");
        QCOMPARE(codeOf([&] { b.placeholder({-1}); }), "te.bad-shape");
        QCOMPARE(codeOf([&] { te::math("exp", ir::intImm(1)); }), "te.float-needed");
        QCOMPARE(codeOf([&] { te::ifThenElse(ir::intImm(1), Expr(1), Expr(2)); }), "te.condition-type");
    }

    void boundsAreCheckedOnlyWhereTheyAreCertain()
    {
        te::Builder b;
        const Tensor A = b.placeholder({4}, te::DataType::float32(), "A");
        const Tensor I = b.placeholder({4}, te::DataType::int32(), "I");
        const auto compute = [&](const te::Builder::Function &f) {
            return codeOf([&] { b.compute({4}, {"i"}, f, "B"); });
        };
        // Guarded, reversed, wrapped around, taken from memory, cancelling out.
        QCOMPARE(compute([&](const Axes &i) {
                     return te::Body(te::ifThenElse(ir::ge(i[0], Expr(1)), A(i[0] - Expr(1)), Expr(0.0F)));
                 }),
                 "no error");
        QCOMPARE(compute([&](const Axes &i) { return te::Body(A(Expr(3) - i[0])); }), "no error");
        QCOMPARE(compute([&](const Axes &i) { return te::Body(A(ir::floorMod(i[0] + Expr(2), Expr(4)))); }),
                 "no error");
        QCOMPARE(compute([&](const Axes &i) { return te::Body(A(I(i[0]))); }), "no error");
        QCOMPARE(compute([&](const Axes &i) { return te::Body(A(i[0] + Expr(7) - i[0] - Expr(5))); }),
                 "no error");
    }
};

} // namespace

QTEST_GUILESS_MAIN(CreatePrimFuncTest)
#include "create_prim_func_test.moc"
