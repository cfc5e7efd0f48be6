// SPDX-License-Identifier: Apache-2.0
// Index maps in traces: every operator comes back in every dialect, and a damaged graph is refused.
#include "core/schedule/script/index_map_json.h"
#include "core/schedule/script/values.h"

#include <QtTest>

using namespace nestwright;
using script::Dialect;

namespace {

schedule::IndexMap map(const std::string &text)
{
    const auto value = schedule::readValue(text);
    if (!value || !value->as<schedule::IndexMap>())
        qFatal("no index map");
    return *value->as<schedule::IndexMap>();
}

std::string codeOf(const std::string &text)
{
    const auto read = schedule::readIndexMapJson(text, false, [](const std::string &) { return nullptr; });
    return read ? "" : read.error().code;
}

} // namespace

class IndexMapJsonTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void operatorsComeBack()
    {
        for (const char *output :
             {"i", "3", "i + j", "i - j", "i * 4", "i // 4", "i % 4", "tvm.tir.min(i, j)",
              "tvm.tir.max(i, 3)", "T.Cast(\"int64\", i)", "T.int64(3)", "(i + 1) * (j - 2) // 3 % 5"}) {
            const schedule::IndexMap given = map("lambda i, j: (" + std::string(output) + ", j)");
            for (const Dialect dialect : script::allDialects) {
                const std::string text = schedule::writeIndexMapJson(given, dialect);
                QVERIFY2(schedule::isIndexMapJson(text), output);
                const auto again =
                    schedule::readIndexMapJson(text, false, [](const std::string &) { return nullptr; });
                QVERIFY2(again, again ? "" : again.error().render().c_str());
                QVERIFY2(*again == given, schedule::str(*again).c_str());
            }
        }
        QVERIFY(!schedule::isIndexMapJson("lambda i: (i,)"));
    }

    void numbersThatDivideAreNotZero()
    {
        for (const char *op : {"//", "%"}) {
            for (const Dialect dialect : script::allDialects) {
                std::string text =
                    schedule::writeIndexMapJson(map("lambda i: (i " + std::string(op) + " 12345,)"), dialect);
                QCOMPARE(codeOf(text), "");
                const std::size_t at = text.find("12345");
                QVERIFY(at != std::string::npos);
                QCOMPARE(codeOf(text.replace(at, 5, "0")), "schedule.trace");
            }
        }
        std::string product = schedule::writeIndexMapJson(map("lambda i: (i * 12345,)"), Dialect::Tvm023);
        QCOMPARE(codeOf(product.replace(product.find("12345"), 5, "0")), "");
    }

    void damagedGraphsAreRefused()
    {
        const std::string good =
            schedule::writeIndexMapJson(map("lambda i, j: (i * 4 + j, j)"), Dialect::Tvm023);
        QCOMPARE(codeOf(good), "");
        for (const char *text : {"", "{}", "[]", "{\"nodes\": 3}", "{\"root\": 0, \"nodes\": []}",
                                 "{\"root\": -1, \"nodes\": [{\"type_key\": \"\"}]}"})
            QCOMPARE(codeOf(text), "schedule.trace");
        // Each number is a place or a value: none of them may end the program, whatever it becomes.
        for (const char *other : {"999999", "-1", "null", "\"x\"", "[]", "{}", "0"}) {
            for (std::size_t at = good.find_first_of("0123456789"); at != std::string::npos;
                 at = good.find_first_of("0123456789", good.find_first_not_of("0123456789", at))) {
                std::string text = good;
                const std::string code =
                    codeOf(text.replace(at, good.find_first_not_of("0123456789", at) - at, other));
                QVERIFY2(code.empty() || code == "schedule.trace", text.c_str());
            }
        }
    }
};

QTEST_GUILESS_MAIN(IndexMapJsonTest)
#include "index_map_json_test.moc"
