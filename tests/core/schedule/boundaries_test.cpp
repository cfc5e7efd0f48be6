// SPDX-License-Identifier: Apache-2.0
// Cases just legal and just refused, primitive by primitive.
#include "core/analysis/kernel/index.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/walk.h"
#include "core/schedule/rules/bindings.h"
#include "core/support/errors/errors.h"
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

constexpr const char *matched = R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    B = T.alloc_buffer((8, 8))
    for i, j in T.grid(8, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            T.reads(B[vi, 0:8])
            T.writes(C[vi, 0:8])
            row = T.match_buffer(B[vi, 0:8], (8,), offset_factor=1)
            for j in range(8):
                C[vi, j] = row[j] + T.float32(1)
)";

} // namespace

class BoundariesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void placesOfAFactoredDimension()
    {
        const std::string loops = "i, k = sch.get_loops('B')\n";
        for (const char *axis : {"-2", "-1", "0", "1"})
            checkSchedule(rowSum, loops + "sch.rfactor(k, " + axis + ")");
        for (const char *axis : {"-3", "2"})
            checkRefused(rowSum, loops + "sch.rfactor(k, " + axis + ")", "schedule.axis");
        const auto shapeWith = [&](const std::string &axis) {
            const auto run =
                schedule::runScheduleScript(scheduled(rowSum), loops + "sch.rfactor(k, " + axis + ")", "");
            return *ir::asInt(run->state.module.mainEntry()->function->root()->allocBuffers[0].shape()[0]);
        };
        QCOMPARE(shapeWith("0"), 12); // the loop's dimension comes first
        QCOMPARE(shapeWith("-2"), 12);
        QCOMPARE(shapeWith("1"), 6);
        QCOMPARE(shapeWith("-1"), 6);
    }

    void partsOfSplitLoopsSayWhichTheyAre()
    {
        const auto run = schedule::runScheduleScript(
            scheduled(chain), "i, j = sch.get_loops('C')\nsch.split(j, [2, 2, 3])\nsch.split(i, [5, 2])", "");
        QVERIFY(run);
        const analysis::FunctionIndex index(run->state.module.mainEntry()->function);
        std::vector<std::string> parts;
        for (const auto id : index.loopsOf(*index.blockByName("C")))
            parts.push_back(index.loop(id)->origin.part);
        QCOMPARE(parts, (std::vector<std::string>{"outer", "inner", "outer", "middle", "inner"}));
    }

    /// Ranges of loops around blocks are computed before any predicate: they may read only data independent
    /// of the loop.
    void rangesWithinASplitLoop()
    {
        const auto program = [](const std::string &extent) {
            return R"(
@T.prim_func
def main(P: T.Buffer((10,), "int32"), C: T.Buffer((10, 64), "float32")):
    for i in range(10):
        for j in range()"
                   + extent + R"():
            with T.block("C"):
                vi = T.axis.spatial(10, i)
                vj = T.axis.spatial(64, j)
                C[vi, vj] = T.float32(1)
)";
        };
        const std::string split = "sch.split(sch.get_loops('C')[0], [None, 4])";
        checkSchedule(program("T.min(P[3], 64)"), split);
        checkSchedule(program("T.min(i + 1, 64)"), split);
        checkRefused(program("T.min(P[i], 64)"), split, "schedule.unguarded-read");
        checkSchedule(program("T.min(P[i], 64)"), "sch.split(sch.get_loops('C')[0], [None, 5])");
    }

    void matchedBuffersAreNotInlined()
    {
        checkRefused(matched, "sch.compute_inline('B')", "schedule.opaque-access", "matches a part");
    }

    void namesOfFunctions()
    {
        const auto module = [](const std::vector<const char *> &names) {
            std::string text = "@I.ir_module\nclass Module:\n";
            for (const char *name : names)
                text += QString(R"(
    @T.prim_func
    def NAME(A: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("b_NAME"):
                vi = T.axis.spatial(4, i)
                A[vi] = T.float32(1)
)")
                            .replace("NAME", name)
                            .toStdString();
            return text;
        };
        checkSchedule(module({"f"}), "sch.get_block('b_f')");
        checkSchedule(module({"f"}), "sch.get_block('b_f', 'f')");
        checkSchedule(module({"f"}), "sch.get_block('b_f', 'main')");
        checkRefused(module({"f"}), "sch.get_block('b_f', 'g')", "schedule.unknown-function");
        checkSchedule(module({"f", "g"}), "sch.get_block('b_g', 'g')");
        checkRefused(module({"f", "g"}), "sch.get_block('b_f', 'main')", "schedule.unknown-function");
    }

    void buffersAreGivenBySideAndPlace()
    {
        checkSchedule(chain, "sch.reindex('C', ('read', 0))");
        checkSchedule(chain, "sch.reindex('C', ('write', 0))");
        for (const char *buffer :
             {"('both', 0)", "('read',)", "('read', 'x')", "('read', 0, 1)", "(0, 'read')", "3"})
            checkRefused(chain, "sch.reindex('C', " + std::string(buffer) + ")", "schedule.argument");
    }

    void sampledNumbersAreKnown()
    {
        const std::string sampled =
            "n = sch.sample_categorical([4], [1.0], decision=0)\ni, j = sch.get_loops('C')\n";
        checkSchedule(chain, sampled + "sch.split(j, [None, sch.get(n)])");
        checkRefused(chain, sampled + "sch.split(j, [None, sch.get(n, n)])", "script.unknown-primitive");
        checkRefused(chain, sampled + "sch.split(j, [None, sch.got(n)])", "script.unknown-primitive");
    }

    void sumsOfOtherThanProductsAreNotPadded()
    {
        const auto program = [](const std::string &term) {
            return R"(
@T.prim_func
def main(A: T.Buffer((32, 31), "float32"), B: T.Buffer((31, 32), "float32"),
         C: T.Buffer((32, 32), "float32")):
    for i, j, k in T.grid(32, 32, 31):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + )"
                   + term + "\n";
        };
        const std::string pad = "sch.pad_einsum('C', [1, 1, 8])";
        checkSchedule(program("A[vi, vk] * B[vk, vj]"), pad);
        checkSchedule(program("T.Cast(\"float32\", A[vi, vk]) * B[vk, vj] * T.float32(2)"), pad);
        for (const char *term :
             {"(A[vi, vk] + B[vk, vj])", "T.max(A[vi, vk], B[vk, vj])", "T.exp(A[vi, vk] * B[vk, vj])"})
            checkRefused(program(term), pad, "schedule.not-einsum");
    }

    /// Bounds on sizes from all arrays together.
    void sizesOfSeveralArrays()
    {
        for (const auto &[first, second] : {std::pair{"n - 4", "n - 2"}, {"n - 2", "n - 4"}}) {
            const schedule::State state =
                scheduled(std::string("@T.prim_func\ndef main(a: T.handle, b: T.handle):\n    n = T.int32()\n"
                                      "    A = T.match_buffer(a, (")
                          + first + ",))\n    B = T.match_buffer(b, (" + second
                          + ",))\n    with T.block(\"root\"):\n        A[0] = T.float32(1)\n");
            const ir::PrimFunc &function = *state.module.mainEntry()->function;
            const ir::Var n = *ir::variablesOf(function.params[0].buffer.shape()[0]).begin();
            arith::Analyzer analyzer;
            schedule::bindSizes(analyzer, function);
            QVERIFY(analyzer.canProve(ir::ge(n, ir::Expr(4))));
            QVERIFY(!analyzer.canProve(ir::ge(n, ir::Expr(5))));
        }
    }

    void conditionsOverLoops()
    {
        const ir::Var i("i"), n("n");
        arith::Analyzer analyzer;
        analyzer.bind(n, arith::ConstIntBound{8, 100});
        const arith::Domains domains{{i, {ir::intImm(0), ir::intImm(8)}}};
        const auto holds = [&](const ir::Expr &condition) {
            return schedule::canProveOver(condition, domains, analyzer);
        };
        QVERIFY(holds(ir::lt(i, n)) && holds(ir::gt(n, i)));
        QVERIFY(holds(ir::le(i + 1, n)) && holds(ir::ge(n, i + 1)));
        QVERIFY(holds(ir::callIntrinsic("likely", {ir::lt(i, n)})));
        QVERIFY(!holds(ir::lt(i + 1, n)) && !holds(ir::gt(n, i + 1)));
        QVERIFY(!holds(ir::le(i + 2, n)) && !holds(ir::ge(n, i + 2)));
        QVERIFY(!holds(ir::eq(i, n)) && !holds(ir::Var("b", ir::DataType::boolean())));
        QVERIFY(!holds(ir::ne(i + 1, n)));
        QVERIFY(!holds(ir::lt(ir::cast(ir::DataType::float32(), i), ir::Var("f", ir::DataType::float32()))));
    }

    /// A reduction may be moved below the loop of its consumer, and its consumer below that of its rows.
    void reductionsBelowLoops()
    {
        const std::string program = R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), C: T.Buffer((8,), "float32")):
    B = T.alloc_buffer((8,))
    for i, k in T.grid(8, 8):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = B[vi] + T.float32(1)
)";
        checkSchedule(program, "sch.compute_at('B', sch.get_loops('C')[0])");
        checkSchedule(program, "sch.reverse_compute_at('C', sch.get_loops('B')[0])");
    }

    /// A condition that keeps a block from places which wrap around their type holds there by chance: nothing
    /// may be moved or copied there.
    void placesBeyondTheirType()
    {
        const auto code = [](std::string_view program, const char *step) {
            const auto run = schedule::runScheduleScript(scheduled(program), step, "far.py");
            return run ? std::string() : run.error().code;
        };
        const std::string head =
            "@T.prim_func\ndef main(A: T.Buffer((70000,), \"int8\"), C: "
            "T.Buffer((70000,), \"int8\")):\n    B = T.alloc_buffer((70000,), \"int8\")\n";
        const auto block = [](const std::string &indent, const std::string &name, const std::string &from) {
            return indent + "for i1 in range(15):\n" + indent + "    with T.block(\"" + name + "\"):\n"
                   + indent + "        v = T.axis.spatial(70000, i0 * 15 + i1)\n" + indent
                   + "        T.where(i0 < 4667 and i0 * 15 + i1 < 70000)\n" + indent + "        " + name
                   + "[v] = " + from + "[v] + T.int8(1)\n";
        };
        const std::string whole = "    for i in range(70000):\n        with T.block(\"B\"):\n            v = "
                                  "T.axis.spatial(70000, i)\n            B[v] = A[v] + T.int8(1)\n";
        for (const auto &[rounds, expected] :
             {std::pair("4667", ""), std::pair("2147483647", "schedule.index-range")}) {
            const std::string far = std::string("    for i0 in range(") + rounds + "):\n";
            const std::string both = head + far + block("        ", "B", "A") + block("        ", "C", "B");
            QCOMPARE(code(both, "sch.cache_read('C', 0, 'local')"), expected);
            QCOMPARE(code(both, "sch.cache_write('B', 0, 'local')"), expected);
            const std::string apart = head + whole + far + block("        ", "C", "B");
            QCOMPARE(code(apart, "sch.compute_at('B', sch.get_loops('C')[0])"), expected);
        }
    }

    /// Quotients of places that wrap around are small, but those of other numbers.
    void whatIsDividedIsCounted()
    {
        const ir::Var i("i");
        const auto isRefused = [&](std::int64_t rounds, const ir::Expr &place) {
            try {
                schedule::requireCounted({place}, {{i, {0, ir::Expr(rounds)}}}, "copies would begin", {});
                return false;
            } catch (const support::UserError &) {
                return true;
            }
        };
        const ir::Expr far = ir::Expr(i) * 2500000;
        for (const ir::Expr &place : {ir::floorDiv(far, 3000), ir::floorMod(far, 3000) + 1})
            QVERIFY(isRefused(46341, place) && !isRefused(6, place));
        QVERIFY(!isRefused(46341, ir::floorDiv(ir::Expr(i), 3000) * 2500000));
    }
};

QTEST_GUILESS_MAIN(BoundariesTest)
#include "boundaries_test.moc"
