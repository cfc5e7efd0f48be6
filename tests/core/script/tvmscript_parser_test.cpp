// SPDX-License-Identifier: Apache-2.0
#include "core/ir/builder.h"
#include "core/ir/equality.h"
#include "core/script/tvmscript_parser.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;

class TvmScriptParserTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sharedPrograms_data()
    {
        QTest::addColumn<QString>("name");
        for (const tests::Program &program : tests::programs())
            QTest::newRow(std::string(program.name).c_str()) << QString::fromUtf8(program.name.data(), program.name.size());
    }
    void sharedPrograms()
    {
        QFETCH(QString, name);
        const ir::Module module = tests::program(name.toStdString());
        QCOMPARE(module.functions().size(), 1U);
        QCOMPARE(module.functions().front().name, std::string("main"));
        QVERIFY(ir::structurallyEqual(module, tests::program(name.toStdString())));
    }
};

QTEST_GUILESS_MAIN(TvmScriptParserTest)
#include "tvmscript_parser_test.moc"
