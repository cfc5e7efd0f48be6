// SPDX-License-Identifier: Apache-2.0
// Where nestc is looked for.
#include "core/process/nestc_program.h"

#include <QtTest>

using nestwright::process::findNestc;

class NestcProgramTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namedOneComesFirst()
    {
        qputenv("NESTWRIGHT_NESTC", "/somewhere/nestc");
        QCOMPARE(findNestc(), std::string("/somewhere/nestc"));
        qputenv("NESTWRIGHT_NESTC", "");
        QVERIFY(findNestc().ends_with("nestc") && findNestc() != "/somewhere/nestc");
        qunsetenv("NESTWRIGHT_NESTC");
        const QString beside = QCoreApplication::applicationDirPath() + "/nestc";
        QCOMPARE(findNestc(), QFile::exists(beside) ? beside.toStdString() : std::string("nestc"));
    }
};

QTEST_GUILESS_MAIN(NestcProgramTest)
#include "nestc_program_test.moc"
