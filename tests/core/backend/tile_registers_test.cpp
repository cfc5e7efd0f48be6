// SPDX-License-Identifier: Apache-2.0
/// Nests that are annotated "tile_registers": they compute the same as the loops, and use the registers where
/// the processor has them.
#include "core/backend/backend.h"
#include "core/backend/link/runtime.h"
#include "tests/support/backends.h"
#include "tests/support/programs.h"
#include "tests/support/random.h"

#include <QtTest>

#include <format>

using namespace nestwright;

namespace {

struct Loop {
    std::string name;
    std::int64_t extent = 1;
    std::int64_t a = 0, b = 0, c = 0; ///< how far it moves in the matrices
};

struct Product {
    std::vector<Loop> loops; ///< outermost first
    std::int64_t begin = 0;  ///< of A, in elements
    std::string a = "uint8", b = "int8", c = "int32";
    bool isExchanged = false; ///< the factors
    int before = 1;           ///< all elements of C

    static std::string place(const std::vector<Loop> &loops, std::int64_t Loop::*step, std::int64_t begin)
    {
        std::string text = std::to_string(begin);
        for (const Loop &loop : loops) {
            if (loop.*step != 0)
                text += std::format(" + {} * {}", loop.name, loop.*step);
        }
        return text;
    }
    std::int64_t size(std::int64_t Loop::*step, std::int64_t begin) const
    {
        std::int64_t last = begin;
        for (const Loop &loop : loops)
            last += loop.*step * (loop.extent - 1);
        return last + 1;
    }

