// SPDX-License-Identifier: Apache-2.0
// Values of models that are no tensors of a known shape: sequences from and to folders, optional values, and
// tensors whose size is known only when the model runs.
#include "tests/cli/nestc_runner.h"
#include "tests/support/onnx_bytes.h"

#include <cstring>

using nestwright::test::NestcRunner;
namespace onnx = nestwright::tests::onnx;

namespace {

using Floats = std::vector<float>;

std::string raw(const Floats &values)
{
    return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(float)};
}

QByteArray tensorFile(const Floats &values)
{
    return QByteArray::fromStdString(
        onnx::tensor("t", {static_cast<std::int64_t>(values.size())}, onnx::Float, raw(values)));
}

/// An input (11) or output (12) that holds tensors of floats: a sequence (4) or an optional tensor (9).
std::string composed(int number, std::string_view name, int kind)
{
    const std::string element = onnx::field(1, onnx::field(1, std::int64_t{onnx::Float}));
    return onnx::field(number,
                       onnx::field(1, name) + onnx::field(2, onnx::field(kind, onnx::field(1, element))));
}

/// The float32 numbers of a .npy file, behind its header.
Floats numbers(const QByteArray &npy)
{
    if (npy.size() < 10)
        return {};
    const qsizetype begin = 10 + static_cast<uchar>(npy[8]) + 256 * static_cast<uchar>(npy[9]);
    Floats values(static_cast<std::size_t>(npy.size() - begin) / sizeof(float));
    std::memcpy(values.data(), npy.constData() + begin, values.size() * sizeof(float));
    return values;
}

} // namespace

class ComposedValuesTest : public QObject {
    Q_OBJECT

    NestcRunner m_nestc;

    QString model(const QString &name, const std::string &graph)
    {
        return m_nestc.write(name, QByteArray::fromStdString(onnx::model(graph)));
    }

private Q_SLOTS:
    void initTestCase()
    {
        const QString any = NestcRunner::example("models/two_sizes.onnx");
        if (m_nestc.run({"graph", any}).err.contains("model.not-built"))
            QSKIP("built without the reader for ONNX");
    }

    void sequencesAreFolders()
    {
        const QString path =
            model("sequence.onnx", onnx::node("SequenceInsert", {"s", "x"}, {"y"}) + composed(11, "s", 4)
                                       + onnx::input("x", {2}) + composed(12, "y", 4));
        QVERIFY(QDir(m_nestc.file("")).mkdir("s") && QDir(m_nestc.file("")).mkdir("s1"));
        m_nestc.write("s/0.pb", tensorFile({1, 2, 3}));
        m_nestc.write("s/1.pb", tensorFile({4}));
        const QString x = m_nestc.write("x.pb", tensorFile({5, 6}));
        const auto ran = m_nestc.run({"run-model", path, "--in", "s=s", "--in", "x=" + x, "--out", "y=y"});
        QCOMPARE(ran.err, QString());
        QCOMPARE(ran.status, 0);
        QCOMPARE(numbers(m_nestc.read("y/0.npy")), (Floats{1, 2, 3}));
        QCOMPARE(numbers(m_nestc.read("y/1.npy")), (Floats{4}));
        QCOMPARE(numbers(m_nestc.read("y/2.npy")), (Floats{5, 6}));

        m_nestc.write("y/7.npy", "left by a run before");
        m_nestc.write("y/notes.npy", "of somebody");
        m_nestc.write("s1/0.pb", tensorFile({1}));
        const auto shorter =
            m_nestc.run({"run-model", path, "--in", "s=s1", "--in", "x=" + x, "--out", "y=y"});
        QCOMPARE(shorter.status, 0);
        QCOMPARE(QDir(m_nestc.file("y")).entryList(QDir::Files, QDir::Name),
                 (QStringList{"0.npy", "1.npy", "notes.npy"}));

        const auto none = m_nestc.run({"run-model", path});
        QCOMPARE(none.status, 2);
        QVERIFY2(
            none.err.contains("the input \"s\" is a sequence of tensors: how many they are must be known")
                && none.err.contains("--in s=FOLDER"),
            qPrintable(none.err));
        QVERIFY(m_nestc.run({"run-model", path, "--in", "x=s"}).err.contains("the input \"x\" is a tensor"));
        m_nestc.write("s/notes.txt", "");
        QVERIFY(m_nestc.run({"run-model", path, "--in", "s=s"})
                    .err.contains("\"s\" holds 3 files, but no 2.npy or 2.pb"));
    }

    void filesHoldSequencesToo()
    {
        const QString path =
            model("at.onnx", onnx::node("SequenceAt", {"s", "i"}, {"y"}) + onnx::weight("i", {1})
                                 + composed(11, "s", 4) + onnx::output("y"));
        const std::string first = onnx::tensor("", {1}, onnx::Float, raw({7})),
                          second = onnx::tensor("", {2}, onnx::Float, raw({8, 9}));
        const QString file = m_nestc.write(
            "sequence.pb", QByteArray::fromStdString(onnx::field(2, std::int64_t{1}) + onnx::field(3, first)
                                                     + onnx::field(3, second)));
        const auto ran = m_nestc.run({"run-model", path, "--in", "s=" + file, "--out", "y=y.npy"});
        QCOMPARE(ran.err, QString());
        QCOMPARE(numbers(m_nestc.read("y.npy")), (Floats{8, 9}));
    }

    void optionalValuesMayBeMissing()
    {
        const QString path =
            model("optional.onnx", onnx::node("OptionalHasElement", {"o"}, {"has"})
                                       + onnx::node("Cast", {"has"}, {"y"}, onnx::integer("to", 1))
                                       + composed(11, "o", 9) + onnx::output("y"));
        const QString tensor = m_nestc.write("o.npy", m_nestc.read("y.npy"));
        const auto there = m_nestc.run({"run-model", path, "--in", "o=" + tensor, "--out", "y=there.npy"}),
                   missing = m_nestc.run({"run-model", path, "--out", "y=missing.npy"});
        QCOMPARE(there.err + missing.err, QString());
        QCOMPARE(numbers(m_nestc.read("there.npy")), (Floats{1}));
        QCOMPARE(numbers(m_nestc.read("missing.npy")), (Floats{0}));
    }

    /// The elements above 0, as many as there are.
    void sizesThatDependOnData()
    {
        const QString path = model("late.onnx", onnx::node("Relu", {"x"}, {"r"})
                                                    + onnx::node("Cast", {"r"}, {"c"}, onnx::integer("to", 9))
                                                    + onnx::node("Compress", {"x", "c"}, {"y"})
                                                    + onnx::input("x", {5}) + onnx::output("y"));
        const QString x = m_nestc.write("five.pb", tensorFile({3, -1, 0, 2, -5}));
        const auto ran =
            m_nestc.run({"run-model", path, "--in", "x=" + x, "--out", "y=late.npy", "--statistics"});
        QCOMPARE(ran.err, QString());
        QCOMPARE(numbers(m_nestc.read("late.npy")), (Floats{3, 2}));
        QVERIFY2(ran.out.contains("Tensor[(2,), float32]") && ran.out.contains("y.size0"),
                 qPrintable(ran.out));
    }
};

QTEST_GUILESS_MAIN(ComposedValuesTest)
#include "composed_values_test.moc"
