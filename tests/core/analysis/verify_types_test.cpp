// SPDX-License-Identifier: Apache-2.0
// The rules of single nodes, each with nodes that keep it and nodes that break it.
#include "core/analysis/verify/verify_types.h"
#include "core/ir/build/builder.h"

#include <QtTest>

using namespace nestwright;
using ir::BinaryOp;
using ir::DataType;
using ir::Expr;
using ir::Stmt;
using ir::Var;

namespace {

template <class Node> std::string codeOf(const Node &node)
{
    const auto fault = analysis::typeFault(node);
    return fault ? fault->code : "";
}

/// `node` as an expression of another type.
template <class Node> Expr ofType(DataType dtype, Node node)
{
    node.dtype = dtype;
    return ir::make(std::move(node));
}

constexpr const char *type = "verify.type", *missing = "verify.missing", *rank = "verify.rank",
                     *wrongCall = "verify.call";

const DataType i32 = DataType::int32(), i64 = DataType::int64(), f32 = DataType::float32(),
               truth = DataType::boolean();
const Expr one = ir::intImm(1), longOne = ir::intImm(1, i64), half = ir::floatImm(0.5),
           yes = ir::boolImm(true), nothing;
const Expr ramp4 = ir::ramp(one, one, 4);
const Stmt nop = ir::evaluate(one);

ir::Range range(const Expr &min, const Expr &extent) { return {min, extent}; }

} // namespace

class VerifyTypesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void constants()
    {
        const auto integer = [](DataType dtype) { return codeOf(ofType(dtype, ir::IntImm{})); };
        const auto floating = [](DataType dtype) { return codeOf(ofType(dtype, ir::FloatImm{})); };
        QCOMPARE(integer(i64), "");
        QCOMPARE(integer(truth), "");
        QCOMPARE(integer(f32), type);
        QCOMPARE(integer(i32.withLanes(4)), type);
        QCOMPARE(floating(f32), "");
        QCOMPARE(floating(i32), type);
        QCOMPARE(floating(f32.withLanes(4)), type);
    }

    void casts()
    {
        const auto castTo = [](DataType dtype, const Expr &value) {
            ir::Cast node;
            node.value = value;
            return codeOf(ofType(dtype, node));
        };
        QCOMPARE(castTo(f32, one), "");
        QCOMPARE(castTo(f32.withLanes(4), ramp4), "");
        QCOMPARE(castTo(f32, ramp4), type);
        QCOMPARE(castTo(f32.withLanes(4), one), type);
        QCOMPARE(castTo(f32, Var("p", DataType::handle())), type);
        QCOMPARE(castTo(f32, nothing), missing);
    }

    void operators()
    {
        const auto binary = [](BinaryOp op, const Expr &a, const Expr &b, DataType dtype) {
            ir::Binary node;
            node.op = op;
            node.a = a;
            node.b = b;
            return codeOf(ofType(dtype, node));
        };
        QCOMPARE(binary(BinaryOp::Add, one, one, i32), "");
        QCOMPARE(binary(BinaryOp::Add, one, longOne, i32), type);
        QCOMPARE(binary(BinaryOp::Add, one, one, i64), type);
        QCOMPARE(binary(BinaryOp::Add, one, nothing, i32), missing);
        QCOMPARE(binary(BinaryOp::Add, nothing, one, i32), missing);
        QCOMPARE(binary(BinaryOp::LT, one, one, truth), "");
        QCOMPARE(binary(BinaryOp::LT, one, one, i32), type);
        QCOMPARE(binary(BinaryOp::LT, ramp4, ramp4, truth.withLanes(4)), "");
        QCOMPARE(binary(BinaryOp::LT, ramp4, ramp4, truth), type);
        for (const BinaryOp op : {BinaryOp::And, BinaryOp::Or}) {
            QCOMPARE(binary(op, yes, yes, truth), "");
            QCOMPARE(binary(op, yes, yes, i32), type);
            QCOMPARE(binary(op, one, one, truth), type);
            QCOMPARE(binary(op, one, one, i32), type);
        }
        const auto negated = [](const Expr &a) {
            ir::Not node;
            node.a = a;
            return codeOf(ofType(truth, node));
        };
        QCOMPARE(negated(yes), "");
        QCOMPARE(negated(one), type);
        QCOMPARE(negated(nothing), missing);
    }

    void choices()
    {
        const auto select = [](const Expr &condition, const Expr &a, const Expr &b, DataType dtype) {
            ir::Select node;
            node.condition = condition;
            node.trueValue = a;
            node.falseValue = b;
            return codeOf(ofType(dtype, node));
        };
        QCOMPARE(select(yes, one, one, i32), "");
        QCOMPARE(select(one, one, one, i32), type);
        QCOMPARE(select(yes, one, half, i32), type);
        QCOMPARE(select(yes, one, one, f32), type);
        QCOMPARE(select(nothing, one, one, i32), missing);
        QCOMPARE(select(yes, nothing, one, i32), missing);
        QCOMPARE(select(yes, one, nothing, i32), missing);
        const auto chosen = [](const Expr &condition, const Expr &a, const Expr &b, DataType dtype) {
            return codeOf(ir::call(dtype, "if_then_else", {condition, a, b}));
        };
        QCOMPARE(chosen(yes, one, one, i32), "");
        QCOMPARE(chosen(one, one, one, i32), type);
        QCOMPARE(chosen(yes, one, half, i32), type);
        QCOMPARE(chosen(yes, one, one, f32), type);
    }

    void lets()
    {
        const auto let = [](const Expr &value, const Expr &body) {
            ir::Let node;
            node.var = Var("x", i32);
            node.value = value;
            node.body = body;
            return codeOf(ofType(i32, node));
        };
        QCOMPARE(let(one, one), "");
        QCOMPARE(let(longOne, one), type);
        QCOMPARE(let(nothing, one), missing);
        QCOMPARE(let(one, nothing), missing);
        const auto letStmt = [](const Expr &value, const Stmt &body) {
            ir::LetStmt node;
            node.var = Var("x", i32);
            node.value = value;
            node.body = body;
            return codeOf(ir::make(std::move(node)));
        };
        QCOMPARE(letStmt(one, nop), "");
        QCOMPARE(letStmt(longOne, nop), type);
        QCOMPARE(letStmt(nothing, nop), missing);
        QCOMPARE(letStmt(one, {}), missing);
    }

    void accesses()
    {
        const ir::Buffer a("A", {4, 4});
        const auto load = [](const ir::Buffer &buffer, std::vector<Expr> indices, DataType dtype,
                             const Expr &mask = {}) {
            ir::BufferLoad node;
            node.buffer = buffer;
            node.indices = std::move(indices);
            node.predicate = mask;
            return codeOf(ofType(dtype, node));
        };
        QCOMPARE(load(a, {one, one}, f32), "");
        QCOMPARE(load(a, {one, ramp4}, f32.withLanes(4)), "");
        QCOMPARE(load(a, {one, ramp4}, f32), type);
        QCOMPARE(load(a, {ramp4, one}, f32), type);
        QCOMPARE(load(a, {one, half}, f32), type);
        QCOMPARE(load(a, {one, yes}, f32), type);
        QCOMPARE(load(a, {one, nothing}, f32), missing);
        QCOMPARE(load(a, {one}, f32), rank);
        QCOMPARE(load(a, {one, one, one}, f32), rank);
        QCOMPARE(load({}, {one, one}, f32), missing);
        QCOMPARE(load(a, {one, one}, f32, yes), "");
        QCOMPARE(load(a, {one, one}, f32, one), type);
        const auto store = [](const ir::Buffer &buffer, const Expr &value, std::vector<Expr> indices,
                              const Expr &mask = {}) {
            ir::BufferStore node;
            node.buffer = buffer;
            node.value = value;
            node.indices = std::move(indices);
            node.predicate = mask;
            return codeOf(ir::make(std::move(node)));
        };
        QCOMPARE(store(a, half, {one, one}), "");
        QCOMPARE(store(a, one, {one, one}), type);
        QCOMPARE(store(a, half, {one}), rank);
        QCOMPARE(store(a, nothing, {one, one}), missing);
        QCOMPARE(store({}, half, {one, one}), missing);
        QCOMPARE(store(a, half, {one, one}, yes), "");
        QCOMPARE(store(a, half, {one, one}, one), type);
    }

    void vectors()
    {
        const auto ramp = [](const Expr &base, const Expr &stride, int lanes, DataType dtype) {
            ir::Ramp node;
            node.base = base;
            node.stride = stride;
            node.lanes = lanes;
            return codeOf(ofType(dtype, node));
        };
        QCOMPARE(ramp(one, one, 2, i32.withLanes(2)), "");
        QCOMPARE(ramp(one, one, 1, i32), type);
        QCOMPARE(ramp(one, one, 4, i32.withLanes(8)), type);
        QCOMPARE(ramp(one, longOne, 4, i32.withLanes(4)), type);
        QCOMPARE(ramp(half, half, 4, f32.withLanes(4)), type);
        QCOMPARE(ramp(nothing, one, 4, i32.withLanes(4)), missing);
        QCOMPARE(ramp(one, nothing, 4, i32.withLanes(4)), missing);
        const auto broadcast = [](const Expr &value, int lanes, DataType dtype) {
            ir::Broadcast node;
            node.value = value;
            node.lanes = lanes;
            return codeOf(ofType(dtype, node));
        };
        QCOMPARE(broadcast(half, 2, f32.withLanes(2)), "");
        QCOMPARE(broadcast(half, 1, f32), type);
        QCOMPARE(broadcast(half, 2, i32.withLanes(2)), type);
        QCOMPARE(broadcast(nothing, 2, f32.withLanes(2)), missing);
    }

    void calls()
    {
        QCOMPARE(codeOf(ir::call(f32, "exp", {half})), "");
        QCOMPARE(codeOf(ir::call(f32, "exp", {})), wrongCall);
        QCOMPARE(codeOf(ir::call(f32, "exp", {half, half})), wrongCall);
        QCOMPARE(codeOf(ir::call(f32, "exp", {nothing})), missing);
        QCOMPARE(codeOf(ir::call(DataType::float_(64), "exp", {half})), type);
        QCOMPARE(codeOf(ir::call(f32, "no_such", {half})), wrongCall);
        QCOMPARE(codeOf(ir::call(i32, "vscale", {})), "");
        QCOMPARE(codeOf(ir::call(i32, "vscale", {one})), wrongCall);
        const Expr name = ir::stringImm("f");
        QCOMPARE(codeOf(ir::call(f32, "call_extern", {name, half, half, half, half})), ""); // any number
    }

    void loops()
    {
        const auto loop = [](const std::function<void(ir::For &)> &change) {
            ir::For node;
            node.var = Var("i", i32);
            node.min = ir::intImm(0);
            node.extent = ir::intImm(4);
            node.body = nop;
            change(node);
            return codeOf(ir::make(std::move(node)));
        };
        QCOMPARE(loop([](ir::For &) {}), "");
        QCOMPARE(loop([](ir::For &f) { f.body = {}; }), missing);
        QCOMPARE(loop([](ir::For &f) { f.extent = {}; }), missing);
        QCOMPARE(loop([](ir::For &f) { f.min = {}; }), missing);
        QCOMPARE(loop([](ir::For &f) { f.extent = longOne; }), type);
        QCOMPARE(loop([](ir::For &f) { f.min = longOne; }), type);
        QCOMPARE(loop([](ir::For &f) { f.thread = "threadIdx.x"; }), type);
        QCOMPARE(loop([](ir::For &f) { f.forKind = ir::ForKind::ThreadBinding; }), type);
        QCOMPARE(loop([](ir::For &f) {
                     f.forKind = ir::ForKind::ThreadBinding;
                     f.thread = "threadIdx.x";
                 }),
                 "");
    }

    void blocks()
    {
        const ir::Buffer a("A", {4});
        const auto block = [&](const std::function<void(ir::Block &)> &change) {
            ir::Block node;
            node.name = "b";
            node.iterVars = {{range(ir::intImm(0), ir::intImm(4)), Var("v", i32), ir::IterKind::Spatial}};
            node.iterValues = {one};
            node.predicate = yes;
            node.reads = {{a, {range(one, one)}}};
            node.writes = {{a, {range(one, one)}}};
            node.matchBuffers.push_back({{a, {range(one, one)}}, ir::Buffer("M", {1})});
            node.body = nop;
            change(node);
            return codeOf(ir::make(std::move(node)));
        };
        QCOMPARE(block([](ir::Block &) {}), "");
        QCOMPARE(block([](ir::Block &b) { b.body = {}; }), missing);
        QCOMPARE(block([](ir::Block &b) { b.predicate = {}; }), missing);
        QCOMPARE(block([](ir::Block &b) { b.predicate = one; }), type);
        QCOMPARE(block([](ir::Block &b) { b.iterValues.push_back(one); }), rank);
        QCOMPARE(block([](ir::Block &b) { b.iterValues[0] = {}; }), missing);
        QCOMPARE(block([](ir::Block &b) { b.iterValues[0] = longOne; }), type);
        QCOMPARE(block([](ir::Block &b) { b.iterVars[0].domain.min = half; }), type);
        QCOMPARE(block([](ir::Block &b) { b.iterVars[0].domain.extent = longOne; }), type);
        for (auto regions : {&ir::Block::reads, &ir::Block::writes}) {
            QCOMPARE(block([&](ir::Block &b) { (b.*regions)[0].region.clear(); }), rank);
            QCOMPARE(block([&](ir::Block &b) { (b.*regions)[0].region[0].min = half; }), type);
            QCOMPARE(block([&](ir::Block &b) { (b.*regions)[0].buffer = {}; }), missing);
        }
        QCOMPARE(block([](ir::Block &b) { b.matchBuffers[0].source.region.clear(); }), rank);
    }

    void otherStatements()
    {
        const auto code = [](auto node, const std::function<void(decltype(node) &)> &fill) {
            fill(node);
            return codeOf(ir::make(std::move(node)));
        };
        QCOMPARE(codeOf(nop), "");
        QCOMPARE(code(ir::Evaluate{}, [](auto &) {}), missing);
        QCOMPARE(code(ir::Seq{}, [](auto &s) { s.stmts = {nop, nop}; }), "");
        QCOMPARE(code(ir::Seq{}, [](auto &s) { s.stmts = {nop, Stmt()}; }), missing);
        const auto branch = [&](const Expr &condition, const Stmt &body) {
            return code(ir::IfThenElse{}, [&](auto &s) {
                s.condition = condition;
                s.thenCase = body;
            });
        };
        QCOMPARE(branch(yes, nop), "");
        QCOMPARE(branch(one, nop), type);
        QCOMPARE(branch(yes, {}), missing);
        const auto repeat = [&](const Expr &condition, const Stmt &body) {
            return code(ir::While{}, [&](auto &s) {
                s.condition = condition;
                s.body = body;
            });
        };
        QCOMPARE(repeat(yes, nop), "");
        QCOMPARE(repeat(one, nop), type);
        QCOMPARE(repeat(yes, {}), missing);
        const auto claim = [&](const Expr &condition, const Stmt &body) {
            return code(ir::AssertStmt{}, [&](auto &s) {
                s.condition = condition;
                s.body = body;
            });
        };
        QCOMPARE(claim(yes, nop), "");
        QCOMPARE(claim(one, nop), type);
        QCOMPARE(claim(yes, {}), missing);
        const auto allocation = [&](const Expr &extent, const Stmt &body) {
            return code(ir::Allocate{}, [&](auto &s) {
                s.data = Var("p", DataType::handle());
                s.extents = {extent};
                s.body = body;
            });
        };
        QCOMPARE(allocation(one, nop), "");
        QCOMPARE(allocation(half, nop), type);
        QCOMPARE(allocation(one, {}), missing);
        QCOMPARE(code(ir::AttrStmt{}, [](auto &) {}), missing);
        QCOMPARE(code(ir::AttrStmt{}, [](auto &s) { s.body = nop; }), "");
        QCOMPARE(code(ir::DeclBuffer{}, [](auto &) {}), missing);
        QCOMPARE(code(ir::DeclBuffer{}, [](auto &s) { s.body = nop; }), "");
    }
};

QTEST_GUILESS_MAIN(VerifyTypesTest)
#include "verify_types_test.moc"
