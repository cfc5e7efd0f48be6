// SPDX-License-Identifier: Apache-2.0
/// The Python of TE scripts gives random expressions the values that Python gives them.
#include "core/frontend/te_script/te_script.h"

#include <QFile>
#include <QtTest>

using namespace nestwright;

class AssertionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void assertions_data()
    {
        QTest::addColumn<QByteArray>("script");
        QFile file("tests/core/te/assertions.py");
        QVERIFY(file.open(QIODevice::ReadOnly));
        QByteArray names;
        while (!file.atEnd()) {
            const QByteArray line = file.readLine();
            if (line.startsWith("assert "))
                QTest::newRow(line.trimmed().constData()) << names + line;
            else
                names += line;
        }
    }
    void assertions()
    {
        QFETCH(const QByteArray, script);
        const std::string kernel = "A = te.placeholder((4,), name=\"A\")\n"
                                   "B = te.compute((4,), lambda i: A[i], name=\"B\")\n";
        const auto read = te::readTeScript("from tvm import te\n" + script.toStdString() + kernel, "t.py");
        QVERIFY2(read, read ? "" : read.error().render().c_str());
        for (const support::Diagnostic &note : read->notes) // an assertion that is not understood is told
            QVERIFY2(note.code != "te.skipped-line", note.render().c_str());
    }
};

QTEST_GUILESS_MAIN(AssertionsTest)
#include "assertions_test.moc"
