// SPDX-License-Identifier: Apache-2.0
// Damaged programs: each gives a module or a Diagnostic with a place, never a crash; and whatever is read can
// be printed and read again.
#include "core/ir/equality.h"
#include "core/script/printer.h"
#include "core/script/tvmscript_parser.h"
#include "core/support/errors.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <random>

using namespace nestwright;
using script::Dialect;

namespace {

using Random = std::mt19937;

std::size_t below(Random &random, std::size_t count) { return count == 0 ? 0 : random() % count; }

/// Words and marks of a text, spaces and line ends kept as tokens of their own.
std::vector<std::string> tokensOf(std::string_view text)
{
    std::vector<std::string> tokens;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i + 1;
        const auto isWord = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
        };
        if (isWord(text[i]))
            while (end < text.size() && isWord(text[end]))
                ++end;
        else if (text[i] == ' ')
            while (end < text.size() && text[end] == ' ')
                ++end;
        tokens.emplace_back(text.substr(i, end - i));
        i = end;
    }
    return tokens;
}

std::string joined(const std::vector<std::string> &tokens)
{
    std::string text;
    for (const std::string &token : tokens)
        text += token;
    return text;
}

/// One change of a token: dropped, doubled, swapped with another, replaced by one of another program or of a
/// list.
void mutate(std::vector<std::string> &tokens, const std::vector<std::string> &pool, Random &random)
{
    static const std::vector<std::string> special{"0",
                                                  "-1",
                                                  "2147483648",
                                                  "9223372036854775807",
                                                  "18446744073709551615",
                                                  "1.5",
                                                  "\"x\"",
                                                  "None",
                                                  "True",
                                                  "()",
                                                  "[]",
                                                  "{}",
                                                  "1:2",
                                                  "::2",
                                                  "T.int64",
                                                  "T.handle()",
                                                  "T.Let",
                                                  "vi",
                                                  "A",
                                                  "T.Ramp(0, 1, 4)",
                                                  "T.Broadcast(1, 4)",
                                                  "(",
                                                  ")",
                                                  ":",
                                                  "\n",
                                                  "    ",
                                                  "T.block",
                                                  "T.init",
                                                  "T.float32(\"nan\")",
                                                  "T.bool",
                                                  "float",
                                                  "i",
                                                  "A[0:1, 0:8:2]",
                                                  "T.Let(y, where={y: 1})",
                                                  "T.axis.opaque(4, i)",
                                                  "with T.LetStmt(3) as z:\n",
                                                  "A.access_ptr(\"r\")",
                                                  "T.launch_thread(\"threadIdx.x\", 4)",
                                                  "T.match_buffer(A[0:4, 0:4], (4, 4), offset_factor=1)",
                                                  "[i, j]",
                                                  "not",
                                                  ".astype(\"int64\")",
                                                  "T.where",
                                                  "T.Cast(\"int8\", vi)",
                                                  "T.grid(4, 4)",
                                                  "and",
                                                  "**",
                                                  "lambda x: x",
                                                  "T.alloc_buffer"};
    if (tokens.empty())
        return;
    const std::size_t at = below(random, tokens.size());
    switch (random() % 6) {
    case 0: tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(at)); break;
    case 1: tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(at), tokens[at]); break;
    case 2: std::swap(tokens[at], tokens[below(random, tokens.size())]); break;
    case 3: tokens[at] = pool[below(random, pool.size())]; break;
    case 4: tokens[at] = special[below(random, special.size())]; break;
    default: tokens[at] = tokens[below(random, tokens.size())]; break;
    }
}

/// A whole line dropped, doubled or moved.
void mutateLines(std::string &text, Random &random)
{
    std::vector<std::string> lines;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
        lines.push_back(text.substr(start, end - start));
        start = end;
    }
    const std::size_t at = below(random, lines.size()), other = below(random, lines.size());
    switch (random() % 3) {
    case 0: lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at)); break;
    case 1: lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(other), lines[at]); break;
    default: std::swap(lines[at], lines[other]); break;
    }
    text = joined(lines);
}

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
        Random random(static_cast<unsigned>(seed));
        const int rounds = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_ROUNDS") > 0
                               ? qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_ROUNDS")
                               : 150;
        std::vector<std::string> pool;
        for (const tests::Program &program : tests::programs()) {
            const std::vector<std::string> tokens = tokensOf(program.text);
            pool.insert(pool.end(), tokens.begin(), tokens.end());
        }
        int valid = 0;
        for (int round = 0; round < rounds; ++round) {
            const auto &program = tests::programs()[below(random, tests::programs().size())];
            std::string text(program.text);
            if (random() % 3 == 0)
                mutateLines(text, random);
            std::vector<std::string> tokens = tokensOf(text);
            for (std::size_t n = below(random, 3); n > 0; --n)
                mutate(tokens, pool, random);
            text = joined(tokens);
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
            std::string text(tests::programs()[below(random, tests::programs().size())].text);
            for (std::size_t n = below(random, 4) + 1; n > 0; --n)
                text[below(random, text.size())] = static_cast<char>(random());
            const std::string problem = problemOf(text, valid);
            QVERIFY2(problem.empty(), (problem + "\n---- from\n" + text).c_str());
        }
    }

    void truncatedPrograms()
    {
        int valid = 0;
        for (const tests::Program &program : tests::programs()) {
            for (std::size_t length = 0; length < program.text.size(); length += 3) {
                const std::string problem = problemOf(std::string(program.text.substr(0, length)), valid);
                QVERIFY2(problem.empty(), problem.c_str());
            }
        }
    }
};

QTEST_GUILESS_MAIN(MutationTest)
#include "mutation_test.moc"
