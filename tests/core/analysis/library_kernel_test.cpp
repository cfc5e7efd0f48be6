// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/kernel/library_kernel.h"

#include "core/script/tvmscript/parser.h"
#include "tests/support/programs.h"

#include <QTest>

using namespace nestwright;
using analysis::Convolution;
using analysis::LibraryKernel;
using analysis::MatrixProduct;
using analysis::Softmax;

class LibraryKernelTest : public QObject {
    Q_OBJECT

    static std::optional<LibraryKernel> of(const std::string &text)
    {
        const auto module = script::parseTvmScript(text, "kernel.py");
        if (!module)
            qFatal("%s\n%s", module.error().render().c_str(), text.c_str());
        return analysis::libraryKernelOf(*module->mainEntry()->function);
    }

    static std::string with(std::string text, const std::string &from, const std::string &to)
    {
        const auto place = text.find(from);
        if (place == std::string::npos)
            qFatal("there is no '%s'", from.c_str());
        return text.replace(place, from.size(), to);
    }

    static std::string withAll(std::string text, const std::string &from, const std::string &to)
    {
        text = with(std::move(text), from, to);
        for (auto place = text.find(from); place != std::string::npos; place = text.find(from, place))
            text.replace(place, from.size(), to);
        return text;
    }

    static std::string padded() { return std::string(tests::programText("conv2d_pad")); }

    /// A convolution of stride 2 down and dilation 3 across, without padding.
    static constexpr const char *strided = R"(
from tvm.script import tir as T

@T.prim_func
def main(X: T.Buffer((2, 3, 9, 12), "float32"), W: T.Buffer((5, 3, 3, 2), "float32"),
         Y: T.Buffer((2, 5, 4, 9), "float32")):
    for n, f, h, w, c, r, s in T.grid(2, 5, 4, 9, 3, 3, 2):
        with T.block("Y"):
            vn, vf, vh, vw, vc, vr, vs = T.axis.remap("SSSSRRR", [n, f, h, w, c, r, s])
            with T.init():
                Y[vn, vf, vh, vw] = T.float32(0)
            Y[vn, vf, vh, vw] = Y[vn, vf, vh, vw] + W[vf, vc, vr, vs] * X[vn, vc, vh * 2 + vr, vs * 3 + vw]
)";

