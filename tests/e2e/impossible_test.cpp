// SPDX-License-Identifier: GPL-3.0-or-later
// A time that no machine reaches, in the window: it is no bar among bars, and not counted as verified.
#include "tests/e2e/window_fixture.h"
#include "widgets/charts/variant_bars.h"
#include "widgets/look/card.h"
#include "widgets/models/measurement_texts.h"
#include "widgets/models/variants_model.h"

#include <QtTest>

using namespace nestwright;
using e2e::patience;

namespace {

/// Says the same over and over, which the compiler leaves out.
constexpr const char *repeated = R"(from tvm.script import tir as T
@T.prim_func
def main(A: T.Buffer((1024,), "float32"), C: T.Buffer((1024,), "float32")):
    for k, i in T.grid(100000, 1024):
        with T.block("C"):
            vi = T.axis.spatial(1024, i)
            vk = T.axis.reduce(100000, k)
            C[vi] = A[vi] * T.float32(2) + T.float32(1)
)";

} // namespace

class ImpossibleWindowTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { showWindow(1366, 768, {{"repeated.py", repeated}}); }

    void isShownAsSuch()
    {
        m_window->open(path("examples/repeated.py"));
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen(), patience);
        QVERIFY(settle());
        press(Qt::Key_M);
        QTRY_VERIFY_WITH_TIMEOUT(document().tree().root().measurement && !m_window->measuring().isRunning(),
                                 patience);
        QVERIFY(settle());
        shoot("impossible");
        const measure::Measurement &measured = *document().tree().root().measurement;
        QCOMPARE(measured.failed, measure::Failure::Impossible);
        QVERIFY(!measured.isVerified());
        QCOMPARE(models::verdictText(measured), QStringLiteral("impossible"));

        const charts::BarData &bars = m_window->bars()->data();
        QCOMPARE(bars.bars.size(), std::size_t{1});
        QCOMPARE(bars.bars.front().outcome, charts::Outcome::Failed);
        QCOMPARE(bars.bars.front().failure, QStringLiteral("impossible"));
        QVERIFY(bars.bars.front().note.contains(QStringLiteral("which no program reaches")));
        QVERIFY(std::ranges::any_of(m_window->findChildren<look::CardHeader *>(), [](const auto *header) {
            return header->secondary().contains(QStringLiteral("0 of 1 verified"));
        }));
    }
};

QTEST_MAIN(ImpossibleWindowTest)
#include "impossible_test.moc"
