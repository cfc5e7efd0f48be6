// SPDX-License-Identifier: GPL-3.0-or-later
// A model exported from the real window runs in a program of C.
#include "core/process/nestc_program.h"
#include "tests/e2e/model_fixture.h"
#include "widgets/document/command_registry.h"

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

using namespace nestwright;
using e2e::patience;
using e2e::squeezenet;

class ModelExportTest : public QObject, e2e::ModelFixture {
    Q_OBJECT

    /// The place of the element that has `rank` larger ones before it.
    static std::size_t largest(const std::vector<float> &values, std::size_t rank)
    {
        std::vector<std::size_t> order(values.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return values[i]; });
        return order[rank];
    }

    /// The output of nestc for the input of examples/c/run_model.c: numbers from 0 to 1.
    std::vector<float> outputsOfNestc() const
    {
        constexpr int count = 3 * 224 * 224;
        QByteArray header("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3, 224, 224)}");
        header = header.leftJustified(117, ' ') + '\n'; // with the 10 bytes before it a multiple of 64
        QFile input(path("x.npy"));
        if (!input.open(QFile::WriteOnly))
            return {};
        input.write(QByteArray("\x93NUMPY\x01\x00", 8) + char(header.size()) + '\0' + header);
        for (int i = 0; i < count; ++i) {
            const float value = static_cast<float>(i) / static_cast<float>(count);
            input.write(reinterpret_cast<const char *>(&value), sizeof value);
        }
        input.close();
        QProcess nestc;
        nestc.start(QString::fromStdString(process::findNestc()),
                    {QStringLiteral("run-model"), squeezenet, QStringLiteral("--in"),
                     QStringLiteral("data_0=") + path("x.npy"), QStringLiteral("--out"),
                     QStringLiteral("softmaxout_1=") + path("y.npy")});
        if (!nestc.waitForFinished(120'000))
            return {};
        QFile output(path("y.npy"));
        if (!output.open(QFile::ReadOnly))
            return {};
        const QByteArray bytes = output.readAll();
        std::vector<float> values(1000);
        const qsizetype size = static_cast<qsizetype>(values.size()) * static_cast<qsizetype>(sizeof(float));
        if (bytes.size() < size)
            return {};
        std::memcpy(values.data(), bytes.constData() + bytes.size() - size, static_cast<std::size_t>(size));
        return values;
    }

private Q_SLOTS:
    void initTestCase()
    {
        showModelWindow();
        if (m_window)
            openSqueezenet();
    }
    void cleanupTestCase() { m_window.reset(); }

    /// Model and kernel are for the processor that was chosen, which is remembered.
    void librariesAreForTheChosenProcessor()
    {
        if (QSysInfo::currentCpuArchitecture() != u"x86_64")
            QSKIP("processors of x86-64 are chosen");
        const auto exported = [&](const char *kind, const QString &library) {
            QSignalSpy done(m_window.get(), &app::MainWindow::exported);
            m_window->exportTo(QLatin1String(kind), library);
            if (!QTest::qWaitFor([&] { return done.size() == 1; }, 120'000))
                return QByteArray();
            QProcess objdump;
            objdump.start(QStringLiteral("objdump"), {QStringLiteral("-d"), library});
            objdump.waitForFinished(patience);
            return objdump.readAllStandardOutput();
        };
        const auto wideOf = [&](const char *processor) {
            m_window->commands().trigger(QStringLiteral("export.processor.") + QLatin1String(processor));
            const QByteArray model = exported("model-shared", path("wide.so"));
            const QByteArray kernel = exported("shared", path("kernel.so"));
            return std::pair(model.contains("%ymm"), kernel.contains("%ymm"));
        };
        const auto headerOf = [&](const char *name) {
            QFile header(path(name));
            return header.open(QFile::ReadOnly) ? header.readAll() : QByteArray();
        };
        QCOMPARE(wideOf("x86-64"), std::pair(false, false));
        QVERIFY(headerOf("wide.h").contains("For the processor x86-64"));
        QVERIFY(m_window->commands().find(QStringLiteral("export.processor.x86-64"))->checked());
        QCOMPARE(wideOf("haswell"), std::pair(true, true));
        QVERIFY(headerOf("wide.h").contains("For the processor haswell: SSE3"));
        QVERIFY(headerOf("kernel.h").contains("For the processor haswell: SSE3"));
        m_window->commands().trigger(QStringLiteral("export.processor.this"));
        QVERIFY(!m_window->commands().find(QStringLiteral("export.processor.haswell"))->checked());
    }

    void theModelIsExportedAsALibrary()
    {
        const QString library = path("model.so");
        m_window->exportTo(QStringLiteral("model-shared"), library);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(library) && QFile::exists(path("model.h")), 120'000);
        QVERIFY(settle());
        // The C example runs it, and prints the five largest of 1000 elements.
        QProcess compiler;
        compiler.start(QStringLiteral("cc"),
                       {QStringLiteral("-I") + m_folder.path(), QStringLiteral("examples/c/run_model.c"),
                        library, QStringLiteral("-lm"), QStringLiteral("-o"), path("run_model")});
        QVERIFY(compiler.waitForFinished(patience));
        QVERIFY2(compiler.exitCode() == 0, compiler.readAllStandardError().constData());
        QProcess program;
        program.start(path("run_model"), {});
        QVERIFY(program.waitForFinished(patience));
        QCOMPARE(program.exitCode(), 0);
        // It prints the five largest elements; nestc gives the same for the same input.
        const std::vector<float> expected = outputsOfNestc();
        QCOMPARE(expected.size(), std::size_t{1000});
        const QList<QByteArray> lines = program.readAllStandardOutput().trimmed().split('\n');
        QCOMPARE(lines.size(), 5);
        float before = std::numeric_limits<float>::infinity();
        for (const QByteArray &line : lines) {
            static const QRegularExpression form(QStringLiteral(R"(^\d\. element (\d+): (.*)$)"));
            const QRegularExpressionMatch match = form.match(QString::fromUtf8(line));
            QVERIFY2(match.hasMatch(), line.constData());
            const float printed = match.captured(2).toFloat();
            const float value = expected.at(match.captured(1).toULong());
            QVERIFY(std::abs(printed - value) <= 1e-3F * std::abs(value));
            QVERIFY(printed <= before);
            before = printed;
        }
        QVERIFY(std::abs(before - expected[largest(expected, 4)]) <= 1e-3F * std::abs(before));
    }
};

QTEST_MAIN(ModelExportTest)
#include "model_export_test.moc"