private Q_SLOTS:
    void products()
    {
        QVERIFY(of(std::string(tests::programText("matmul")))
                == LibraryKernel(MatrixProduct{128, 128, 128, false, false, false}));
    }

    void convolutions()
    {
        QVERIFY(of(std::string(tests::programText("conv2d_pad")))
                == LibraryKernel(Convolution{1, 8, 16, {14, 14}, {3, 3}, {14, 14}, {1, 1}, {1, 1}, {1, 1}}));
        const Convolution wanted{2, 3, 5, {9, 12}, {3, 2}, {4, 9}, {2, 1}, {1, 3}, {0, 0}};
        QVERIFY(of(strided) == LibraryKernel(wanted));
        QCOMPARE(analysis::flopsOf(wanted), 2.0 * 2 * 3 * 5 * 3 * 2 * 4 * 9);
        std::string columns = with(padded(), "(1, 8, 14, 14)", "(1, 8, 16, 14)");
        columns = with(withAll(columns, "vh - 1", "vh"), "1 <= vh and vh < 15", "0 <= vh and vh < 16");
        QVERIFY(of(columns)
                == LibraryKernel(Convolution{1, 8, 16, {16, 14}, {3, 3}, {14, 14}, {1, 1}, {1, 1}, {0, 1}}));
    }

    void softmaxes()
    {
        QVERIFY(of(std::string(tests::programText("softmax"))) == LibraryKernel(Softmax{16, 32}));
        QCOMPARE(analysis::flopsOf(Softmax{16, 32}), 4.0 * 16 * 32);
    }

    void otherConvolutionsAreNone_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::newRow("padded with something else") << "T.float32(0)" << "T.float32(1)";
        QTest::newRow("one row less") << "1 <= vh" << "2 <= vh";
        QTest::newRow("read elsewhere") << "X[vn, vc, vh - 1, vw - 1], T" << "X[vn, vc, vh - 1, vc], T";
        QTest::newRow("one column more is zero") << "vw < 15" << "vw < 14";
        QTest::newRow("read in another direction") << "vh - 1, vw - 1], T" << "vh * 2 - 1, vw - 1], T";
        QTest::newRow("read along a diagonal") << "vh - 1, vw - 1], T" << "vh + vw - 1, vw - 1], T";
        QTest::newRow("channels of another image") << "X[vn, vc, vh - 1, vw - 1], T"
                                                   << "X[vc, vn, vh - 1, vw - 1], T";
        QTest::newRow("of another batch") << "X: T.Buffer((1, 8" << "X: T.Buffer((2, 8";
        QTest::newRow("of more channels") << "X: T.Buffer((1, 8" << "X: T.Buffer((1, 9";
    }

    void otherConvolutionsAreNone()
    {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QVERIFY(
            !of(with(std::string(tests::programText("conv2d_pad")), from.toStdString(), to.toStdString())));
    }

    /// Rows from the first on are read though the second is padding, too.
    void moreThanTheInputIsRead()
    {
        const std::string text =
            with(withAll(padded(), "vh - 1", "vh - 2"), "1 <= vh and vh < 15", "2 <= vh and vh < 16");
        QVERIFY(of(text));
        QVERIFY(!of(with(text, "2 <= vh", "1 <= vh")));
    }

    /// Stages before the convolution that do something else than padding.
    void otherStagesBeforeConvolutions()
    {
        const std::string text = padded();
        const auto begin = text.find("P[vn, vc, vh, vw] = "), end = text.find("    for n, f");
        const auto fillWith = [&](const std::string &value) {
            return std::string(text).replace(begin, end - begin, "P[vn, vc, vh, vw] = " + value + "\n");
        };
        QVERIFY(!of(fillWith("X[vn, vc, vh % 14, vw % 14]")));
        QVERIFY(!of(fillWith("T.exp(X[vn, vc, vh % 14, vw % 14])")));
        const auto behind = [&](const std::string &from, const std::string &before) {
            return with(text, from, before + from);
        };
        const std::string filled = R"(    Q = T.alloc_buffer((8, 8))
    for a, b in T.grid(8, 8):
        with T.block("Q"):
            va, vb = T.axis.remap("SS", [a, b])
            Q[va, vb] = T.float32(1)
)";
        QVERIFY(!of(behind("    for n, c, h, w", filled)));
        QVERIFY(
            !of(behind("    for n, c, h, w", with(filled, "alloc_buffer((8, 8)", "alloc_buffer((8, 9)"))));
        const std::string added = with(with(filled, "SS", "SR"), "            Q[va, vb] = T.float32(1)",
                                       "            with T.init():\n                Q[va] = T.float32(0)\n"
                                       "            Q[va] = Q[va] + T.float32(1)");
        const std::string sums =
            with(with(text, "n, c, h, w in T.grid(1, 8, 16, 16)", "n, c, h, w, k in T.grid(1, 8, 16, 16, 2)"),
                 "vn, vc, vh, vw = T.axis.remap(\"SSSS\", [n, c, h, w])",
                 "vn, vc, vh, vw, vk = T.axis.remap(\"SSSSR\", [n, c, h, w, k])\n"
                 "            with T.init():\n"
                 "                P[vn, vc, vh, vw] = T.float32(0)");
        QVERIFY(!of(with(sums, "= T.if_then_else(", "= P[vn, vc, vh, vw] + T.if_then_else(")));
        // In place of the padding, of which then no stage is there.
        const auto pads = text.find("    for n, c, h, w");
        const std::string alone = std::string(text).replace(
            pads, end - pads, with(added, "alloc_buffer((8, 8)", "alloc_buffer((8,)"));
        QVERIFY(!of(alone));
    }

    void strangeConvolutionsAreNone()
    {
        QVERIFY(!of(with(strided, "T.float32(0)", "T.float32(1)")));
        QVERIFY(!of(with(strided, "vh * 2 + vr,", "vh * 2 + vr * 0,")));
        QVERIFY(!of(with(strided, "vh * 2 + vr,", "vh * 2 + vs,")));
        QVERIFY(!of(with(strided, "W[vf, vc, vr, vs]", "W[vf, vc, vs, vr]")));
        QVERIFY(!of(with(strided, "+ W[", "- W[")));
        QVERIFY(!of(with(strided, "vs] * X[", "vs] + X[")));
        QVERIFY(!of(with(strided, "W[vf, vc, vr, vs] * ", "")));
        QVERIFY(!of(with(strided, "X[vn, vc,", "X[vc, vn,")));
        QVERIFY(!of(with(strided, "vh * 2 + vr,", "vh * 0 + vr,")));
        QVERIFY(!of(with(with(strided, "9, 12", "10, 12"), "vh * 2 + vr,", "vh * 2 + vr + 1,")));
        QVERIFY(!of(withAll(strided, "float32", "float64")));
        QVERIFY(!of(with(with(strided, "(2, 3, 9, 12)", "(m, 3, 9, 12)"),
                         "\"float32\")):", "\"float32\"), m: T.int32):")));
        QVERIFY(!of(with(strided, "Y: T.Buffer((2, 5, 4, 9)", "Y: T.Buffer((2, 5, 4, 10)")));
        QVERIFY(!of(with(strided, "W: T.Buffer((5,", "W: T.Buffer((6,")));
        QVERIFY(!of(with(strided, "X: T.Buffer((2,", "X: T.Buffer((3,")));
        QVERIFY(!of(
            with(strided, "            with T.init", "            T.where(w < 8)\n            with T.init")));
        QVERIFY(!of(with(strided, "= Y[vn, vf, vh, vw] +", "= Y[vn, vf, vh, 0] +")));
        QVERIFY(
            !of(with(strided, "= Y[vn, vf, vh, vw] + W[vf, vc, vr, vs] *", "= T.exp(Y[vn, vf, vh, vw]) #")));
        const std::string axes =
            "vn, vf, vh, vw, vc, vr, vs = T.axis.remap(\"SSSSRRR\", [n, f, h, w, c, r, s])";
        const std::string alone = R"(vn, vf, vh, vw = T.axis.remap("SSSS", [n, f, h, w])
            vc = T.axis.reduce(3, c)
            vr, vs = T.axis.remap("RR", [r, s]))";
        QVERIFY(of(with(strided, axes, alone)));
        QVERIFY(!of(with(with(strided, axes, alone), "reduce(3, c)", "reduce((1, 4), c + 1)")));
    }

    void otherRowsAreNone()
    {
        const std::string text(tests::programText("softmax"));
        QVERIFY(!of(with(text, "-3.4028234663852886e+38", "0")));
        QVERIFY(!of(with(text, "T.max(M[vi], A[vi, vk])", "T.min(M[vi], A[vi, vk])")));
        QVERIFY(!of(with(text, "T.exp(", "T.tanh(")));
        QVERIFY(!of(with(text, "Z[vi] + E[vi, vk]", "Z[vi] + A[vi, vk]")));
        QVERIFY(!of(with(text, "A[vi, vj] - M[vi]", "M[vi] - A[vi, vj]")));
        QVERIFY(!of(with(text, "A[vi, vj] - M[vi]", "A[vi, vj] + M[vi]")));
        QVERIFY(!of(with(text, "T.max(M[vi], A[vi, vk])", "T.max(M[vi], A[vi, vk] + T.float32(1))")));
        const std::string half = with(text, "for i, k in T.grid(16, 32)", "for i, k in T.grid(16, 16)");
        QVERIFY(!of(half));
    }

    /// Greatest element or sum of a row several times.
    void furtherAxesOfRows()
    {
        std::string text(tests::programText("softmax"));
        for (const std::string name : {"M", "Z"}) {
            const auto block = text.find("    for i, k", name == "M" ? 0 : text.find("T.block(\"E\")"));
            const std::string axes = "vi, vk = T.axis.remap(\"SR\", [i, k])";
            std::string head = text.substr(0, block), rest = text.substr(block);
            rest = with(rest, "for i, k in T.grid(16, 32)", "for i, k, l in T.grid(16, 32, 2)");
            QVERIFY(!of(head + with(rest, axes, "vi, vk, vl = T.axis.remap(\"SRR\", [i, k, l])")));
        }
    }
};

QTEST_GUILESS_MAIN(LibraryKernelTest)
#include "library_kernel_test.moc"
