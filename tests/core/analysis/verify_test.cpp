// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/complete_regions.h"
#include "core/analysis/verify/verify.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/script/tvmscript/parser.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <functional>

using namespace nestwright;
using analysis::Level;
using ir::Block;
using ir::Expr;
using ir::Stmt;
using ir::Var;

namespace {

/// A program with one thing changed: `change` gets every block (or loop, or store) and may alter it.
template <class Node> ir::Module changed(const ir::Module &module, const std::function<void(Node &)> &change)
{
    class Changer : public ir::Rewriter {
    public:
        explicit Changer(const std::function<void(Node &)> &f) : m_f(f) {}
        Expr expr(const Expr &e) override { return e; }
        Stmt stmt(const Stmt &s) override
        {
            Stmt inner = children(s);
            const auto *node = inner.as<Node>();
            if (!node)
                return inner;
            Node copy = *node;
            m_f(copy);
            return make(std::move(copy));
        }

    private:
        const std::function<void(Node &)> &m_f;
    };
    Changer changer(change);
    const ir::Module::Entry &entry = *module.mainEntry();
    return module.with(entry.name, changer.function(entry.function));
}

ir::Module matmul() { return tests::program("matmul"); }

std::string codeOf(const support::Result<void> &result) { return result ? "" : result.error().code; }

/// The code of the fault in matmul with block "C" changed.
std::string faultOfBlock(const std::function<void(Block &)> &change)
{
    return codeOf(verify(changed<Block>(matmul(),
                                        [&](Block &block) {
                                            if (block.name == "C")
                                                change(block);
                                        }),
                         Level::Block));
}

} // namespace

class VerifyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void goodProgramsPass_data()
    {
        QTest::addColumn<QString>("name");
        for (const tests::Program &program : tests::programs())
            QTest::newRow(std::string(program.name).c_str()) << QString::fromUtf8(program.name);
    }
    void goodProgramsPass()
    {
        QFETCH(QString, name);
        const ir::Module module = analysis::completeRegions(tests::program(name.toStdString()));
        const Level level = name == "lowered" ? Level::Flat : Level::Block;
        const auto result = verify(module, level);
        QVERIFY2(result, result ? "" : result.error().render().c_str());
    }

    void levelsAreKept()
    {
        QCOMPARE(codeOf(verify(matmul(), Level::Flat)), "verify.level");
        QCOMPARE(codeOf(verify(tests::program("lowered"), Level::Block)), "verify.level");
        QCOMPARE(codeOf(verify(matmul(), Level::Any)), "");
    }

    void variablesMustBeDefined()
    {
        const auto result =
            verify(changed<ir::BufferStore>(
                       matmul(), [](ir::BufferStore &store) { store.indices[0] = ir::Var("ghost"); }),
                   Level::Block);
        QCOMPARE(codeOf(result), "verify.undefined-variable");
        QCOMPARE(result.error().message,
                 "function 'main': in block 'C': the variable 'ghost' is used where it is not defined");
        QVERIFY(result.error().locations.at(0).stmt);
    }

    void loopsAreNotUsedInsideBlocks()
    {
        ir::Var k;
        changed<ir::For>(matmul(), [&](ir::For &loop) { k = loop.var.name() == "k" ? loop.var : k; });
        QVERIFY(k);
        // The same loop variable, used in the block's body.
        const ir::Module module = matmul();
        ir::Var loopVar;
        const ir::Module same = changed<ir::For>(
            module, [&](ir::For &loop) { loopVar = loop.var.name() == "k" ? loop.var : loopVar; });
        const ir::Module bad =
            changed<ir::BufferStore>(same, [&](ir::BufferStore &store) { store.indices[0] = loopVar; });
        QCOMPARE(codeOf(verify(bad, Level::Block)), "verify.loop-in-block");
    }

    void variablesAreDefinedOnce()
    {
        const ir::Module nested = changed<ir::For>(matmul(), [](ir::For &loop) {
            if (loop.var.name() == "i")
                loop.body = serialFor(loop.var, 2, loop.body);
        });
        QCOMPARE(codeOf(verify(nested, Level::Any)), "verify.redefined-variable");
        const ir::Var twice("twice");
        const ir::Module beside = changed<Block>(matmul(), [&](Block &block) {
            if (block.name == "root") {
                block.body = ir::seq(
                    {serialFor(twice, 2, ir::evaluate(ir::call(ir::DataType::int32(), "likely", {twice}))),
                     serialFor(twice, 2, ir::evaluate(ir::call(ir::DataType::int32(), "likely", {twice})))});
            }
        });
        QCOMPARE(codeOf(verify(beside, Level::Block)), "verify.redefined-variable");
        QCOMPARE(codeOf(verify(beside, Level::Any)), ""); // unrolled code repeats loops
    }

    void idsAreUnique()
    {
        const ir::Module module =
            changed<ir::For>(matmul(), [](ir::For &loop) { loop.id = support::StmtId{5}; });
        QCOMPARE(codeOf(verify(module, Level::Block)), "verify.id");
    }

    void buffersMustExist()
    {
        const ir::Buffer stray("Stray", {128, 128});
        const ir::Module module =
            changed<ir::BufferStore>(matmul(), [&](ir::BufferStore &store) { store.buffer = stray; });
        QVERIFY(!verify(module, Level::Any));
        QCOMPARE(codeOf(verify(module, Level::Any)), "verify.undefined-buffer");
    }

    /// Another buffer may view memory that is there.
    void memoryMayBeViewed()
    {
        const ir::Module module = changed<ir::BufferStore>(matmul(), [&](ir::BufferStore &store) {
            ir::BufferNode view = *store.buffer.get();
            view.name = "View";
            store.buffer = ir::Buffer(std::move(view));
        });
        QCOMPARE(codeOf(verify(module, Level::Any)), "");
    }

    void threadsMayBeSharedByLaunches()
    {
        const auto withKey = [](const std::string &key) {
            const Var thread("t");
            const auto launch = [&](int factor) {
                ir::AttrStmt attr;
                attr.node = thread;
                attr.key = key;
                attr.value = ir::intImm(4);
                attr.body = ir::evaluate(ir::call(ir::DataType::int32(), "likely", {thread * factor}));
                return ir::make(std::move(attr));
            };
            ir::PrimFunc function;
            function.body = ir::seq({launch(1), launch(2)});
            return codeOf(verify(function, Level::Flat));
        };
        QCOMPARE(withKey("thread_extent"), "");
        QCOMPARE(withKey("hint"), "verify.undefined-variable");
    }

    /// A block whose regions are left out or still to be found; a wrapper leaves them to the blocks in it.
    void undeclaredAccesses_data()
    {
        QTest::addColumn<QString>("axes");
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("code");
        const char *bad = "verify.undeclared-access", *axis = "vi = T.axis.spatial(4, i)",
                   *reads = "T.reads(A[0:4])", *writes = "T.writes(A[0:4])";
        const char *store = "B[i] = A[i]", *inner = R"(for j in range(2):
                with T.block("inner"):
                    T.reads(A[i])
                    T.writes(B[i])
                    B[i] = A[i])";
        const char *guarded = R"(if i < 2:
                with T.block("inner"):
                    T.reads(A[i])
                    T.writes(B[i])
                    B[i] = A[i])";
        const char *sequence = R"(with T.block("one"):
                T.reads(A[i])
                T.writes(B[i])
                B[i] = A[i]
            with T.block("two"):
                T.reads(A[i])
                T.writes(B[i])
                B[i] = A[i])";
        QTest::newRow("a store") << "" << store << bad;
        QTest::newRow("blocks") << "" << inner << "";
        QTest::newRow("several blocks") << "" << sequence << "";
        QTest::newRow("a guard") << "" << guarded << bad;
        QTest::newRow("a store beside a block")
            << "" << QString("%1\n            %2").arg(store, inner) << bad;
        QTest::newRow("a store behind a block")
            << "" << QString("%1\n            %2").arg(inner, store) << bad;
        QTest::newRow("with a variable") << axis << QString(inner).replace("[i]", "[vi]") << bad;
        QTest::newRow("with reads") << reads << inner << bad;
        QTest::newRow("with writes") << writes << inner << bad;
    }
    void undeclaredAccesses()
    {
        QFETCH(QString, axes);
        QFETCH(QString, body);
        QFETCH(QString, code);
        QString text = R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.block("b"):
            %1
            %2
            %3
            %4
)";
        const bool hasReads = axes.startsWith("T.reads"), hasWrites = axes.startsWith("T.writes");
        const ir::Module module =
            tests::parsed(text.arg(hasReads || hasWrites ? QString("pass")
                                   : axes.isEmpty()      ? "pass"
                                                         : axes,
                                   hasReads ? axes : "T.reads()", hasWrites ? axes : "T.writes()", body)
                              .replace("            pass\n", "")
                              .toStdString());
        QCOMPARE(codeOf(verify(module, Level::Block)), code.toStdString());
        QCOMPARE(codeOf(verify(module, Level::Block, analysis::Undeclared::Allowed)), "");
        QCOMPARE(codeOf(verify(module, Level::Any)), "");
        const ir::Module toBeFound = changed<Block>(module, [](Block &block) {
            block.annotations[std::string(script::detectAccessKey)] = std::int64_t{3};
        });
        QCOMPARE(codeOf(verify(toBeFound, Level::Block)), "");
    }

    void blocksAreConsistent()
    {
        QCOMPARE(faultOfBlock([](Block &block) { block.iterValues.pop_back(); }), "verify.rank");
        QCOMPARE(faultOfBlock([](Block &block) { block.writes[0].region.pop_back(); }), "verify.rank");
        QCOMPARE(faultOfBlock([](Block &block) { block.writes.clear(); }), "verify.undeclared-access");
        QCOMPARE(faultOfBlock([](Block &block) { block.reads.pop_back(); }), "verify.undeclared-access");
        QCOMPARE(faultOfBlock([](Block &block) { block.predicate = ir::intImm(1); }), "verify.type");
        QCOMPARE(faultOfBlock([](Block &block) { block.predicate = Expr(); }), "verify.missing");
        QCOMPARE(faultOfBlock([](Block &block) { block.body = Stmt(); }), "verify.missing");
        QCOMPARE(faultOfBlock([](Block &block) {
                     block.iterVars[0].domain.extent = ir::intImm(128, ir::DataType::int64());
                 }),
                 "verify.type");
        QCOMPARE(faultOfBlock([](Block &block) { block.iterValues[0] = ir::floatImm(0); }), "verify.type");
    }

    void accessesHaveTheRankAndTypeOfTheirBuffer()
    {
        const auto faultOfStore = [](const std::function<void(ir::BufferStore &)> &change) {
            return codeOf(verify(changed<ir::BufferStore>(matmul(), change), Level::Block));
        };
        QCOMPARE(faultOfStore([](ir::BufferStore &store) { store.indices.pop_back(); }), "verify.rank");
        QCOMPARE(faultOfStore([](ir::BufferStore &store) { store.value = ir::intImm(0); }), "verify.type");
        QCOMPARE(
            faultOfStore([](ir::BufferStore &store) { store.value = ir::broadcast(ir::floatImm(0), 4); }),
            "verify.type");
        QCOMPARE(faultOfStore([](ir::BufferStore &store) { store.value = Expr(); }), "verify.missing");
    }

    void operandsMatch()
    {
        const auto faultOfValue = [](const Expr &value) {
            return codeOf(verify(
                changed<ir::BufferStore>(matmul(), [&](ir::BufferStore &store) { store.value = value; }),
                Level::Block));
        };
        const Expr one = ir::floatImm(1), whole = ir::intImm(1);
        QCOMPARE(faultOfValue(ir::binaryNode(ir::BinaryOp::Add, one, whole)), "verify.type");
        QCOMPARE(faultOfValue(ir::call(ir::DataType::float32(), "mystery", {one})), "verify.call");
        QCOMPARE(faultOfValue(ir::call(ir::DataType::float32(), "exp", {one, one})), "verify.call");
        QCOMPARE(faultOfValue(ir::call(ir::DataType::float32(), "if_then_else", {whole, one, one})),
                 "verify.type");
        QCOMPARE(
            faultOfValue(ir::call(ir::DataType::float32(), "if_then_else", {ir::boolImm(true), one, whole})),
            "verify.type");
        QCOMPARE(faultOfValue(ir::call(ir::DataType::float32(), "exp", {whole})), "verify.type");
    }

    void loopsAreConsistent()
    {
        const auto faultOfLoop = [](const std::function<void(ir::For &)> &change) {
            return codeOf(verify(changed<ir::For>(matmul(), change), Level::Block));
        };
        QCOMPARE(faultOfLoop([](ir::For &loop) { loop.extent = ir::floatImm(3); }), "verify.type");
        QCOMPARE(faultOfLoop([](ir::For &loop) { loop.extent = ir::intImm(3, ir::DataType::int64()); }),
                 "verify.type");
        QCOMPARE(faultOfLoop([](ir::For &loop) { loop.forKind = ir::ForKind::ThreadBinding; }),
                 "verify.type");
        QCOMPARE(faultOfLoop([](ir::For &loop) { loop.body = Stmt(); }), "verify.missing");
    }
};

QTEST_GUILESS_MAIN(VerifyTest)
#include "verify_test.moc"
