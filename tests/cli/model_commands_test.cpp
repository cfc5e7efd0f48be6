// SPDX-License-Identifier: Apache-2.0
// The commands on models, on the small transformer of examples/models.
#include "tests/cli/nestc_runner.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

using nestwright::test::NestcRunner;

namespace {

const QString encoder = QStringLiteral("models/transformer_encoder.onnx");
const QString input = QStringLiteral("models/transformer_encoder_x.pb");

/// The float32 numbers of a .npy file, behind its header.
std::vector<float> numbers(const QByteArray &npy)
{
    const qsizetype begin = 10 + static_cast<uchar>(npy[8]) + 256 * static_cast<uchar>(npy[9]);
    std::vector<float> values(static_cast<std::size_t>(npy.size() - begin) / sizeof(float));
    std::memcpy(values.data(), npy.constData() + begin, values.size() * sizeof(float));
    return values;
}

} // namespace

class ModelCommandsTest : public QObject {
    Q_OBJECT

    NestcRunner m_nestc;

private Q_SLOTS:
    void tokenByToken()
    {
        const QString model = NestcRunner::example("models/language_model.onnx");
        const auto line = m_nestc.run({"bench-model", model, "--decode", "6"});
        QCOMPARE(line.status, 0);
        QVERIFY2(line.out.contains("6 tokens, ") && line.out.contains("64 places for former tokens"),
                 qPrintable(line.out));
        const auto told =
            m_nestc.run({"bench-model", model, "--decode", "6", "--places", "7", "--json", "-"});
        QCOMPARE(told.status, 0);
        const QStringList lines = told.out.trimmed().split('\n');
        const QJsonObject last = QJsonDocument::fromJson(lines.back().toUtf8()).object();
        QCOMPARE(last["tokens"].toArray(), (QJsonArray{62, 17, 10, 86, 38, 119}));
        QCOMPARE(last["seconds"].toArray().size(), 6);
        QCOMPARE(last["places"].toInt(), 7);
        QCOMPARE(QJsonDocument::fromJson(lines[lines.size() - 2].toUtf8()).object()["token"].toInt(), 6);
        QVERIFY(m_nestc.run({"bench-model", model, "--decode", "6", "--places", "5"})
                    .err.contains("6 tokens need as many places, there are 5"));
        QVERIFY(m_nestc.run({"bench-model", NestcRunner::example(encoder), "--decode", "2"})
                    .err.contains("0 inputs of past"));
    }

    void initTestCase()
    {
        if (m_nestc.run({"graph", NestcRunner::example(encoder)}).err.contains("model.not-built"))
            QSKIP("built without the reader for ONNX");
    }

    void passesAreListedRequiredAndDisabled()
    {
        const QString model = NestcRunner::example(encoder);
        const auto all = m_nestc.run({"graph", model, "--print", "passes"});
        COMPARE_STATUS(all, 0);
        QVERIFY(QRegularExpression("fuse-ops +1 +0 +0 +[1-9]").match(all.out).hasMatch());
        const auto none = m_nestc.run({"graph", model, "--print", "passes", "-O0"});
        QVERIFY(QRegularExpression("fuse-ops +1 +– +– +–").match(none.out).hasMatch());
        const auto one = m_nestc.run({"graph", model, "-O0", "--require", "fuse-ops"});
        QVERIFY(one.out.contains(" = fn("));
        const auto without = m_nestc.run({"graph", model, "--disable", "fuse-ops"});
        COMPARE_STATUS(without, 0);
        QVERIFY(!without.out.contains(" = fn("));
        QCOMPARE(m_nestc.run({"graph", model, "--disable", "fuse_ops"}).out, without.out);
        QCOMPARE(m_nestc.run({"graph", model, "-O0", "--require", "fuse_ops"}).out, one.out);
        const auto unknown = m_nestc.run({"graph", model, "--disable", "fuse"});
        COMPARE_STATUS(unknown, 2);
        QVERIFY(unknown.err.contains("there is no pass \"fuse\""));
    }

