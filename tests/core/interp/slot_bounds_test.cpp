// SPDX-License-Identifier: Apache-2.0
/// Intervals of indices, and the widest that they are known of.
#include "core/interp/slot_bounds.h"

#include <QtTest>

using namespace nestwright::interp;

namespace {

constexpr std::int64_t wide = std::int64_t{1} << 31;

/// `base + factor * slot 0`, where the slot has `first` to `last`: "first last", or "unknown".
QString boundsOf(std::int64_t base, std::int64_t factor, std::int64_t first, std::int64_t last)
{
    SlotBounds bounds;
    bounds.set(0, {first, last});
    Index index;
    index.base = base;
    index.terms.push_back({.slot = 0, .factor = factor});
    const auto found = bounds.of(index);
    return found ? QString("%1 %2").arg(found->first).arg(found->last) : QString("unknown");
}

} // namespace

class SlotBoundsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void intervals()
    {
        QCOMPARE(boundsOf(3, 2, 0, 7), "3 17");
        QCOMPARE(boundsOf(3, -2, 0, 7), "-11 3");
        QCOMPARE(boundsOf(0, 0, -5, 5), "0 0");
    }

    /// Sums of wider ones might overflow.
    void wideOnesAreNotKnown()
    {
        QCOMPARE(boundsOf(wide - 1, 1, 0, 0), QString::number(wide - 1) + ' ' + QString::number(wide - 1));
        QCOMPARE(boundsOf(wide, 1, 0, 0), "unknown");
        QCOMPARE(boundsOf(-wide, 1, 0, 0), "unknown");
        QCOMPARE(boundsOf(0, wide, 0, 0), "unknown");
        QCOMPARE(boundsOf(0, -wide, 0, 0), "unknown");
        QCOMPARE(boundsOf(0, 2, 0, wide / 2), "unknown");
        QCOMPARE(boundsOf(0, 2, -(wide / 2), 0), "unknown");
        QCOMPARE(boundsOf(0, -2, -(wide / 2), 0), "unknown");
        QVERIFY(boundsOf(0, 2, -(wide / 2) + 1, wide / 2 - 1) != "unknown");
        // Whatever the slot is multiplied by.
        QCOMPARE(boundsOf(0, 0, -wide, 0), "unknown");
        QCOMPARE(boundsOf(0, 0, 0, wide), "unknown");
        QCOMPARE(boundsOf(0, 0, -wide + 1, wide - 1), "0 0");
    }

    void aSlotWithoutBoundsIsNotKnown()
    {
        SlotBounds bounds;
        Index index;
        index.terms.push_back({.slot = 1, .factor = 1});
        QVERIFY(!bounds.of(index));
        bounds.set(1, {0, 3});
        QVERIFY(bounds.of(index));
        bounds.erase(1);
        QVERIFY(!bounds.of(index));
    }
};

QTEST_APPLESS_MAIN(SlotBoundsTest)
#include "slot_bounds_test.moc"
