// SPDX-License-Identifier: Apache-2.0
// Whether iterations of parallel loops keep apart: named programs, and random indices against all pairs of
// iterations tried one by one.
#include "core/analysis/access/complete_regions.h"
#include "core/analysis/access/integer_code.h"
#include "core/analysis/device/parallel_conflicts.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/script/print/printer.h"
#include "tests/support/programs.h"
#include "tests/support/random.h"

#include <QtTest>

#include <array>
#include <format>
#include <map>
#include <utility>

using namespace nestwright;
using ir::Expr;
using ir::Var;

namespace {

/// A function of `body`, lines of four columns' indentation.
ir::Module functionOf(const QString &body)
{
    const std::string head =
        "from tvm.script import tir as T\n\n"
        "@T.prim_func\n"
        "def main(A: T.Buffer((64, 64), \"float32\"), B: T.Buffer((64, 64), \"float32\"),\n"
        "         C: T.Buffer((4096,), \"float32\"), D: T.Buffer((4, 64, 16), \"float32\"),\n"
        "         I: T.Buffer((64,), \"int32\"), n: T.int32):\n";
    return analysis::completeRegions(tests::parsed(head + body.toStdString()));
}

std::optional<support::Diagnostic> conflictIn(const ir::Module &module)
{
    return analysis::parallelConflict(*module.mainEntry()->function);
}

} // namespace

class ParallelConflictsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsApart_data();
    void keepsApart();
    void meets_data();
    void meets();
    void agreesWithTrying();
};

