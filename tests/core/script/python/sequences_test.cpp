// SPDX-License-Identifier: Apache-2.0
#include "core/script/python/sequences.h"

#include <QtTest>

using namespace nestwright::script;

class SequencesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void placesOfIndices()
    {
        QCOMPARE(*py::placeOf(0, 3), 0);
        QCOMPARE(*py::placeOf(-1, 3), 2);
        QCOMPARE(*py::placeOf(-3, 3), 0);
        for (const std::int64_t outside : {std::int64_t{3}, std::int64_t{-4}, INT64_MIN, INT64_MAX}) {
            QVERIFY(!py::placeOf(outside, 3));
            QVERIFY(py::placeOf(outside, 3).error().kind == py::FaultKind::Index);
        }
        QCOMPARE(py::placeOf(2, 1, "a string").error().message, "index 2 is outside a string of 1");
    }

    void slices()
    {
        const auto slice = [](std::optional<std::int64_t> lower, std::optional<std::int64_t> upper,
                              std::optional<std::int64_t> step) {
            return py::itemsAt(std::string("abcde"), *py::placesOf({lower, upper, step}, 5));
        };
        QCOMPARE(slice({}, {}, {}), "abcde");
        QCOMPARE(slice(1, -1, {}), "bcd");
        QCOMPARE(slice(-9, 9, {}), "abcde");
        QCOMPARE(slice(3, 1, {}), "");
        QCOMPARE(slice({}, {}, 2), "ace");
        QCOMPARE(slice({}, {}, -1), "edcba");
        QCOMPARE(slice(1, {}, -1), "ba");
        QCOMPARE(slice({}, 2, -2), "e");
        QCOMPARE(slice(-9, {}, -1), "");
        QCOMPARE(slice({}, {}, INT64_MAX), "a");
        QCOMPARE(slice({}, {}, INT64_MIN), "e");
        QVERIFY(py::placesOf({{}, {}, -1}, 0)->empty());
        QVERIFY(py::placesOf({{}, {}, 0}, 3).error().kind == py::FaultKind::Type);
    }

    void joinedAndRepeated()
    {
        QCOMPARE(py::joined(std::string("ab"), std::string("c")), "abc");
        QCOMPARE(py::repeated(std::vector<int>{1, 2}, 2), (std::vector<int>{1, 2, 1, 2}));
        QVERIFY(py::repeated(std::vector<int>{1}, -1).empty());
        QVERIFY(py::repeated(std::vector<int>(), INT64_MAX).empty());
        QCOMPARE(py::repeatedLength(3, 4), 12);
        QCOMPARE(py::repeatedLength(3, -4), 0);
        QCOMPARE(py::repeatedLength(3, INT64_MAX), INT64_MAX);
    }
};

QTEST_APPLESS_MAIN(SequencesTest)
#include "sequences_test.moc"