    ir::Module module(bool annotated = true) const
    {
        const std::int64_t sizeOfC = size(&Loop::c, 0);
        std::string text =
            std::format("\n@T.prim_func\ndef main(A: T.Buffer(({},), \"{}\"), B: T.Buffer(({},), \"{}\"),"
                        " C: T.Buffer(({},), \"{}\")):\n    for x in range({}):\n        C[x] = T.{}({})\n",
                        size(&Loop::a, begin), a, size(&Loop::b, 0), b, sizeOfC, c, sizeOfC, c, before);
        std::string indent = "    ";
        for (const Loop &loop : loops) {
            const bool isFirst = annotated && &loop == &loops.front();
            text += std::format("{}for {} in T.serial({}{}):\n", indent, loop.name, loop.extent,
                                isFirst ? ", annotations={\"tile_registers\": 1}" : "");
            indent += "    ";
        }
        std::string factors[] = {std::format("T.Cast(\"{}\", A[{}])", c, place(loops, &Loop::a, begin)),
                                 std::format("T.Cast(\"{}\", B[{}])", c, place(loops, &Loop::b, 0))};
        if (isExchanged)
            std::swap(factors[0], factors[1]);
        const std::string at = place(loops, &Loop::c, 0);
        return tests::parsed(
            text + std::format("{}C[{}] = C[{}] + {} * {}\n", indent, at, at, factors[0], factors[1]));
    }
};

/// m × n × (k words), B by panels of the terms of a word.
Product product(std::int64_t m, std::int64_t n, std::int64_t k)
{
    return {.loops = {{"m", m, k * 4, 0, n}, {"n", n, 0, 4, 1}, {"k", k, 4, n * 4, 0}, {"d", 4, 1, 1, 0}}};
}

Product productOfFloats(std::int64_t m, std::int64_t n, std::int64_t k)
{
    return {.loops = {{"m", m, k * 2, 0, n}, {"n", n, 0, 2, 1}, {"k", k, 2, n * 2, 0}, {"d", 2, 1, 1, 0}},
            .a = "bfloat16",
            .b = "bfloat16",
            .c = "float32"};
}

/// Splits a loop in two.
void cut(std::vector<Loop> &loops, tests::Random &random)
{
    const auto at = static_cast<std::size_t>(random.below(std::ssize(loops)));
    const Loop loop = loops[at];
    std::vector<std::int64_t> divisors;
    for (std::int64_t size = 2; size < loop.extent; ++size) {
        if (loop.extent % size == 0)
            divisors.push_back(size);
    }
    if (divisors.empty())
        return;
    const std::int64_t inner = random.pick(divisors);
    loops[at] = {loop.name + "0", loop.extent / inner, loop.a * inner, loop.b * inner, loop.c * inner};
    loops.insert(loops.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                 {loop.name + "1", inner, loop.a, loop.b, loop.c});
}

/// Loops in any order and cut anywhere, matrices of any signs with room between their rows.
Product randomProduct(std::uint64_t seed)
{
    tests::Random random(seed);
    const bool isFloat = random.chance(25);
    const std::int64_t terms = isFloat ? 2 : 4;
    const std::int64_t m = random.between(1, 50), n = random.between(2, 40), k = random.between(1, 40);
    const std::int64_t rowOfA = k * terms + random.below(9), rowOfB = n * terms + random.below(9);
    const bool isPacked = random.chance(50);
    const std::int64_t rowOfC = isPacked ? n : n + random.below(9);
    Product made{.loops = {{"m", m, rowOfA, 0, rowOfC},
                           {"n", n, 0, terms, 1},
                           {"k", k, terms, rowOfB, 0},
                           {"d", terms, 1, 1, 0}},
                 .begin = random.below(70)};
    if (random.chance(30)) // overlapping rows of A, as in a convolution
        made.loops.front().a = terms * random.between(1, 4);
    if (random.chance(40)) // and several of them
        made.loops.push_back({"r", random.between(2, 4), random.between(1, 90), random.between(1, 90), 0});
    if (random.chance(30))
        made.loops.push_back({"h", random.between(2, 4), random.between(1, 90), 0, m * rowOfC});
    for (int i = 0; i < 3; ++i)
        cut(made.loops, random);
    random.shuffle(made.loops);
    made.isExchanged = random.chance(50);
    made.before = random.chance(50) ? 0 : 1;
    const std::vector<std::string> bytes = {"int8", "uint8"};
    made.a = isFloat ? "bfloat16" : random.pick(bytes);
    made.b = isFloat ? "bfloat16" : random.pick(bytes);
    made.c = isFloat ? "float32" : "int32";
    return made;
}

std::string assemblyOf(const ir::Module &module, const char *target)
{
    const auto source = backend::source(module, *target::parseTarget(target), backend::SourceKind::Asm);
    if (!source)
        qFatal("%s", source.error().render().c_str());
    return source->text;
}

constexpr const char *withTiles = "llvm -mcpu=sapphirerapids";

} // namespace

class TileRegistersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!backend::isBuilt(target::TargetKind::Llvm))
            QSKIP("built without LLVM");
        if (nestwright_has_tiles() == 0)
            qInfo("this system has no tile registers: loops run as they are");
    }

    /// In the registers where this machine has them.
    void computesTheSame_data()
    {
        QTest::addColumn<Product>("product");
        QTest::newRow("whole tiles") << product(64, 64, 64);
        QTest::newRow("parts of tiles") << product(30, 36, 10);
        QTest::newRow("one tile") << product(7, 16, 5);
        Product cleared = product(40, 64, 40);
        cleared.before = 0;
        QTest::newRow("sums that begin at 0") << cleared;
        QTest::newRow("bfloat16") << productOfFloats(32, 48, 24);
        for (const char *a : {"int8", "uint8"}) {
            for (const char *b : {"int8", "uint8"}) {
                Product signs = product(20, 24, 18);
                signs.a = a;
                signs.b = b;
                QTest::addRow("%s by %s", a, b) << signs;
            }
        }
        for (std::uint64_t seed = 0; seed < 60; ++seed)
            QTest::addRow("random %d", static_cast<int>(seed)) << randomProduct(seed);
    }
    void computesTheSame()
    {
        QFETCH(Product, product);
        const ir::Module plain = product.module(false);
        const auto wrong =
            tests::whyNotCompiledRight(*plain.mainEntry()->function, product.module(), "llvm", {});
        QVERIFY2(!wrong, wrong.value_or("").c_str());
    }

    void useTheInstructions()
    {
        for (const auto &[a, b, instruction] :
             {std::tuple("int8", "int8", "tdpbssd"), std::tuple("int8", "uint8", "tdpbsud"),
              std::tuple("uint8", "int8", "tdpbusd"), std::tuple("uint8", "uint8", "tdpbuud")}) {
            Product bytes = product(64, 64, 64);
            bytes.a = a;
            bytes.b = b;
            for (const bool isExchanged : {false, true}) {
                bytes.isExchanged = isExchanged;
                const std::string text = assemblyOf(bytes.module(), withTiles);
                QVERIFY2(text.contains(instruction), text.c_str());
                QVERIFY(text.contains("ldtilecfg"));
                QVERIFY(text.contains("tilerelease"));
            }
        }
        QVERIFY(assemblyOf(productOfFloats(32, 32, 32).module(), withTiles).contains("tdpbf16ps"));
    }

    void beginAtZero()
    {
        Product bytes = product(64, 64, 64);
        QVERIFY(!assemblyOf(bytes.module(), withTiles).contains("tilezero"));
        bytes.before = 0;
        QVERIFY(assemblyOf(bytes.module(), withTiles).contains("tilezero"));
    }

    /// Around all nests of the same form, in each thread: there are loops between setting and release.
    void formsAreSetOnce()
    {
        for (const char *kind : {"serial", "parallel"}) {
            const std::string text = assemblyOf(tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((1048576,), "uint8"), B: T.Buffer((524288,), "int8"), C: T.Buffer((262144,), "int32")):
    for i in T.{}(64):
        for j in range(64):
            for m, n in T.grid(2, 32):
                C[i * 4096 + j * 32 + m * 2048 + n] = 0
            for m in T.serial(2, annotations={{"tile_registers": 1}}):
                for n, k, d in T.grid(32, 64, 4):
                    C[i * 4096 + j * 32 + m * 2048 + n] = C[i * 4096 + j * 32 + m * 2048 + n] + (
                        T.Cast("int32", A[i * 512 + m * 256 + k * 4 + d])
                        * T.Cast("int32", B[j * 8192 + k * 128 + n * 4 + d]))
)",
                                                                          kind)),
                                                withTiles);
            const std::size_t begin = text.find("ldtilecfg"), end = text.find("tilerelease", begin);
            QVERIFY(end != std::string::npos);
            QVERIFY(text.find("ldtilecfg", begin + 1) == std::string::npos);
            QVERIFY(text.substr(begin, end - begin).contains("\n.LBB"));
        }
    }

    void onlyWhereTheyAreWanted()
    {
        const auto hasTiles = [](const std::string &text) { return text.contains("tdpb"); };
        const Product bytes = product(64, 64, 64);
        QVERIFY(!hasTiles(assemblyOf(bytes.module(false), withTiles)));
        QVERIFY(!hasTiles(assemblyOf(bytes.module(), "llvm -mcpu=skylake-avx512")));
        QVERIFY(!hasTiles(assemblyOf(bytes.module(), "llvm -mcpu=sapphirerapids -mattr=-amx-int8")));
        QVERIFY(!hasTiles(
            assemblyOf(productOfFloats(32, 32, 32).module(), "llvm -mcpu=sapphirerapids -mattr=-amx-bf16")));
        QVERIFY(!hasTiles(assemblyOf(bytes.module(), "llvm -mtriple=aarch64-linux-gnu")));
        Product apart = bytes; // terms of a word
        apart.loops[3].b = 64;
        QVERIFY(!hasTiles(assemblyOf(apart.module(), withTiles)));
    }
};

QTEST_APPLESS_MAIN(TileRegistersTest)
#include "tile_registers_test.moc"
