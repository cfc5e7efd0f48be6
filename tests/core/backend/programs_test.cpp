// SPDX-License-Identifier: Apache-2.0
// Every shared program on every backend, against the interpreter; and through the pipeline, pass by pass.
#include "core/analysis/access/complete_regions.h"
#include "core/lower/pipeline.h"
#include "core/script/print/printer.h"
#include "tests/support/backends.h"
#include "tests/support/passes.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;

namespace {

void eachProgram()
{
    QTest::addColumn<QString>("name");
    for (const tests::Program &program : tests::programs())
        QTest::newRow(std::string(program.name).c_str()) << QString::fromUtf8(program.name);
}

ir::Module completed(const QString &name)
{
    return analysis::completeRegions(tests::program(name.toStdString()));
}

} // namespace

class ProgramsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyPassKeepsTheMeaning_data() { eachProgram(); }
    void everyPassKeepsTheMeaning()
    {
        QFETCH(QString, name);
        const ir::Module module = completed(name);
        const auto result = lower::lower(module, {}, {.keepRecords = true, .stop = {}});
        QVERIFY2(result, result ? "" : result.error().render().c_str());
        for (const lower::PassRecord &record : result->records) {
            const auto why = tests::whyNotEquivalent(module, record.after);
            QVERIFY2(
                !why,
                (record.name + ": " + why.value_or("") + '\n' + script::print(record.after).text).c_str());
        }
    }

    void everyBackendComputesTheSame_data() { eachProgram(); }
    void everyBackendComputesTheSame()
    {
        QFETCH(QString, name);
        tests::checkBackends(completed(name));
    }
};

QTEST_GUILESS_MAIN(ProgramsTest)
#include "programs_test.moc"
