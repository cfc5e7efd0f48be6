// SPDX-License-Identifier: Apache-2.0
// Labels of classifiers that are text, on the command line; the list of operators; files that are no models.
#include "tests/cli/nestc_runner.h"
#include "tests/support/onnx_bytes.h"

using namespace nestwright::tests::onnx;
using nestwright::test::NestcRunner;

namespace {

/// Two rows of two features, which become a label and probabilities by name.
QByteArray classifier()
{
    const std::string attributes = reals("coefficients", {1, 0, 0, 1, 0, 0})
                                   + reals("intercepts", {0.5, 0.25, 1})
                                   + texts("classlabels_strings", {"ant", "bee", "cat"});
    const std::string graph = node("LinearClassifier", {"x"}, {"label", "scores"}, attributes, "ai.onnx.ml")
                              + node("ZipMap", {"scores"}, {"named"},
                                     texts("classlabels_strings", {"ant", "bee", "cat"}), "ai.onnx.ml")
                              + input("x", {2, 2}) + output("label") + output("named");
    return QByteArray::fromStdString(
        model(graph, field(8, field(1, "ai.onnx.ml") + field(2, std::int64_t{3}))));
}

} // namespace

class ModelLabelsTest : public QObject {
    Q_OBJECT

    NestcRunner m_nestc;

private Q_SLOTS:
    void initTestCase()
    {
        if (m_nestc.run({"list", "onnx"}).out.count('\n') < 2)
            QSKIP("built without the reader for ONNX");
    }

    void labelsAreShownAndWritten()
    {
        const QString path = m_nestc.write("m.onnx", classifier());
        const auto shown = m_nestc.run({"run-model", path});
        COMPARE_STATUS(shown, 0);
        QVERIFY2(shown.out.contains("label is text: \"cat\", \"cat\"\n")
                     && shown.out.contains("named has columns: \"ant\", \"bee\", \"cat\"\n"),
                 qPrintable(shown.out));
        const auto json = m_nestc.run({"run-model", path, "--out", "label=" + m_nestc.file("label.json"),
                                       "--out", "named=" + m_nestc.file("named.json")});
        COMPARE_STATUS(json, 0);
        QCOMPARE(m_nestc.read("label.json"), QByteArray("[\"cat\",\"cat\"]\n"));
        const QJsonArray rows = QJsonDocument::fromJson(m_nestc.read("named.json")).array();
        QCOMPARE(rows.size(), 2);
        QCOMPARE(rows[1].toObject(), (QJsonObject{{"ant", 0.5}, {"bee", 0.25}, {"cat", 1.0}}));
        const auto lines = m_nestc.run({"run-model", path, "--out", "label=" + m_nestc.file("label.txt"),
                                        "--out", "named=" + m_nestc.file("named.txt")});
        COMPARE_STATUS(lines, 0);
        QCOMPARE(m_nestc.read("label.txt"), QByteArray("cat\ncat\n"));
        QCOMPARE(m_nestc.read("named.txt"), QByteArray("ant\tbee\tcat\n0.5\t0.25\t1\n0.5\t0.25\t1\n"));
        const auto places = m_nestc.run({"run-model", path, "--out", "label=" + m_nestc.file("label.npy")});
        COMPARE_STATUS(places, 0);
        QVERIFY2(places.err.contains("places in the table of texts"), qPrintable(places.err));
    }

    void operatorsAreListed()
    {
        const auto list = m_nestc.run({"list", "onnx"});
        COMPARE_STATUS(list, 0);
        const auto says = [&](const char *expression) {
            return QRegularExpression(expression, QRegularExpression::MultilineOption)
                .match(list.out)
                .hasMatch();
        };
        QVERIFY(says("^ai.onnx +Conv +1 to 28 +read$"));
        QVERIFY(says("^ai.onnx.ml +TreeEnsembleClassifier +1 to 5 +read$"));
        QVERIFY(says("^ai.onnx.ml +DictVectorizer +1 to 5 +not read: its input is a map"));
        QVERIFY(says("^com.microsoft +FusedConv +1 +read$"));
        QVERIFY(says("^ai.onnx +Bernoulli +1 to 28 +not read: random numbers"));
        const auto json = m_nestc.run({"list", "onnx", "--json"});
        COMPARE_STATUS(json, 0);
        const QJsonArray all = QJsonDocument::fromJson(json.out.toUtf8()).array();
        QCOMPARE(all.size(), list.out.count('\n') - 1);
        QVERIFY(all[0].toObject().contains("versions"));
    }

    void filesThatAreNoModels()
    {
        const auto told = [&](const char *name, const QByteArray &bytes) {
            return m_nestc.run({"graph", m_nestc.write(name, bytes)}).err;
        };
        const QString page = told("page.onnx", "<!DOCTYPE html><html><body>Sign in</body></html>");
        QVERIFY2(page.contains("is no ONNX model: it is an HTML page")
                     && page.contains("download the file itself"),
                 qPrintable(page));
        const QString pointer =
            told("pointer.onnx", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n");
        QVERIFY2(pointer.contains("a pointer of Git LFS") && pointer.contains("git lfs pull"),
                 qPrintable(pointer));
        QVERIFY(told("empty.onnx", "").contains("it is empty"));
    }

    void unknownOperatorsNameTheList()
    {
        const std::string graph = node("Unheard", {"x"}, {"y"}) + input("x", {2}) + output("y");
        const auto told =
            m_nestc.run({"graph", m_nestc.write("u.onnx", QByteArray::fromStdString(model(graph)))});
        QVERIFY2(told.err.contains("`nestc list onnx` names those"), qPrintable(told.err));
    }
};

QTEST_GUILESS_MAIN(ModelLabelsTest)
#include "model_labels_test.moc"