void ParallelConflictsTest::keepsApart_data()
{
    QTest::addColumn<QString>("body");
    const auto row = [](const char *name, const char *body) { QTest::newRow(name) << QString(body); };
    row("rows", "    for i in T.parallel(64):\n"
                "        for j in range(64):\n"
                "            B[i, j] = A[j, i]\n");
    row("in place", "    for i in T.parallel(64):\n"
                    "        for j in range(63):\n"
                    "            A[i, j] = A[i, j + 1]\n");
    row("columns by data of another dimension", "    for i in T.parallel(64):\n"
                                                "        for j in range(64):\n"
                                                "            B[I[j], i] = A[I[i], j]\n");
    row("strips of a flat buffer", "    for i in T.parallel(64):\n"
                                   "        for j in range(64):\n"
                                   "            C[i * 64 + j] = C[i * 64 + 63 - j]\n");
    row("strips of symbolic length", "    for i in T.parallel(n):\n"
                                     "        for j in range(n):\n"
                                     "            C[i * n + j] = T.float32(0)\n");
    row("backwards", "    for i in T.parallel(64):\n"
                     "        B[63 - i, 0] = A[i, 0]\n");
    row("tiles", "    for t in T.parallel(64):\n"
                 "        for i, j in T.grid(8, 8):\n"
                 "            B[t // 8 * 8 + i, t % 8 * 8 + j] = A[0, 0]\n");
    row("tiles with a rest", "    for t in T.parallel(49):\n"
                             "        for i, j in T.grid(10, 10):\n"
                             "            if t // 7 * 10 + i < 64 and t % 7 * 10 + j < 64:\n"
                             "                B[t // 7 * 10 + i, t % 7 * 10 + j] = A[0, 0]\n");
    row("digits in another order", "    for t in T.parallel(4096):\n"
                                   "        B[t % 64, t // 64] = A[t // 64, t % 64]\n");
    row("pieces that are stored in pieces of another length",
        "    for t in T.parallel(704):\n"
        "        for i in range(6):\n"
        "            if t // 64 * 6 + i < 64:\n"
        "                D[(t // 64 * 6 + i) // 16, t % 64, (t // 64 * 6 + i) % 16] = T.float32(0)\n");
    row("a block of tiles", "    for t, i in T.grid(8, 8):\n"
                            "        for j in T.parallel(64):\n"
                            "            with T.block(\"B\"):\n"
                            "                vi = T.axis.spatial(64, t * 8 + i)\n"
                            "                vj = T.axis.spatial(64, j)\n"
                            "                B[vi, vj] = A[vj, vi]\n");
    row("a sum", "    for i in T.parallel(64):\n"
                 "        for k in range(64):\n"
                 "            with T.block(\"B\"):\n"
                 "                vi, vk = T.axis.remap(\"SR\", [i, k])\n"
                 "                with T.init():\n"
                 "                    C[vi] = T.float32(0)\n"
                 "                C[vi] = C[vi] + A[vi, vk]\n");
    row("rows of a sparse matrix", "    for i in T.parallel(63):\n"
                                   "        for k in range(I[i], I[i + 1]):\n"
                                   "            C[i] = C[i] + A[0, k]\n");
    row("a triangle", "    for i in T.parallel(64):\n"
                      "        for j in range(i):\n"
                      "            B[i, j] = B[i, i - j]\n");
    row("one iteration writes", "    for i in T.parallel(64):\n"
                                "        if i == 3:\n"
                                "            C[0] = A[i, 0]\n");
    row("halves that conditions part", "    for i in T.parallel(64):\n"
                                       "        if i < 32:\n"
                                       "            C[i] = T.float32(1)\n"
                                       "        else:\n"
                                       "            C[i + 100] = C[i]\n");
    row("odd and even", "    for i in T.parallel(32):\n"
                        "        C[i * 2] = C[i * 2 + 1]\n");
    row("a permutation by a remainder", "    for i in T.parallel(64):\n"
                                        "        C[i * 5 % 64] = A[i, 0]\n");
    row("vectors",
        "    for i in T.parallel(64):\n"
        "        C[i * 8:i * 8 + 8] = C[i * 8 + 512:i * 8 + 520] * T.Broadcast(T.float32(2), 8)\n");
    row("a part of another buffer", "    for i in T.parallel(8):\n"
                                    "        with T.block(\"B\"):\n"
                                    "            vi = T.axis.spatial(8, i)\n"
                                    "            S = T.match_buffer(B[vi * 8:vi * 8 + 8, 0:64], (8, 64), "
                                    "strides=[64, 1], offset_factor=1)\n"
                                    "            for a, b in T.grid(8, 64):\n"
                                    "                S[a, b] = S[7 - a, b]\n");
    row("memory of an iteration", "    for i in T.parallel(64):\n"
                                  "        S = T.allocate([64], \"float32\", \"global\")\n"
                                  "        S_1 = T.decl_buffer((64,), data=S)\n"
                                  "        for j in range(64):\n"
                                  "            S_1[j] = A[i, j]\n"
                                  "        for j in range(64):\n"
                                  "            B[i, j] = S_1[63 - j]\n");
    row("memory that lowering gives to an iteration",
        "    with T.block(\"root\"):\n"
        "        S = T.alloc_buffer((66, 64))\n"
        "        for i in T.parallel(32):\n"
        "            for a, j in T.grid(3, 64):\n"
        "                with T.block(\"S\"):\n"
        "                    vi = T.axis.spatial(66, i * 2 + a)\n"
        "                    vj = T.axis.spatial(64, j)\n"
        "                    S[vi, vj] = A[vj, 0]\n"
        "            for a, j in T.grid(2, 64):\n"
        "                with T.block(\"B\"):\n"
        "                    vi = T.axis.spatial(64, i * 2 + a)\n"
        "                    vj = T.axis.spatial(64, j)\n"
        "                    B[vi, vj] = S[vi, vj] + S[vi + 1, vj]\n");
    row("what a block declares of a call",
        "    for i in T.parallel(64):\n"
        "        with T.block(\"B\"):\n"
        "            vi = T.axis.spatial(64, i)\n"
        "            T.reads(A[vi, 0:64])\n"
        "            T.writes(B[vi, 0:64])\n"
        "            T.evaluate(T.call_extern(\"int32\", \"f\", B.access_ptr(\"w\", offset=vi * 64), "
        "A.access_ptr(\"r\", offset=vi * 64)))\n");
    row("symbolic digits", "    for t in T.parallel(n):\n"
                           "        B[t // 3, t % 3] = A[t // 6, t % 6]\n");
    row("the same value each time", "    for i, j in T.grid(8, 8):\n"
                                    "        for k in T.parallel(8):\n"
                                    "            with T.block(\"C\"):\n"
                                    "                vi = T.axis.spatial(64, j * k)\n"
                                    "                C[vi] = A[vi, 0] * T.float32(2)\n");
    row("bytes of its own element", "    V = T.decl_buffer((16384,), \"int8\", data=C.data)\n"
                                    "    for i in T.parallel(n):\n"
                                    "        C[i] = T.float32(1)\n"
                                    "        V[i * 4 + 3] = T.int8(1)\n");
    row("a loop of one round", "    for i in T.parallel(1):\n"
                               "        C[0] = C[0] + A[0, 0]\n");
}

void ParallelConflictsTest::keepsApart()
{
    QFETCH(const QString, body);
    const auto conflict = conflictIn(functionOf(body));
    QVERIFY2(!conflict, conflict ? conflict->render().c_str() : "");
}

