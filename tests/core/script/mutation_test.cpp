// SPDX-License-Identifier: Apache-2.0
// Damaged programs: each gives a module or a Diagnostic with a place, never a crash; and whatever is read can
// be printed and read again.
#include "core/ir/node/equality.h"
#include "core/script/print/printer.h"
#include "core/script/tvmscript/parser.h"
#include "core/support/errors/errors.h"
#include "tests/support/programs.h"
#include "tests/support/text_edits.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;
using script::Dialect;

namespace {

/// The fault, or empty. `valid` counts the texts that were read.
std::string problemOf(const std::string &text, int &valid)
{
    try {
        const auto module = script::parseTvmScript(text, "mutated.py");
        if (!module) {
            const support::Diagnostic &found = module.error();
            const bool placed =
                found.locations.size() == 1 && found.locations[0].line >= 1 && found.locations[0].column >= 1;
            return found.code.empty() || found.message.empty() || !placed ? "a Diagnostic without a place"
                                                                          : "";
        }
        ++valid;
        for (const Dialect dialect : script::allDialects) {
            const std::string printed = script::print(*module, dialect).text;
            const auto again = script::parseTvmScript(printed, "printed.py");
            if (!again)
                return "what is printed cannot be read: " + again.error().render() + "\n" + printed;
            if (const auto difference = ir::firstDifference(*module, *again))
                return "reading what is printed differs at " + *difference + "\n" + printed;
        }
    } catch (const std::exception &error) {
        return std::string("an exception: ") + error.what();
    }
    return "";
}

} // namespace

class MutationTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void damagedPrograms_data()
    {
        QTest::addColumn<int>("seed");
        for (int seed = 0; seed < 20; ++seed)
            QTest::addRow("seed %d", seed) << seed;
    }
    void damagedPrograms()
    {
        QFETCH(int, seed);
        Random random(static_cast<std::uint64_t>(seed));
        const int rounds = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_ROUNDS") > 0
                               ? qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_ROUNDS")
                               : 150;
        const std::vector<std::string> pool = tokenPool();
        int valid = 0;
        for (int round = 0; round < rounds; ++round) {
            const std::string text = edited(anyProgram(random), pool, random);
            const std::string problem = problemOf(text, valid);
            QVERIFY2(problem.empty(), (problem + "\n---- from\n" + text).c_str());
        }
        QVERIFY(valid > rounds / 10); // else this tests the lexer only
    }

    void randomBytesInPrograms()
    {
        Random random(7);
        int valid = 0;
        for (int round = 0; round < 1000; ++round) {
            std::string text = anyProgram(random);
            for (std::int64_t n = random.between(1, 4); n > 0; --n)
                text[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(text.size())))] =
                    static_cast<char>(random.below(256));
            const std::string problem = problemOf(text, valid);
            QVERIFY2(problem.empty(), (problem + "\n---- from\n" + text).c_str());
        }
    }

    void truncatedPrograms()
    {
        int valid = 0;
        for (const Program &program : programs()) {
            for (std::size_t length = 0; length < program.text.size(); length += 3) {
                const std::string problem = problemOf(std::string(program.text.substr(0, length)), valid);
                QVERIFY2(problem.empty(), problem.c_str());
            }
        }
    }
};

QTEST_GUILESS_MAIN(MutationTest)
#include "mutation_test.moc"
