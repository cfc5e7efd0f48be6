// SPDX-License-Identifier: Apache-2.0
#include "core/support/pass_runner.h"

#include <QtTest>

#include <array>

using namespace nestwright;
using support::Result;

namespace toy {

/// A program of one number; spaces around it have no meaning.
struct Program {
    int number = 0;
    std::string spaces;
};

bool structurallyEqual(const Program &a, const Program &b) { return a.number == b.number; }

struct Row {
    std::string_view name, summary;
    Program (*run)(const Program &);
};

constexpr std::array table{
    Row{"double-it", "twice as much", [](const Program &p) { return Program{p.number * 2, p.spaces}; }},
    Row{"add-spaces", "the same, wider", [](const Program &p) { return Program{p.number, p.spaces + ' '}; }},
};

constexpr std::span<const Row> passes(table);

} // namespace toy

namespace {

using Runner = support::PassRunner<toy::Program>;

Result<void> sound(const toy::Program &) { return {}; }

Result<void> run(Runner &runner, std::string_view name)
{
    const toy::Row *row = support::findPass(toy::passes, name);
    return row ? runner.run(row->name, row->run, sound) : support::fail("toy.pass", "no such pass");
}

} // namespace

class PassRunnerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void namesAreFoundInTables()
    {
        QCOMPARE(support::findPass(toy::passes, "add-spaces"), &toy::table[1]);
        QVERIFY(!support::findPass(toy::passes, "add_spaces"));
        QVERIFY(!support::findPass(toy::passes, ""));
        QCOMPARE(support::passName("add_spaces"), std::string("add-spaces"));
        QCOMPARE(support::passName("add-spaces"), std::string("add-spaces"));
    }

    void recordsFollowEachOther()
    {
        Runner runner({3, ""}, {.keepRecords = true});
        for (const char *name : {"double-it", "add-spaces", "double-it"})
            QVERIFY(run(runner, name));
        QCOMPARE(runner.program().number, 12);
        const auto records = runner.takeRecords();
        QCOMPARE(records.size(), std::size_t{3});
        QCOMPARE(records[0].name, std::string("double-it"));
        QCOMPARE(records[0].before.number, 3);
        QCOMPARE(records[0].after.number, 6);
        QVERIFY(!records[0].unchanged);
        QVERIFY(records[1].unchanged && records[1].after.spaces == " "); // another text, the same program
        QCOMPARE(records[2].before.spaces, std::string(" "));
        QVERIFY(std::ranges::all_of(records, [](const auto &record) { return record.micros >= 0; }));
        QCOMPARE(runner.takeProgram().number, 12);
    }

    void recordsAreKeptOnDemandOnly()
    {
        Runner runner({3, ""});
        QVERIFY(run(runner, "double-it"));
        QVERIFY(runner.takeRecords().empty());
        QCOMPARE(runner.program().number, 6);
    }

    void eachResultIsVerified()
    {
        Runner runner({3, ""}, {.keepRecords = true});
        const auto small = [](const toy::Program &program) -> Result<void> {
            if (program.number > 10)
                return support::fail("toy.large", std::to_string(program.number));
            return {};
        };
        QVERIFY(runner.run("double-it", toy::table[0].run, small));
        const auto refused = runner.run("double-it", toy::table[0].run, small);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, std::string("toy.large"));
        QCOMPARE(refused.error().message, std::string("12"));
        QCOMPARE(runner.takeRecords().size(), std::size_t{1});
    }

    void errorsOfPassesAreResults()
    {
        Runner runner({3, ""});
        const auto thrown = runner.run(
            "fail",
            [](const toy::Program &) -> toy::Program {
                throw support::UserError(support::diagnostic("toy.fail", "as asked"));
            },
            sound);
        QVERIFY(!thrown);
        QCOMPARE(thrown.error().code, std::string("toy.fail"));
        QVERIFY_THROWS_EXCEPTION(support::InternalError,
                                 static_cast<void>(runner.run(
                                     "bug",
                                     [](const toy::Program &) -> toy::Program {
                                         throw support::InternalError("a bug of the pass");
                                     },
                                     sound)));
    }

    void stopsAreHeardBeforeEachPass()
    {
        std::stop_source source;
        Runner runner({3, ""}, {.keepRecords = true, .stop = source.get_token()});
        QVERIFY(run(runner, "double-it"));
        source.request_stop();
        const auto stopped = run(runner, "double-it");
        QVERIFY(!stopped);
        QCOMPARE(stopped.error().code, std::string("cancelled"));
        QCOMPARE(runner.program().number, 6);

        std::stop_source job;
        job.request_stop();
        const support::StopScope scope(job.get_token());
        Runner ofJob({3, ""});
        QVERIFY_THROWS_EXCEPTION(support::Stopped, static_cast<void>(run(ofJob, "double-it")));
    }
};

QTEST_GUILESS_MAIN(PassRunnerTest)
#include "pass_runner_test.moc"
