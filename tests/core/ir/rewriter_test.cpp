// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/rewriter.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;
using ir::Buffer;
using ir::DataType;
using ir::Expr;
using ir::Stmt;
using ir::Var;

namespace {

class Identity : public ir::Rewriter {};

/// Every constant 128 becomes 64.
class Halver : public ir::Rewriter {
public:
    Expr expr(const Expr &e) override { return ir::isConstInt(e, 128) ? Expr(64) : children(e); }
};

class Renamer : public ir::Rewriter {
public:
    Buffer from, to;
    Buffer buffer(const Buffer &b) override { return b == from ? to : b; }
};

const ir::Block *firstBlock(const Stmt &root, std::string_view name)
{
    const ir::Block *found = nullptr;
    ir::forEachStmt(root, [&](const Stmt &s) {
        const auto *block = s.as<ir::Block>();
        if (block && block->name == name)
            found = block;
        return !found;
    });
    return found;
}

} // namespace

class RewriterTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingChangedIsTheSamePointer()
    {
        for (const tests::Program &program : tests::programs()) {
            const ir::Module module = tests::program(program.name);
            QVERIFY(ir::rewriteModule<Identity>(module).same(module));
        }
    }

    void onlyThePathIsNew()
    {
        const ir::Module module = tests::program("mm_relu");
        const ir::Module changed = ir::rewriteModule<Halver>(module);
        const ir::Block *before = firstBlock(module.find("main")->body, "C");
        const ir::Block *after = firstBlock(changed.find("main")->body, "C");
        QVERIFY(before != after);                                                  // its domains changed …
        QVERIFY(before->init.same(after->init) && before->body.same(after->body)); // … its statements did not
        QCOMPARE(after->id, before->id);
        QVERIFY(!ir::structurallyEqual(module, changed));
        int left = 0;
        ir::forEachExpr(changed.find("main")->body, [&](const Expr &e) {
            left += ir::isConstInt(e, 128) ? 1 : 0;
            return true;
        });
        QCOMPARE(left, 0);
    }

    void buffersInEveryPlace()
    {
        const ir::Module module = tests::program("elementwise");
        Renamer renamer;
        renamer.from = module.find("main")->root()->allocBuffers.front();
        renamer.to = Buffer("other", {128, 128}, DataType::float_(16));
        const ir::Function changed = renamer.function(module.find("main"));
        QVERIFY(ir::uses(module.find("main")->body, renamer.from));
        QVERIFY(!ir::uses(changed->body, renamer.from));
        QVERIFY(ir::uses(changed->body, renamer.to));
        QVERIFY(changed->root()->allocBuffers.front() == renamer.to);
        const ir::Block *block = firstBlock(changed->body, "B");
        QVERIFY(block->writes.front().buffer == renamer.to);
        QVERIFY(block->body.as<ir::BufferStore>()->buffer == renamer.to);
        const auto *sum = firstBlock(changed->body, "C")->body.as<ir::BufferStore>()->value.as<ir::Binary>();
        QCOMPARE(sum->a.dtype(), DataType::float_(16)); // a load follows its buffer
    }

    void substitution()
    {
        const Var i("i"), j("j"), k("k");
        QVERIFY(
            ir::structurallyEqual(ir::substitute(i * 4 + j, {{i, k + 1}, {j, Expr(7)}}), (k + 1) * 4 + 7));
        const Expr untouched = i + j;
        QVERIFY(ir::substitute(untouched, {{k, Expr(1)}}).same(untouched));
        QVERIFY(ir::substitute(untouched, {}).same(untouched));
        // Simultaneous: inserted expressions are not looked at again.
        QVERIFY(ir::structurallyEqual(ir::substitute(untouched, {{i, j}, {j, i}}), j + i));
        const ir::Range range = ir::substitute(ir::Range{i, j}, {{i, Expr(3)}});
        QVERIFY(ir::isConstInt(range.min, 3) && range.extent.same(j));
        const Buffer a("A", {16});
        const Stmt store = ir::store(a, ir::cast(DataType::float32(), i), {i});
        const Stmt changed = ir::substitute(store, {{i, Expr(2)}});
        QVERIFY(ir::isConstInt(changed.as<ir::BufferStore>()->indices[0], 2));
        const Buffer b("B", {16});
        const Stmt moved = ir::substituteBuffers(store, {{a, b}});
        QVERIFY(moved.as<ir::BufferStore>()->buffer == b);
        const Expr load = ir::substituteBuffers(ir::load(a, {i}), {{a, b}});
        QVERIFY(load.as<ir::BufferLoad>()->buffer == b);
    }

    void freshVariables()
    {
        for (const tests::Program &program : tests::programs()) {
            const ir::Function function = tests::program(program.name).find("main");
            const Stmt copy = ir::withFreshVariables(function->body);
            ir::PrimFunc both = *function;
            both.body = copy;
            QVERIFY2(ir::structurallyEqual(function, std::make_shared<const ir::PrimFunc>(both)),
                     program.name.data());
            ir::VarSet defined;
            ir::forEachStmt(function->body, [&](const Stmt &s) {
                if (const auto *loop = s.as<ir::For>())
                    defined.insert(loop->var);
                else if (const auto *block = s.as<ir::Block>())
                    for (const ir::IterVar &iter : block->iterVars)
                        defined.insert(iter.var);
                else if (const auto *allocate = s.as<ir::Allocate>())
                    defined.insert(allocate->data);
                return true;
            });
            ir::forEachStmt(copy, [&](const Stmt &s) {
                if (const auto *loop = s.as<ir::For>()) {
                    if (defined.contains(loop->var) || loop->id)
                        defined.clear();
                } else if (const auto *block = s.as<ir::Block>()) {
                    if (block->id)
                        defined.clear();
                }
                return true;
            });
            for (const Var &var : defined)
                QVERIFY2(!ir::uses(copy, var), var.name().c_str());
            QVERIFY(program.name == "opaque" || !defined.empty());
        }
    }

    void freshAllocationsKeepTheirBuffers()
    {
        const ir::Module module = tests::program("lowered");
        const Stmt copy = ir::withFreshVariables(module.find("main")->body);
        Var data;
        Buffer viewed;
        ir::forEachStmt(copy, [&](const Stmt &s) {
            if (const auto *allocate = s.as<ir::Allocate>())
                data = allocate->data;
            else if (const auto *declaration = s.as<ir::DeclBuffer>())
                viewed = declaration->buffer;
            return true;
        });
        QVERIFY(viewed->data == data);
        QVERIFY(ir::uses(copy, viewed));
    }

    void walking()
    {
        const ir::Module module = tests::program("matmul");
        const Stmt body = module.find("main")->body;
        std::vector<ir::StmtKind> kinds;
        ir::forEachStmt(body, [&](const Stmt &s) {
            kinds.push_back(s.kind());
            return true;
        });
        using enum ir::StmtKind;
        QCOMPARE(kinds, (std::vector<ir::StmtKind>{Block, For, For, For, Block, BufferStore, BufferStore}));
        int visited = 0;
        ir::forEachStmt(body, [&](const Stmt &s) {
            ++visited;
            return !s.as<ir::For>();
        });
        QCOMPARE(visited, 2);
        const ir::Block *block = firstBlock(body, "C");
        const Var vi = block->iterVars[0].var;
        QVERIFY(ir::uses(block->body, vi));
        QVERIFY(!ir::uses(block->body, Var("vi")));
        QCOMPARE(ir::variablesOf(block->body.as<ir::BufferStore>()->value).size(), 3U);
        QVERIFY(ir::usesAny(block->body.as<ir::BufferStore>()->value, {vi}));
        QVERIFY(!ir::usesAny(block->body.as<ir::BufferStore>()->value, {}));
    }

    void ids()
    {
        const ir::Module module = tests::program("mm_relu");
        QCOMPARE(ir::lastId(module).value, 8U);
        ir::IdCounter counter;
        QVERIFY(ir::assignIds(module, counter).same(module)); // all have theirs
        QCOMPARE(counter.next().value, 9U);
        const Stmt copy = ir::withFreshVariables(module.find("main")->body);
        ir::PrimFunc function = *module.find("main");
        function.body = copy;
        ir::IdCounter later;
        later.reserve({100});
        const ir::Module renumbered =
            ir::assignIds(module.with("main", std::make_shared<const ir::PrimFunc>(function)), later);
        QCOMPARE(renumbered.find("main")->root()->id.value, 101U);
        QCOMPARE(ir::lastId(renumbered).value, 108U);
    }

    void modules()
    {
        const ir::Function f = tests::program("row_sum").find("main");
        const ir::Module module({{"f", f}});
        QVERIFY(!module.find("main"));
        QCOMPARE(module.mainEntry()->name, std::string("f"));
        const ir::Module two = module.with("g", f);
        QVERIFY(!two.mainEntry());
        QCOMPARE(two.with("main", f).mainEntry()->name, std::string("main"));
        QCOMPARE(module.functions().size(), 1U);
    }
};

QTEST_GUILESS_MAIN(RewriterTest)
#include "rewriter_test.moc"