    void functionsOfTheModel()
    {
        const QString model = QDir::currentPath() + "/tests/fuzz/corpus/onnx/function.onnx";
        const auto calls = m_nestc.run({"graph", model, "-O0", "--disable", "inline-functions"});
        COMPARE_STATUS(calls, 0);
        QVERIFY2(calls.out.contains("def @Outer(") && calls.out.contains("= @Outer(%x)"),
                 qPrintable(calls.out));
        const auto inlined = m_nestc.run({"graph", model, "-O0"});
        QVERIFY2(!inlined.out.contains("Outer"), qPrintable(inlined.out));
        const auto refused = m_nestc.run({"run-model", model, "--disable", "inline-functions"});
        QVERIFY2(refused.status != 0 && refused.err.contains("graph.call"), qPrintable(refused.err));
        // Nodes of functions are named behind the node that calls.
        const auto nodes = m_nestc.run({"run-model", model, "--statistics"});
        COMPARE_STATUS(nodes, 0);
        QVERIFY2(nodes.out.contains("call/"), qPrintable(nodes.out));
    }

    /// In turns with the schedules before, kernel by kernel.
    void schedulesAreComparedInTurns()
    {
        const QStringList start{"bench-model", NestcRunner::example(encoder), "--repetitions", "3"};
        const auto compared = m_nestc.run(start + QStringList{"--compare", "--json", "-"});
        COMPARE_STATUS(compared, 0);
        const QString last = compared.out.trimmed().section('\n', -1);
        const QJsonObject found = QJsonDocument::fromJson(last.toUtf8()).object();
        QVERIFY(found["seconds_low"].toDouble() > 0);
        QVERIFY(found["seconds_low"].toDouble() <= found["seconds"].toDouble());
        QVERIFY(found["seconds"].toDouble() <= found["seconds_high"].toDouble());
        QVERIFY(found["speedup"].toObject()["median"].toDouble() > 0);
        QVERIFY(found["speedup"].toObject()["significant"].isBool());
        QVERIFY(!found["kernels"].toArray().isEmpty());
        for (const auto &kernel : found["kernels"].toArray())
            QVERIFY(kernel.toObject()["speedup"].toObject()["median"].toDouble() > 0);
        QVERIFY(!QJsonDocument::fromJson(
                     m_nestc.run(start + QStringList{"--json", "-"}).out.trimmed().section('\n', -1).toUtf8())
                     .object()
                     .contains("speedup"));
        const auto text = m_nestc.run(start + QStringList{"--compare"});
        QVERIFY2(text.out.contains(" times as fast as before ("), qPrintable(text.out));
        const auto alone = m_nestc.run(start + QStringList{"--against", "x=y.py"});
        QCOMPARE(alone.status, 2);
        QVERIFY2(alone.err.contains("--compare"), qPrintable(alone.err));
    }

    void aKernelTakesAScheduleOrATrace()
    {
        const QString model = NestcRunner::example(encoder);
        const auto tasks = m_nestc.run({"graph", model, "--print", "tasks"});
        COMPARE_STATUS(tasks, 0);
        const QString kernel = tasks.out.section(' ', 0, 0);
        const QString script = m_nestc.file("kernel.py"), trace = m_nestc.file("kernel.json");
        COMPARE_STATUS(m_nestc.run({"graph", model, "--schedule-of", kernel, "-o", script}), 0);
        COMPARE_STATUS(m_nestc.run({"apply", model + '#' + kernel, "--schedule", script, "--trace-json",
                                    trace, "-o", m_nestc.file("kernel_out.py")}),
                       0);
        const QStringList start{"bench-model", model, "--repetitions", "1", "--schedule"};
        for (const QString &file : {script, trace}) {
            const auto timed = m_nestc.run(start + QStringList{kernel + '=' + file});
            COMPARE_STATUS(timed, 0);
            QVERIFY2(timed.out.contains(", fastest "), qPrintable(timed.out));
        }
        m_nestc.write("broken.json", "[[[");
        const auto refused = m_nestc.run(start + QStringList{kernel + '=' + m_nestc.file("broken.json")});
        QVERIFY2(refused.status != 0 && refused.err.contains("broken.json"), qPrintable(refused.err));
        QVERIFY(m_nestc.run(start + QStringList{"nothing=" + script}).err.contains("model.kernel"));
    }

