// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/library_kernel.h"

#include "core/script/tvmscript_parser.h"
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
    }

    void otherConvolutionsAreNone()
    {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QVERIFY(
            !of(with(std::string(tests::programText("conv2d_pad")), from.toStdString(), to.toStdString())));
    }

    void strangeConvolutionsAreNone()
    {
        QVERIFY(!of(with(strided, "T.float32(0)", "T.float32(1)")));
        QVERIFY(!of(with(strided, "vh * 2 + vr,", "vh * 2 + vr * 0,")));
        QVERIFY(!of(with(strided, "vh * 2 + vr,", "vh * 2 + vs,")));
        QVERIFY(!of(with(strided, "W[vf, vc, vr, vs]", "W[vf, vc, vs, vr]")));
        QVERIFY(!of(with(strided, "+ W[", "- W[")));
        QVERIFY(!of(with(strided, "X[vn, vc,", "X[vc, vn,")));
    }

    void otherRowsAreNone()
    {
        const std::string text(tests::programText("softmax"));
        QVERIFY(!of(with(text, "-3.4028234663852886e+38", "0")));
        QVERIFY(!of(with(text, "T.max(M[vi], A[vi, vk])", "T.min(M[vi], A[vi, vk])")));
        QVERIFY(!of(with(text, "T.exp(", "T.tanh(")));
        QVERIFY(!of(with(text, "Z[vi] + E[vi, vk]", "Z[vi] + A[vi, vk]")));
        QVERIFY(!of(with(text, "A[vi, vj] - M[vi]", "M[vi] - A[vi, vj]")));
    }
};

QTEST_GUILESS_MAIN(LibraryKernelTest)
#include "library_kernel_test.moc"
