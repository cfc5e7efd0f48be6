// SPDX-License-Identifier: Apache-2.0
#include "core/support/text/json.h"

#include <QtTest>

#include <optional>

using namespace nestwright;
using support::Json;

namespace {

/// The value that the text reads as; nothing where it is refused.
template <class T> std::optional<T> read(const char *text)
{
    try {
        return Json::parse(text).get<T>();
    } catch (const Json::exception &) {
        return std::nullopt;
    }
}

using Ints = std::vector<std::int64_t>;
using Sizes = std::map<std::string, std::int64_t>;

} // namespace

class JsonTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void integersAreExact()
    {
        QCOMPARE(read<int>("-7"), -7);
        QCOMPARE(read<std::int64_t>("9223372036854775807"), INT64_MAX);
        QCOMPARE(read<std::uint64_t>("18446744073709551615"), UINT64_MAX);
        QCOMPARE(read<std::uint32_t>("4294967295"), UINT32_MAX);
        QCOMPARE(read<std::int64_t>("9223372036854775808"), std::nullopt);
        QCOMPARE(read<std::uint32_t>("4294967296"), std::nullopt);
        QCOMPARE(read<int>("2147483648"), std::nullopt);
        QCOMPARE(read<std::uint64_t>("-1"), std::nullopt);
    }

    void nothingElseIsAnInteger()
    {
        for (const char *text : {"1.0", "1e300", "2.5", "true", "null", "\"1\"", "[1]", "{}"})
            QVERIFY2(!read<std::int64_t>(text), text);
        QCOMPARE(read<double>("1"), 1.0);
        QCOMPARE(read<double>("1e300"), 1e300);
        QCOMPARE(read<bool>("true"), true);
        QCOMPARE(read<bool>("1"), std::nullopt);
    }

    void withinOtherValues()
    {
        QCOMPARE(read<Ints>("[1, 2]"), (Ints{1, 2}));
        QCOMPARE(read<Ints>("[1, 2.5]"), std::nullopt);
        QCOMPARE(read<Sizes>("{\"n\": 3}"), (Sizes{{"n", 3}}));
        QCOMPARE(read<Sizes>("{\"n\": 1e104}"), std::nullopt);
        QVERIFY_THROWS_EXCEPTION(Json::exception, Json::parse("{\"n\": 1e104}").value("n", 1));
        QCOMPARE(Json::parse("{}").value("n", 5), 5);
    }

    /// Members of an OrderedJson come as they were added.
    void order()
    {
        support::OrderedJson value{{"b", 1}, {"a", 2}};
        QCOMPARE(QString::fromStdString(value.dump()), R"({"b":1,"a":2})");
        QCOMPARE(value.at("a").get<int>(), 2);
    }
};

QTEST_GUILESS_MAIN(JsonTest)
#include "json_test.moc"