    void aModelIsExportedWithItsSettings()
    {
        const QString model = NestcRunner::example(encoder);
        const QString kernel = m_nestc.run({"graph", model, "--print", "tasks"}).out.section(' ', 0, 0);
        const QString script = m_nestc.file("empty.py");
        m_nestc.write("empty.py",
                      "# from tvm import tir\ndef apply_trace(sch: tir.Schedule) -> None:\n  pass\n");
        const auto kernels = [&](const QStringList &more) {
            const auto done =
                m_nestc.run(QStringList{"export", model, "--format", "c", "-o", m_nestc.file("m.c")} + more);
            if (done.status != 0)
                return done.err;
            return QString::fromUtf8(m_nestc.read("m_kernels.c"));
        };
        const QString plain = kernels({});
        QVERIFY2(plain.contains("void "), qPrintable(plain));
        const QString own = kernels({"--schedule", kernel + '=' + script}); // without its default schedule
        QVERIFY2(own.contains("void ") && own != plain, qPrintable(own.left(400)));
        const QString unfused = kernels({"-O", "0"});
        QVERIFY2(unfused.contains("void ") && unfused != plain, qPrintable(unfused.left(400)));
        QVERIFY(kernels({"--schedule", "nothing=" + script}).contains("model.kernel"));
        QVERIFY(kernels({"--disable", "no_such_pass"}).contains("graph.unknown-pass"));
        const auto twice = m_nestc.run({"export", "op:matmul(M=2,N=2,K=2)", "--format", "c", "-o",
                                        m_nestc.file("k.c"), "--schedule", script, "--schedule", script});
        QVERIFY2(twice.status == 2 && twice.err.contains("usage.schedule"), qPrintable(twice.err));
    }

    void timesAndMemoryAsJson()
    {
        const auto timed =
            m_nestc.run({"bench-model", NestcRunner::example(encoder), "--repetitions", "2", "--json", "-"});
        COMPARE_STATUS(timed, 0);
        const QStringList lines = timed.out.trimmed().split('\n');
        const QJsonObject last = QJsonDocument::fromJson(lines.last().toUtf8()).object();
        QVERIFY(last["seconds"].toDouble() > 0 && !last["kernels"].toArray().isEmpty());
        // The process holds the results of nodes, the weights and its own code.
        QVERIFY(last["memory_bytes"].toInteger() > 0);
        QVERIFY(last["process_bytes"].toInteger() > last["memory_bytes"].toInteger());
    }

    void whereResultsLie()
    {
        const auto memory = m_nestc.run({"graph", NestcRunner::example(encoder), "--print", "memory"});
        COMPARE_STATUS(memory, 0);
        const QRegularExpression sums(
            "\\n(\\d+) bytes for results, (\\d+) if none took the place of another; (\\d+) with");
        const auto found = sums.match(memory.out);
        QVERIFY2(found.hasMatch(), qPrintable(memory.out));
        QVERIFY(found.captured(1).toLongLong() < found.captured(2).toLongLong());
        QVERIFY(found.captured(1).toLongLong() <= found.captured(3).toLongLong());
    }

    void theGraphAfterAPass()
    {
        const QString model = NestcRunner::example(encoder);
        const auto before = m_nestc.run({"graph", model, "--after", "fold-constant"});
        COMPARE_STATUS(before, 0);
        QVERIFY(!before.out.contains(" = fn("));
        QCOMPARE(m_nestc.run({"graph", model, "--after", "fold_constant"}).out, before.out);
        QCOMPARE(m_nestc.run({"graph", model, "--after", "fuse-ops"}).out, m_nestc.run({"graph", model}).out);
        const auto refused = m_nestc.run({"graph", model, "-O1", "--after", "fold-constant"});
        COMPARE_STATUS(refused, 2);
        QVERIFY(refused.err.contains("these run: inline-functions, fuse-ops; import is"));
    }

    void theGraphBeforeAllPasses()
    {
        const QString model = QDir::currentPath() + "/tests/fuzz/corpus/onnx/function.onnx";
        const auto imported = m_nestc.run({"graph", model, "--after", "import"});
        COMPARE_STATUS(imported, 0);
        QVERIFY2(imported.out.contains("= @Outer(%x)"), qPrintable(imported.out));
        const QStringList nothingRuns{"graph", model, "-O0", "--disable", "inline-functions"};
        QCOMPARE(m_nestc.run(nothingRuns).out, imported.out);
        QCOMPARE(m_nestc.run(nothingRuns + QStringList{"--after", "import"}).out, imported.out);
    }

