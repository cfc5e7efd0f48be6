// SPDX-License-Identifier: Apache-2.0
// Functions of blocks: iteration, init, predicates, allocated and matched buffers, symbolic sizes.
#include "core/interp/interpreter.h"
#include "core/ir/build/builder.h"
#include "tests/support/check.h"

#include <QtTest>

using namespace nestwright;
using ir::Buffer;
using ir::Expr;
using ir::Stmt;
using ir::Var;

namespace {

ir::IterVar iter(const char *name, const Expr &extent, ir::IterKind kind = ir::IterKind::Spatial)
{
    return {
        .domain = {ir::intImm(0, extent.dtype()), extent}, .var = Var(name, extent.dtype()), .kind = kind};
}

ir::PrimFunc function(const std::vector<Buffer> &params, Stmt body, std::vector<Buffer> allocated = {})
{
    ir::PrimFunc result;
    for (const Buffer &buffer : params)
        result.params.push_back({Var(buffer.name(), ir::DataType::handle()), buffer});
    ir::Block root;
    root.name = "root";
    root.predicate = ir::boolImm(true);
    root.allocBuffers = std::move(allocated);
    root.body = std::move(body);
    result.body = make(std::move(root));
    return result;
}

/// C = A @ B with a guarded, non-divisible split of k.
ir::PrimFunc matmul(int m, int n, int k, int splitBy = 0)
{
    const Buffer a("A", {m, k}), b("B", {k, n}), c("C", {m, n});
    ir::Block block;
    block.name = "C";
    block.iterVars = {iter("vi", m), iter("vj", n), iter("vk", k, ir::IterKind::Reduce)};
    const Expr vi = block.iterVars[0].var, vj = block.iterVars[1].var, vk = block.iterVars[2].var;
    block.predicate = ir::boolImm(true);
    block.init = store(c, ir::floatImm(0), {vi, vj});
    block.body = store(c, load(c, {vi, vj}) + load(a, {vi, vk}) * load(b, {vk, vj}), {vi, vj});
    const Var i("i"), j("j"), ko("k_0"), ki("k_1");
    if (splitBy == 0) {
        block.iterValues = {i, j, ko};
        return function({a, b, c}, serialFor(i, m, serialFor(j, n, serialFor(ko, k, make(block)))));
    }
    const Expr value = ko * splitBy + ki;
    block.iterValues = {i, j, value};
    block.predicate = lt(value, k);
    const Stmt inner = serialFor(ki, splitBy, make(block));
    return function({a, b, c},
                    serialFor(i, m, serialFor(j, n, serialFor(ko, (k + splitBy - 1) / splitBy, inner))));
}

std::vector<ir::NdArray> runWith(const ir::PrimFunc &f, std::uint64_t seed = 3,
                                 const interp::Sizes &sizes = {})
{
    auto arrays = interp::makeArguments(f, seed, sizes);
    if (!arrays)
        qFatal("%s", arrays.error().render().c_str());
    std::vector<ir::NdArray *> pointers;
    for (ir::NdArray &array : *arrays)
        pointers.push_back(&array);
    if (const auto done = interp::run(f, pointers); !done)
        qFatal("%s", done.error().render().c_str());
    return std::move(*arrays);
}

/// The Diagnostic of a run that must fail.
support::Diagnostic failureOf(const ir::PrimFunc &f, const interp::Limits &limits = {})
{
    auto arrays = interp::makeArguments(f, 1);
    std::vector<ir::NdArray *> pointers;
    for (ir::NdArray &array : *arrays)
        pointers.push_back(&array);
    const auto done = interp::run(f, pointers, {}, limits);
    return done ? support::Diagnostic{} : done.error();
}

} // namespace

class BlockTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void multipliesMatrices()
    {
        constexpr int m = 5, n = 6, k = 7;
        const auto arrays = runWith(matmul(m, n, k));
        for (int i = 0; i < m; ++i) {
            for (int j = 0; j < n; ++j) {
                float sum = 0;
                for (int x = 0; x < k; ++x)
                    sum += arrays[0].data<float>()[i * k + x] * arrays[1].data<float>()[x * n + j];
                QCOMPARE(arrays[2].data<float>()[i * n + j], sum);
            }
        }
    }

    void predicateKeepsOutWhatTheSplitAdds()
    {
        QCOMPARE(tests::whyNotEquivalent(matmul(4, 4, 10), matmul(4, 4, 10, 4), {.exactFloats = true}),
                 std::nullopt);
    }

    void differenceIsFound()
    {
        const auto why = tests::whyNotEquivalent(matmul(4, 4, 10), matmul(4, 4, 10, 4), {.seed = 2});
        QCOMPARE(why, std::nullopt);
        const Buffer a("A", {4, 10}), b("B", {10, 4}), c("C", {4, 4});
        const Var i("i");
        const ir::PrimFunc other = function({a, b, c}, serialFor(i, 4, store(c, ir::floatImm(0), {i, i})));
        const auto difference = tests::whyNotEquivalent(matmul(4, 4, 10), other);
        QVERIFY(difference);
        QVERIFY2(difference->starts_with("'C' differs"), difference->c_str());
    }

    void missingPredicateIsReported()
    {
        ir::PrimFunc f = matmul(4, 4, 10, 4);
        const auto dropPredicate = [](auto &&self, const Stmt &s) -> Stmt {
            if (const auto *loop = s.as<ir::For>()) {
                ir::For copy = *loop;
                copy.body = self(self, loop->body);
                return make(std::move(copy));
            }
            ir::Block copy = *s.as<ir::Block>();
            if (copy.name == "root")
                copy.body = self(self, copy.body);
            copy.predicate = ir::boolImm(true);
            return make(std::move(copy));
        };
        f.body = dropPredicate(dropPredicate, f.body);
        const support::Diagnostic diagnostic = failureOf(f);
        QCOMPARE(diagnostic.code, "interp.out-of-domain");
        QCOMPARE(diagnostic.message, "block 'C' runs with 'vk' = 10, outside its domain from 0 to 9");
    }

    void outOfBoundsNamesTheElement()
    {
        const Buffer a("A", {4}), b("B", {4});
        const Var i("i");
        const support::Diagnostic diagnostic =
            failureOf(function({a, b}, serialFor(i, 4, store(b, load(a, {i + 1}), {i}), ir::StmtId{7})));
        QCOMPARE(diagnostic.code, "interp.out-of-bounds");
        QCOMPARE(diagnostic.message, "block 'root' reads 'A[4]', but dimension 0 of 'A' has the extent 4");
        const support::Diagnostic write =
            failureOf(function({a, b}, serialFor(i, 4, store(b, load(a, {i}), {i - 1}))));
        QCOMPARE(write.message, "block 'root' writes 'B[-1]', but dimension 0 of 'B' has the extent 4");
    }

    void ifThenElseGuardsButSelectDoesNot()
    {
        const Buffer a("A", {4}), b("B", {4});
        const Var i("i");
        const Expr inside = ge(i - 1, 0);
        const Expr guarded =
            ir::call(ir::DataType::float32(), "if_then_else", {inside, load(a, {i - 1}), ir::floatImm(0)});
        const auto arrays = runWith(function({a, b}, serialFor(i, 4, store(b, guarded, {i}))));
        QCOMPARE(arrays[1].at(0), 0.0);
        QCOMPARE(arrays[1].at(3), arrays[0].at(2));
        const Expr selected = select(inside, load(a, {i - 1}), ir::floatImm(0));
        QCOMPARE(failureOf(function({a, b}, serialFor(i, 4, store(b, selected, {i})))).code,
                 "interp.out-of-bounds");
    }

    void divisionByZero()
    {
        const Buffer a("A", {4}, ir::DataType::int32());
        const Var i("i");
        const auto diagnostic =
            failureOf(function({a}, serialFor(i, 4, store(a, floorDiv(Expr(7), i), {i}))));
        QCOMPARE(diagnostic.code, "interp.division-by-zero");
        QCOMPARE(diagnostic.message, "block 'root' divides 7 by zero");
    }

    void limitsHold()
    {
        ir::While endless;
        endless.condition = ir::boolImm(true);
        const Buffer a("A", {1});
        endless.body = store(a, ir::floatImm(1), {0});
        const ir::PrimFunc f = function({a}, make(endless));
        QCOMPARE(failureOf(f, {.steps = 1000, .stop = {}}).code, "interp.step-limit");
        std::stop_source source;
        source.request_stop();
        QCOMPARE(failureOf(f, {.stop = source.get_token()}).code, "interp.stopped");

        const Buffer huge("H", {Expr(std::int64_t{1} << 40)});
        const ir::PrimFunc big = function({a}, store(a, load(huge, {0}), {0}), {huge});
        const auto diagnostic = failureOf(big);
        QCOMPARE(diagnostic.code, "interp.memory-limit");
        QVERIFY(diagnostic.message.starts_with("the buffer 'H' needs 4398046511104 bytes"));
        QCOMPARE(interp::makeArguments(function({huge}, ir::evaluate(0)), 1).error().code,
                 "interp.memory-limit");
    }

    void exactlyTheStepsOfTheProgramAreCounted()
    {
        const Buffer a("A", {10});
        const Var i("i");
        const ir::PrimFunc f = function({a}, serialFor(i, 10, store(a, ir::floatImm(1), {i})));
        QCOMPARE(failureOf(f, {.steps = 21, .stop = {}}).code,
                 ""); // the root block, 10 iterations, 10 stores
        QCOMPARE(failureOf(f, {.steps = 20, .stop = {}}).code, "interp.step-limit");
    }

    void hugeIndicesWrapInsteadOfOverflowing()
    {
        const Buffer a("A", {4});
        const Var i("i", ir::DataType::int64());
        const Expr huge = ir::intImm(std::numeric_limits<std::int64_t>::max(), ir::DataType::int64());
        const Stmt body = store(a, load(a, {i * huge + huge}), {0});
        const ir::PrimFunc f = function({a}, serialFor(i, ir::intImm(4, ir::DataType::int64()), body));
        QCOMPARE(failureOf(f).code, "interp.out-of-bounds");
    }

    void allocatedMemoryIsPoisoned()
    {
        const Buffer a("A", {2}), t("T", {2});
        const Var i("i");
        const auto arrays = runWith(function({a}, serialFor(i, 2, store(a, load(t, {i}), {i})), {t}));
        QVERIFY(std::isnan(arrays[0].at(0)));
    }

    void symbolicSizesFollowFromTheArrays()
    {
        const Var n("n");
        const Buffer a("A", {n}), b("B", {n * 2});
        const Var i("i");
        const ir::PrimFunc f =
            function({a, b}, serialFor(i, n * 2, store(b, load(a, {floorDiv(i, Expr(2))}), {i})));
        const auto arrays = runWith(f, 1, {{"n", 5}});
        QCOMPARE(arrays[1].shape(), (std::vector<std::int64_t>{10}));
        QCOMPARE(arrays[1].at(9), arrays[0].at(4));

        ir::NdArray five(ir::DataType::float32(), {5}), eleven(ir::DataType::float32(), {11});
        const std::array<ir::NdArray *, 2> wrong{&five, &eleven};
        const auto refused = interp::run(f, wrong);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, "interp.argument");
        QCOMPARE(refused.error().message,
                 "the buffer 'B' has the shape (10), but the array given for it the shape (11)");
    }

    void scalarParameters()
    {
        const Buffer a("A", {2});
        ir::PrimFunc f = function({a}, store(a, cast(ir::DataType::float32(), Var("unused")), {0}));
        const Var whole("whole"), real("real", ir::DataType::float32());
        f.params.push_back({whole, {}});
        f.params.push_back({real, {}});
        ir::Block root = *f.root();
        root.body = ir::seq({store(a, cast(ir::DataType::float32(), whole), {0}), store(a, real, {1})});
        f.body = make(root);
        ir::NdArray array(ir::DataType::float32(), {2});
        const std::array<ir::NdArray *, 1> buffers{&array};
        const std::array<std::int64_t, 2> scalars{42, std::bit_cast<std::int64_t>(0.5)};
        QVERIFY(interp::run(f, buffers, scalars));
        QCOMPARE(array.at(0), 42.0);
        QCOMPARE(array.at(1), 0.5);
        QCOMPARE(interp::run(f, buffers).error().message, "the function takes 2 scalars, but 0 were given");
    }

    void matchedBuffersAreViews()
    {
        // B = A[i, 4:8] * 2 through views with symbolic strides and offset.
        const Buffer a("A", {4, 8}), b("B", {4, 4});
        const Var i("i");
        ir::Block block;
        block.name = "copy";
        block.predicate = ir::boolImm(true);
        block.iterVars = {iter("vi", 4)};
        block.iterValues = {i};
        const Expr vi = block.iterVars[0].var;
        const Var stride("s"), offset("o");
        ir::BufferNode view = *Buffer("V", {4}).get();
        view.strides = {stride};
        view.elemOffset = offset;
        const Buffer from(view), to("W", {4});
        block.matchBuffers = {{.source = {a, {{vi, 1}, {4, 4}}}, .buffer = from},
                              {.source = {b, {{vi, 1}, {0, 4}}}, .buffer = to}};
        const Var j("j");
        const Expr value = load(from, {j}) * ir::floatImm(2) + cast(ir::DataType::float32(), offset + stride);
        block.body = serialFor(j, 4, store(to, value, {j}));
        const auto arrays = runWith(function({a, b}, serialFor(i, 4, make(block))));
        for (int row = 0; row < 4; ++row) {
            for (int column = 0; column < 4; ++column) {
                const float expected =
                    arrays[0].data<float>()[row * 8 + 4 + column] * 2 + static_cast<float>(row * 8 + 4 + 1);
                QCOMPARE(arrays[1].data<float>()[row * 4 + column], expected);
            }
        }
    }

    void unknownExternStopsTheRun()
    {
        const Buffer a("A", {1});
        const Expr known =
            ir::call(ir::DataType::float32(), "call_pure_extern", {ir::stringImm("fabsf"), ir::floatImm(-2)});
        QCOMPARE(runWith(function({a}, store(a, known, {0})))[0].at(0), 2.0);
        const Expr call =
            ir::call(ir::DataType::float32(), "call_extern", {ir::stringImm("mystery"), ir::floatImm(1)});
        const auto diagnostic = failureOf(function({a}, store(a, call, {0})));
        QCOMPARE(diagnostic.code, "interp.unknown-extern");
        QVERIFY(diagnostic.message.contains("'mystery'"));
    }

    void undefinedNamesAreReported()
    {
        const Buffer a("A", {1}), b("B", {1});
        QCOMPARE(failureOf(function({a}, store(a, load(b, {0}), {0}))).code, "interp.undefined");
        QCOMPARE(failureOf(function({a}, store(a, cast(ir::DataType::float32(), Var("x")), {0}))).code,
                 "interp.undefined");
    }
};

QTEST_GUILESS_MAIN(BlockTest)
#include "block_test.moc"
