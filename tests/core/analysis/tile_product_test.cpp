// SPDX-License-Identifier: Apache-2.0
/// Nests of loops as products of matrices cut into tiles: which are recognised, and how they are cut.
#include "core/analysis/kernel/tile_product.h"
#include "core/ir/build/walk.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <format>

using namespace nestwright;

namespace {

struct Nest {
    std::string loops;
    std::string sum;
    std::string a = "int8", b = "int8", c = "int32";
};

std::vector<ir::Stmt> outermostLoops(const ir::Module &module)
{
    std::vector<ir::Stmt> loops;
    ir::forEachStmt(module.mainEntry()->function->body, [&](const ir::Stmt &s) {
        if (s.as<ir::For>())
            loops.push_back(s);
        return !s.as<ir::For>();
    });
    return loops;
}

/// The outermost loop of a flat program with one statement within.
std::optional<analysis::TileProduct> productOf(const Nest &nest)
{
    std::string text = std::format(R"(
@T.prim_func
def main(A: T.Buffer((1048576,), "{}"), B: T.Buffer((1048576,), "{}"), C: T.Buffer((1048576,), "{}"),
         p: T.int32):
)",
                                   nest.a, nest.b, nest.c);
    std::string indent = "    ";
    for (std::size_t at = 0; at < nest.loops.size();) {
        std::size_t end = nest.loops.find(',', at);
        while (end != std::string::npos && nest.loops[end + 1] == ' ') // between arguments
            end = nest.loops.find(',', end + 1);
        const std::string loop = nest.loops.substr(at, end - at); // "m 16", "m T.unroll(16)"
        const std::string name = loop.substr(0, loop.find(' ')), extent = loop.substr(loop.find(' ') + 1);
        text += std::format("{}for {} in {}:\n", indent, name,
                            extent.starts_with("T.") ? extent : "range(" + extent + ")");
        indent += "    ";
        at = end == std::string::npos ? end : end + 1;
    }
    const ir::Module module = tests::parsed(text + indent + nest.sum + "\n");
    return analysis::tileProductOf(outermostLoops(module).front());
}

/// "16x16x16 words, 2x2 tiles, 1 outer, 1 inner".
std::string shapeOf(const Nest &nest)
{
    const auto product = productOf(nest);
    return product ? std::format("{}x{}x{}, {}x{} tiles, {} outer, {} inner", product->rows, product->columns,
                                 product->words, product->rowTiles.extent, product->columnTiles.extent,
                                 product->outer.size(), product->inner.size())
                   : "";
}

std::string sum(const std::string &c, const std::string &a, const std::string &b,
                const std::string &type = "int32")
{
    return std::format("C[{0}] = C[{0}] + T.Cast(\"{3}\", A[{1}]) * T.Cast(\"{3}\", B[{2}])", c, a, b, type);
}

/// 64 × 64 × 256, B by panels of four rows.
const std::string places = sum("m * 64 + n", "m * 256 + k * 4 + d", "k * 256 + n * 4 + d");

} // namespace

class TileProductTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void shapes_data()
    {
        QTest::addColumn<Nest>("nest");
        QTest::addColumn<std::string>("shape");
        const std::string whole = "16x16x16, 2x2 tiles, 2 outer, 1 inner";
        QTest::newRow("bytes") << Nest{"m 64,n 64,k 64,d 4", places} << whole;
        QTest::newRow("another order of loops") << Nest{"k 64,n 64,d 4,m 64", places} << whole;
        QTest::newRow("unsigned") << Nest{"m 64,n 64,k 64,d 4", places, "uint8", "uint8"} << whole;
        QTest::newRow("loops in parts")
            << Nest{"m0 2,n0 4,k0 8,m1 32,n1 16,k1 8,d 4",
                    sum("m0 * 2048 + m1 * 64 + n0 * 16 + n1", "m0 * 8192 + m1 * 256 + k0 * 32 + k1 * 4 + d",
                        "k0 * 2048 + k1 * 256 + n0 * 64 + n1 * 4 + d")}
            << whole;
        QTest::newRow("exchanged factors")
            << Nest{"m 64,n 64,k 64,d 4", "C[m * 64 + n] = T.Cast(\"int32\", B[k * 256 + n * 4 + d])"
                                          " * T.Cast(\"int32\", A[m * 256 + k * 4 + d]) + C[m * 64 + n]"}
            << whole;
        QTest::newRow("exchanged matrices")
            << Nest{"m 64,n 64,k 64,d 4", sum("n * 64 + m", "k * 256 + m * 4 + d", "n * 256 + k * 4 + d")}
            << whole;
        QTest::newRow("bfloat16") << Nest{
            "m 64,n 64,k 128,d 2", sum("m * 64 + n", "m * 256 + k * 2 + d", "k * 128 + n * 2 + d", "float32"),
            "bfloat16", "bfloat16",
            "float32"} << whole;
        QTest::newRow("sizes of which tiles are parts")
            << Nest{"m 30,n 48,k 60,d 4", sum("m * 48 + n", "m * 240 + k * 4 + d", "k * 192 + n * 4 + d")}
            << std::string("15x16x15, 1x3 tiles, 1 outer, 1 inner");
        QTest::newRow("one tile") << Nest{"m 7,n 16,k 5,d 4",
                                          sum("m * 16 + n", "m * 20 + k * 4 + d", "k * 64 + n * 4 + d")}
                                  << std::string("7x16x5, 1x1 tiles, 0 outer, 0 inner");
        QTest::newRow("one row") << Nest{"n 32,k 16,d 4", sum("n", "k * 4 + d", "k * 128 + n * 4 + d")}
                                 << std::string("1x16x16, 1x2 tiles, 0 outer, 0 inner");
        QTest::newRow("unrolled") << Nest{"m 64,n 64,k 64,d T.unroll(4)", places} << whole;
        QTest::newRow("a loop of one iteration") << Nest{"m 64,u 1,n 64,k 64,d 4", places} << whole;
        QTest::newRow("three tiles of rows")
            << Nest{"m 48,n 16,k 16,d 4", sum("m * 16 + n", "m * 64 + k * 4 + d", "k * 64 + n * 4 + d")}
            << std::string("16x16x16, 3x1 tiles, 0 outer, 0 inner");
        QTest::newRow("three tiles each way")
            << Nest{"m 48,n 48,k 16,d 4", sum("m * 48 + n", "m * 64 + k * 4 + d", "k * 192 + n * 4 + d")}
            << std::string("16x16x16, 1x3 tiles, 1 outer, 0 inner");
        QTest::newRow("several products")
            << Nest{"g 4,m 16,n 16,k 16,d 4", sum("g * 256 + m * 16 + n", "g * 1024 + m * 64 + k * 4 + d",
                                                  "g * 1024 + k * 64 + n * 4 + d")}
            << std::string("16x16x16, 1x1 tiles, 1 outer, 0 inner");
        QTest::newRow("terms in parts that lie apart")
            << Nest{"c 16,m 16,n 16,k 8,d 4",
                    sum("m * 16 + n", "c * 4096 + m * 32 + k * 4 + d", "c * 512 + k * 64 + n * 4 + d")}
            << std::string("16x16x8, 1x1 tiles, 0 outer, 1 inner");
        QTest::newRow("a convolution") // rows of 16 pixels of 16 channels; 3 pixels are one row of terms
            << Nest{"f 2,h 2,w 14,i 16,c 8,r 3,s 3,q 4,d 4",
                    sum("f * 3136 + h * 224 + w * 16 + i",
                        "c * 4096 + h * 256 + r * 256 + w * 16 + s * 16 + q * 4 + d",
                        "f * 18432 + c * 2304 + r * 768 + s * 256 + q * 64 + i * 4 + d")}
            << std::string("14x16x12, 2x2 tiles, 0 outer, 2 inner");
    }
    void shapes()
    {
        QFETCH(Nest, nest);
        QFETCH(std::string, shape);
        QCOMPARE(shapeOf(nest), shape);
    }

    void steps()
    {
        const auto product =
            productOf({"m 64,n 64,k 64,d 4",
                       sum("m * 64 + n + p", "m * 256 + k * 4 + d + p * 8", "k * 256 + n * 4 + d")});
        QVERIFY(product);
        QCOMPARE(product->a.rowStep, 256);
        QCOMPARE(product->b.rowStep, 256);
        QCOMPARE(product->c.rowStep, 64);
        QCOMPARE(product->a.buffer.name(), std::string("A"));
        QCOMPARE(product->wordTerms, 4);
        QCOMPARE(product->registers(), 8);
        QVERIFY(product->rowTiles == (analysis::TileSteps{2, {16 * 256, 0, 16 * 64}}));
        QVERIFY(product->columnTiles == (analysis::TileSteps{2, {0, 64, 16}}));
        QVERIFY(product->inner.front() == (analysis::TileSteps{4, {64, 16 * 256, 0}}));
        const auto exchanged = productOf(
            {"m 64,n 64,k 64,d 4", sum("n * 64 + m", "k * 256 + m * 4 + d", "n * 256 + k * 4 + d"), "uint8"});
        QVERIFY(exchanged);
        QCOMPARE(exchanged->b.buffer.name(), std::string("A"));
        QVERIFY(exchanged->b.buffer.dtype().isUInt());
        // Of two loops over rows the inner one goes through a tile; five tiles are not held together.
        const auto ofImages =
            productOf({"h 80,w 16,n 80,k 16,d 4",
                       sum("h * 1280 + w * 80 + n", "h * 2048 + w * 64 + k * 4 + d", "k * 320 + n * 4 + d")});
        QVERIFY(ofImages);
        QCOMPARE(ofImages->a.rowStep, 64);
        QCOMPARE(ofImages->c.rowStep, 80);
        QCOMPARE(ofImages->columns, 16);
        const auto ofFives =
            productOf({"m 80,n 80,k 16,d 4", sum("m * 80 + n", "m * 64 + k * 4 + d", "k * 320 + n * 4 + d")});
        QVERIFY(ofFives);
        QVERIFY(ofFives->rowTiles == analysis::TileSteps{} && ofFives->columnTiles == analysis::TileSteps{});
    }

    void clears_data()
    {
        QTest::addColumn<QString>("before");
        QTest::addColumn<bool>("isCleared");
        QTest::newRow("all at once") << "for x in range(4096):\n        C[p + x] = 0" << true;
        QTest::newRow("in vectors")
            << "for m, n in T.grid(64, 4):\n        C[p + m * 64 + n * 16:p + m * 64 + n * 16 + 16] = "
               "T.Broadcast(0, 16)"
            << true;
        QTest::newRow("again and again") << "for y, x in T.grid(2, 4096):\n        C[p + x] = 0" << true;
        QTest::newRow("with a loop of one iteration")
            << "for y, x in T.grid(1, 4096):\n        C[p + y * 7 + x] = 0" << true;
        QTest::newRow("vectors whose elements lie apart somehow")
            << "for x in range(256):\n        C[T.Ramp(p + x * 16, p, 16)] = T.Broadcast(0, 16)" << false;
        QTest::newRow("less") << "for x in range(4032):\n        C[p + x] = 0" << false;
        QTest::newRow("elsewhere") << "for x in range(4096):\n        C[x] = 0" << false;
        QTest::newRow("apart") << "for x in range(4096):\n        C[p + x * 2] = 0" << false;
        QTest::newRow("another value") << "for x in range(4096):\n        C[p + x] = 1" << false;
        QTest::newRow("another matrix") << "for x in range(4096):\n        A[p + x] = T.int8(0)" << false;
        QTest::newRow("sometimes") << "for x in range(4096):\n        if x < p:\n            C[p + x] = 0"
                                   << false;
    }
    void clears()
    {
        QFETCH(QString, before);
        QFETCH(bool, isCleared);
        const ir::Module module = tests::parsed(std::format(
            R"(
@T.prim_func
def main(A: T.Buffer((1048576,), "int8"), B: T.Buffer((1048576,), "int8"), C: T.Buffer((1048576,), "int32"),
         p: T.int32):
    {}
    for m, n, k, d in T.grid(64, 64, 64, 4):
        {}
)",
            before.toStdString(), sum("p + m * 64 + n", "m * 256 + k * 4 + d", "k * 256 + n * 4 + d")));
        const std::vector<ir::Stmt> loops = outermostLoops(module);
        const auto product = analysis::tileProductOf(loops.back());
        QVERIFY(product);
        QCOMPARE(analysis::clearsResult(loops.front(), *product), isCleared);
    }

    void clearsSumsOfFloats_data()
    {
        QTest::addColumn<QString>("value");
        QTest::addColumn<bool>("isCleared");
        QTest::newRow("zero") << "T.float32(0)" << true;
        QTest::newRow("zero with a sign") << "T.float32(-0.0)" << false;
        QTest::newRow("one") << "T.float32(1)" << false;
    }
    void clearsSumsOfFloats()
    {
        QFETCH(QString, value);
        QFETCH(bool, isCleared);
        const ir::Module module = tests::parsed(std::format(
            R"(
@T.prim_func
def main(A: T.Buffer((256,), "bfloat16"), B: T.Buffer((256,), "bfloat16"), C: T.Buffer((256,), "float32")):
    for x in range(256):
        C[x] = {}
    for m, n, k, d in T.grid(16, 16, 8, 2):
        {}
)",
            value.toStdString(), sum("m * 16 + n", "m * 16 + k * 2 + d", "k * 32 + n * 2 + d", "float32")));
        const std::vector<ir::Stmt> loops = outermostLoops(module);
        const auto product = analysis::tileProductOf(loops.back());
        QVERIFY(product);
        QCOMPARE(analysis::clearsResult(loops.front(), *product), isCleared);
    }

    void refusals_data()
    {
        QTest::addColumn<Nest>("nest");
        const auto refused = [](const char *name, const Nest &nest) { QTest::newRow(name) << nest; };
        const std::string loops = "m 64,n 64,k 64,d 4";
        refused("no product",
                {loops, "C[m * 64 + n] = C[m * 64 + n] + T.Cast(\"int32\", A[m * 256 + k * 4 + d])"});
        refused("no sum", {loops, "C[m * 64 + n] = T.Cast(\"int32\", A[m * 256 + k * 4 + d])"
                                  " * T.Cast(\"int32\", B[k * 256 + n * 4 + d])"});
        refused("no sum of two", {loops, "C[m * 64 + n] = T.Cast(\"int32\", A[m * 256 + k * 4 + d])"});
        refused("a difference",
                {loops, "C[m * 64 + n] = C[m * 64 + n] - T.Cast(\"int32\", A[m * 256 + k * 4 + d])"
                        " * T.Cast(\"int32\", B[k * 256 + n * 4 + d])"});
        refused("a factor that is no element",
                {loops, "C[m * 64 + n] = C[m * 64 + n] + T.Cast(\"int32\", A[m * 256 + k * 4 + d]) * p"});
        refused("a sum under a condition", {loops, "if m < p:\n                        " + places});
        refused("iterations at once", {"m T.parallel(64),n 64,k 64,d 4", places});
        refused("a loop that begins elsewhere", {"m T.serial(1, 65),n 64,k 64,d 4", places});
        const std::string inA = "m * 256 + k * 4 + d", inB = "k * 256 + n * 4 + d";
        refused("a place in A that the sum changes", {loops, sum("m * 64 + n", inA + " + C[p]", inB)});
        refused("a place in B that the sum changes", {loops, sum("m * 64 + n", inA, inB + " + C[p]")});
        refused("a place in C that the sum changes", {loops, sum("m * 64 + n + C[p]", inA, inB)});
        refused("a sum of another element",
                {loops, "C[m * 64 + n] = C[m * 64 + n + 1] + T.Cast(\"int32\", A[m * 256 + k * 4 + d])"
                        " * T.Cast(\"int32\", B[k * 256 + n * 4 + d])"});
        refused("steps that are known only there",
                {loops, sum("m * 64 + n", "m * p + k * 4 + d", "k * 256 + n * 4 + d")});
        refused("no sum of the variables",
                {loops, sum("m * 64 + n", "m * 256 + k * 4 + d", "k // 2 * 256 + n * 4 + d")});
        refused("a matrix that is summed up in itself",
                {loops, "C[m * 64 + n] = C[m * 64 + n] + T.Cast(\"int32\", C[m * 256 + k * 4 + d])"
                        " * T.Cast(\"int32\", B[k * 256 + n * 4 + d])"});
        refused("other numbers", {loops, places, "int16", "int8"});
        refused("other numbers in the second matrix", {loops, places, "int8", "int16"});
        refused("halves", {"m 64,n 64,k 128,d 2",
                           sum("m * 64 + n", "m * 256 + k * 2 + d", "k * 128 + n * 2 + d", "float32"),
                           "float16", "float16", "float32"});
        refused("summed up in fewer bits",
                {loops, sum("m * 64 + n", "m * 256 + k * 4 + d", "k * 256 + n * 4 + d", "int16"), "int8",
                 "int8", "int16"});
        refused("rows of C that lie in one another",
                {loops, sum("m * 32 + n", "m * 256 + k * 4 + d", "k * 256 + n * 4 + d")});
        refused("rows of C that meet in an element",
                {loops, sum("m * 63 + n", "m * 256 + k * 4 + d", "k * 256 + n * 4 + d")});
        refused("terms that lie apart in B",
                {loops, sum("m * 64 + n", "m * 256 + k * 4 + d", "k * 256 + d * 64 + n")});
        refused("terms that lie apart in A",
                {loops, sum("m * 64 + n", "m + k * 256 + d * 64", "k * 256 + n * 4 + d")});
        refused("columns that lie apart",
                {loops, sum("n * 64 + m", "m * 256 + k * 4 + d", "k * 256 + n * 8 + d")});
        refused("an extent that is known only there", {"m p,n 64,k 64,d 4", places});
        refused("a step of the terms too few", {"m 64,n 64,k 64,d 3", places});
    }
    void refusals()
    {
        QFETCH(Nest, nest);
        QCOMPARE(shapeOf(nest), std::string());
    }
};

QTEST_APPLESS_MAIN(TileProductTest)
#include "tile_product_test.moc"