    void resultsOfNodesAreFetched()
    {
        const QStringList start{"run-model", NestcRunner::example(encoder), "--in",
                                "x=" + NestcRunner::example(input)};
        const auto all = m_nestc.run(start + QStringList{"--nodes", m_nestc.file("nodes"), "-O0"});
        COMPARE_STATUS(all, 0);
        QVERIFY(QDir(m_nestc.file("nodes")).entryList(QDir::Files).size() > 40);
        // A node's result is the same in a fused program, and the sum before the last normalization is no
        // constant.
        const auto one = m_nestc.run(start
                                     + QStringList{"--out", "/layers.1/Add_2=" + m_nestc.file("sum.npy"),
                                                   "--out", "y=" + m_nestc.file("y.npy")});
        COMPARE_STATUS(one, 0);
        for (const auto &[fused, single] :
             {std::pair("sum.npy", "nodes/_layers.1_Add_2.npy"), std::pair("y.npy", "nodes/y.npy")}) {
            const std::vector<float> a = numbers(m_nestc.read(fused)), b = numbers(m_nestc.read(single));
            QCOMPARE(a.size(), std::size_t{16} * 64);
            QCOMPARE(b.size(), a.size());
            for (std::size_t i = 0; i < a.size(); ++i)
                QVERIFY(std::abs(a[i] - b[i]) <= 1e-5F + 1e-4F * std::abs(b[i]));
            QVERIFY(std::ranges::any_of(a, [&](float value) { return std::abs(value - a[0]) > 0.1F; }));
        }
        const auto refused = m_nestc.run(start + QStringList{"--out", "nothing=" + m_nestc.file("n.npy")});
        COMPARE_STATUS(refused, 2);
        QVERIFY(refused.err.contains("no output and no node \"nothing\""));
    }

    void statisticsOfResults()
    {
        const QStringList start{"run-model", NestcRunner::example(encoder), "--random"};
        const auto table = m_nestc.run(start + QStringList{"--statistics"});
        COMPARE_STATUS(table, 0);
        QVERIFY(table.out.startsWith("name "));
        const auto outputs = m_nestc.run(start); // asked for nothing, it describes the only output
        COMPARE_STATUS(outputs, 0);
        QCOMPARE(outputs.out.count('\n'), 2);
        QVERIFY(QRegularExpression("\ny .*  output\n$").match(outputs.out).hasMatch());
        const auto json = m_nestc.run(start + QStringList{"--json", "-"});
        COMPARE_STATUS(json, 0);
        const QJsonArray nodes = QJsonDocument::fromJson(json.out.toUtf8())["nodes"].toArray();
        QCOMPARE(table.out.count('\n'), nodes.size() + 1);
        // In the order of the graph: the output comes behind the node that gives it, the last.
        QCOMPARE(nodes.last()["name"].toString(), "y");
        QVERIFY(QRegularExpression("\ny .*  output\n$").match(table.out).hasMatch());
        QCOMPARE(table.out.count("  output\n"), 1);
        QVERIFY(nodes.first()["name"].toString().startsWith("/layers.0/"));
        // Each of the 16 rows of a softmax has the sum 1, whatever the input.
        int softmaxes = 0;
        for (const auto &each : nodes) {
            const QJsonObject node = each.toObject();
            qint64 counted = node["not_finite"].toInteger();
            for (const auto &part : node["histogram"].toArray())
                counted += part.toInteger();
            QCOMPARE(counted, node["elements"].toInteger());
            if (!node["name"].toString().endsWith("Softmax"))
                continue;
            ++softmaxes;
            QVERIFY(std::abs(node["mean"].toDouble() - 1.0 / 16) < 1e-6);
            QVERIFY(node["least"].toDouble() > 0 && node["greatest"].toDouble() < 1);
            QVERIFY(node["deviation"].toDouble() > 0);
        }
        QCOMPARE(softmaxes, 2);
        // The same numbers again; with zeros others.
        QCOMPARE(m_nestc.run(start + QStringList{"--json", "-"}).out, json.out);
        QVERIFY(m_nestc.run({"run-model", NestcRunner::example(encoder), "--json", "-"}).out != json.out);
    }
};

QTEST_GUILESS_MAIN(ModelCommandsTest)
#include "model_commands_test.moc"