void ParallelConflictsTest::meets_data()
{
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("said");
    const auto row = [](const char *name, const char *said, const char *body) {
        QTest::newRow(name) << QString(body) << QString(said);
    };
    row("scattered", "block 'B' writes C[I_1[vi]] in both",
        "    for i in T.parallel(64):\n"
        "        with T.block(\"B\"):\n"
        "            vi = T.axis.spatial(64, i)\n"
        "            C[I[vi]] = A[vi, 0]\n");
    row("through a variable", "loop 'i' writes C[k] in both",
        "    for i in T.parallel(64):\n"
        "        k: T.int32 = I[i]\n"
        "        C[k] = A[i, 0]\n");
    row("a sum of all", "loop 'i' writes C[0] in both",
        "    for i in T.parallel(64):\n"
        "        C[0] = C[0] + A[i, 0]\n");
    row("a reduction", "block 'C' writes C[vi] in both",
        "    for i in range(64):\n"
        "        for k in T.parallel(64):\n"
        "            with T.block(\"C\"):\n"
        "                vi, vk = T.axis.remap(\"SR\", [i, k])\n"
        "                C[vi] = C[vi] + A[vi, vk]\n");
    row("the neighbour", "loop 'i' writes C[i] in one, loop 'i' reads C[i + 1] in the other",
        "    for i in T.parallel(64):\n"
        "        C[i] = C[i + 1]\n");
    row("windows that overlap", "loop 'j' writes C[i * 4 + j] in both",
        "    for i in T.parallel(64):\n"
        "        for j in range(5):\n"
        "            C[i * 4 + j] = A[i, j]\n");
    row("a digit that is left out", "loop 't' writes C[t // 2] in both",
        "    for t in T.parallel(64):\n"
        "        C[t // 2] = A[t, 0]\n");
    row("parts that run at any place", "writes C[k] in both",
        "    for i in T.parallel(63):\n"
        "        for k in range(I[i], I[i + 1]):\n"
        "            C[k] = A[i, 0]\n");
    row("an outer loop", "block 'B' writes B[vi, vj] in both",
        "    for r in T.parallel(4):\n"
        "        for i, j in T.grid(64, 64):\n"
        "            with T.block(\"B\"):\n"
        "                vi, vj = T.axis.remap(\"SS\", [i, j])\n"
        "                B[vi, vj] = A[vi, vj] + T.Cast(\"float32\", r)\n");
    row("a value that an iteration changes", "writes A[r, 0] in one, block 'B' reads A[vi, 0] in the other",
        "    for r in T.parallel(4):\n"
        "        A[r, 0] = T.float32(1)\n"
        "        for i in range(64):\n"
        "            with T.block(\"B\"):\n"
        "                vi = T.axis.spatial(64, i)\n"
        "                C[vi] = A[vi, 0]\n");
    row("another name of the memory",
        "loop 'i' writes B[i, 0] in one, loop 'i' reads F[i * 64 + 64] in the other",
        "    F = T.decl_buffer((4096,), \"float32\", data=B.data)\n"
        "    for i in T.parallel(63):\n"
        "        B[i, 0] = F[i * 64 + 64]\n");
    row("bytes of another's element", "loop 'i' writes C[i] in one, loop 'i' writes V[i] in the other",
        "    V = T.decl_buffer((16384,), \"int8\", data=C.data)\n"
        "    for i in T.parallel(4096):\n"
        "        C[i] = T.float32(1)\n"
        "        V[i] = T.int8(1)\n");
    row("bytes of the next element", "loop 'i' writes C[i] in one, loop 'i' writes V[i * 4 + 4] in the other",
        "    V = T.decl_buffer((16384,), \"int8\", data=C.data)\n"
        "    for i in T.parallel(n):\n"
        "        C[i] = T.float32(1)\n"
        "        V[i * 4 + 4] = T.int8(1)\n");
    row("bytes of an element where all are compared",
        "loop 'i' writes C[(i * 5 + 2) % 8] in one, loop 'i' reads V[5] in the other",
        "    V = T.decl_buffer((16384,), \"int8\", data=C.data)\n"
        "    for i in T.parallel(6):\n"
        "        C[(i * 5 + 2) % 8] = T.float32(1)\n"
        "        B[i, 0] = T.Cast(\"float32\", V[5])\n");
    row("a pointer", "loop 'i' writes C in the other",
        "    for i in T.parallel(64):\n"
        "        C[i] = T.float32(0)\n"
        "        T.evaluate(T.call_extern(\"int32\", \"f\", C.data))\n");
    row("memory that iterations hand on", "block 'S' writes S[vi]",
        "    with T.block(\"root\"):\n"
        "        S = T.alloc_buffer((65,))\n"
        "        for i in T.parallel(64):\n"
        "            with T.block(\"S\"):\n"
        "                vi = T.axis.spatial(65, i)\n"
        "                S[vi] = A[vi, 0]\n"
        "            with T.block(\"B\"):\n"
        "                vi = T.axis.spatial(64, i)\n"
        "                T.where(i >= 1)\n"
        "                C[vi] = S[vi - 1]\n");
}

void ParallelConflictsTest::meets()
{
    QFETCH(const QString, body);
    QFETCH(const QString, said);
    const auto conflict = conflictIn(functionOf(body));
    QVERIFY(conflict);
    QCOMPARE(conflict->code, std::string("analysis.parallel-conflict"));
    QVERIFY2(conflict->message.find(said.toStdString()) != std::string::npos, conflict->message.c_str());
    QVERIFY(!conflict->hint.empty());
}

