// SPDX-License-Identifier: Apache-2.0
// The readers over tests/fuzz/corpus as it is, and with bytes, words and lines of it changed.
#include "tests/fuzz/worker_check.h"
#include "tests/support/edited_outcomes.h"
#include "tests/support/readers.h"
#include "tests/support/request_reader.h"
#include "tests/support/session_readers.h"

#include <QtTest>

#include <random>

using namespace nestwright;

namespace {

using Random = std::mt19937;

std::size_t below(Random &random, std::size_t count) { return count == 0 ? 0 : random() % count; }

std::vector<std::string> corpus(std::string_view reader)
{
    return tests::textsIn({("tests/fuzz/corpus/" + std::string(reader)).c_str()}, "*");
}

/// Where a piece of `text` begins and ends: a word, a run of other characters of a kind, or a whole line.
std::pair<std::size_t, std::size_t> piece(const std::string &text, Random &random)
{
    std::size_t begin = below(random, text.size()), end = begin + 1;
    const bool isLine = random() % 4 == 0;
    const auto joins = [&](char a, char b) {
        if (isLine)
            return b != '\n';
        const auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
        return isWord(a) && isWord(b);
    };
    while (begin > 0 && joins(text[begin], text[begin - 1]))
        --begin;
    while (end < text.size() && joins(text[end - 1], text[end]))
        ++end;
    return {begin, end - begin};
}

/// One piece dropped, doubled, or replaced by a piece of another text or a byte.
std::string damaged(std::string text, const std::vector<std::string> &texts, Random &random)
{
    for (std::size_t n = below(random, 4) + 1; n > 0 && !text.empty(); --n) {
        const auto [at, length] = piece(text, random);
        const std::string &other = texts[below(random, texts.size())];
        const auto [from, count] = piece(other, random);
        switch (random() % 5) {
        case 0: text.erase(at, length); break;
        case 1: text.insert(at, text.substr(at, length)); break;
        case 2: text.replace(at, length, other, from, count); break;
        case 3: text.insert(at, other, from, count); break;
        default: text[at] = static_cast<char>(random()); break;
        }
    }
    return text;
}

/// Readers of users' files, of the program's own files, of a worker's answers, and of requests.
std::vector<tests::Reader> allReaders()
{
    std::vector<tests::Reader> all(tests::readers().begin(), tests::readers().end());
    all.insert(all.end(), tests::sessionReaders().begin(), tests::sessionReaders().end());
    all.push_back({"worker", tests::checkWorkerAnswer});
    all.push_back({"request", tests::checkRequest});
    return all;
}

} // namespace

class ReaderCorpusFuzzTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asItIs_data()
    {
        QTest::addColumn<int>("reader");
        const std::vector<tests::Reader> all = allReaders();
        for (std::size_t i = 0; i < all.size(); ++i)
            QTest::newRow(std::string(all[i].name).c_str()) << static_cast<int>(i);
    }
    void asItIs()
    {
        QFETCH(int, reader);
        const tests::Reader tested = allReaders()[static_cast<std::size_t>(reader)];
        const std::vector<std::string> texts = corpus(tested.name);
        QVERIFY(texts.size() >= 3);
        for (const std::string &text : texts) {
            const std::string problem = tested.check(text);
            QVERIFY2(problem.empty(), (problem + "\n---- from\n" + text).c_str());
        }
    }

    void changed_data() { asItIs_data(); }
    void changed()
    {
        QFETCH(int, reader);
        const tests::Reader tested = allReaders()[static_cast<std::size_t>(reader)];
        const std::vector<std::string> texts = corpus(tested.name);
        const int asked = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_ROUNDS");
        Random random(static_cast<unsigned>(qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_SEED")));
        for (int round = 0; round < (asked > 0 ? asked : 400); ++round) {
            const std::string text = damaged(texts[below(random, texts.size())], texts, random);
            const std::string problem = tested.check(text);
            QVERIFY2(problem.empty(), (problem + "\n---- from\n" + text).c_str());
        }
    }
};

QTEST_APPLESS_MAIN(ReaderCorpusFuzzTest)
#include "reader_corpus_fuzz_test.moc"