namespace {

/// An index on variables p (parallel), i and j (within), and o (around).
Expr anyIndex(tests::Random &random, const std::vector<Var> &vars)
{
    const auto number = [&](std::int64_t most) { return random.below(most); };
    Expr sum = ir::intImm(number(3));
    for (const Var &var : vars) {
        if (random.below(3) == 0)
            continue;
        Expr term = var;
        if (random.below(3) == 0)
            term = random.below(2) ? ir::floorDiv(term, ir::intImm(1 + number(4)))
                                   : ir::floorMod(term, ir::intImm(1 + number(5)));
        sum = sum + term * ir::intImm(number(7) - 1);
    }
    return random.below(6) == 0 ? ir::floorDiv(sum, ir::intImm(1 + number(4))) : sum;
}

struct Tried {
    bool meets = false, conflict = false;
};

/// A random loop nest: whether iterations really meet, and what is said of them.
Tried tryOne(std::uint64_t seed)
{
    tests::Random random(seed * 7919 + 1);
    const std::vector<Var> vars{Var("o", ir::DataType::int32()), Var("p", ir::DataType::int32()),
                                Var("i", ir::DataType::int32()), Var("j", ir::DataType::int32())};
    const std::array<std::int64_t, 4> extents{2, 2 + random.below(9), 1 + random.below(4),
                                              1 + random.below(4)};
    const ir::Buffer buffer = ir::Buffer("B", {Expr(1000), Expr(1000)});
    std::vector<std::vector<Expr>> accesses;
    for (int each = 0; each < 2; ++each)
        accesses.push_back({anyIndex(random, vars), anyIndex(random, vars)});
    if (random.below(4) == 0) { // quotients with their remainders
        const Expr divisor = ir::intImm(2 + random.below(5));
        for (std::vector<Expr> &access : accesses)
            access[1] = ir::floorMod(std::exchange(access[0], ir::floorDiv(access[0], divisor)), divisor);
    }
    if (random.below(2))
        accesses[1] = accesses[0];
    const Expr guard =
        random.below(3) == 0 ? ir::lt(anyIndex(random, vars), ir::intImm(7)) : ir::boolImm(true);
    ir::Stmt body = ir::ifThenElse(guard, ir::store(buffer, ir::load(buffer, accesses[1]), accesses[0]));
    for (std::size_t at = vars.size(); at-- > 0;) {
        ir::For loop;
        loop.min = ir::intImm(0);
        loop.extent = ir::intImm(extents[at]);
        loop.var = vars[at];
        loop.forKind = at == 1 ? ir::ForKind::Parallel : ir::ForKind::Serial;
        loop.body = body;
        body = ir::make(std::move(loop));
    }
    ir::PrimFunc function;
    function.params.push_back({buffer->data, buffer});
    function.body = body;

    bool meets = false;
    std::vector<analysis::IntegerCode> codes;
    for (const auto &indices : accesses) {
        for (const Expr &index : indices)
            codes.push_back(*analysis::IntegerCode::of(index, vars));
    }
    auto holds = analysis::IntegerCode::of(guard, vars);
    for (std::int64_t o = 0; o < extents[0]; ++o) {
        std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> writer;
        for (const bool isWrite : {true, false}) {
            for (std::int64_t p = 0; p < extents[1]; ++p) {
                for (std::int64_t rest = 0; rest < extents[2] * extents[3]; ++rest) {
                    const std::array<std::int64_t, 4> at{o, p, rest / extents[3], rest % extents[3]};
                    if (*holds->eval(at) == 0)
                        continue;
                    const std::size_t first = isWrite ? 0 : 2;
                    const std::pair element{*codes[first].eval(at), *codes[first + 1].eval(at)};
                    const auto known = isWrite ? writer.emplace(element, p).first : writer.find(element);
                    meets = meets || (known != writer.end() && known->second != p);
                }
            }
        }
    }
    return {meets, analysis::parallelConflict(function).has_value()};
}

} // namespace

/// Pairs said to be apart are; few that are apart go unseen, since such small loops are tried.
void ParallelConflictsTest::agreesWithTrying()
{
    int apart = 0, seen = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        const Tried tried = tryOne(seed);
        QVERIFY2(!tried.meets || tried.conflict, std::format("seed {}", seed).c_str());
        apart += !tried.meets;
        seen += !tried.conflict;
    }
    QVERIFY2(apart > 200 && seen * 100 >= apart * 97, std::format("{} of {} seen", seen, apart).c_str());
}

QTEST_GUILESS_MAIN(ParallelConflictsTest)
#include "parallel_conflicts_test.moc"
