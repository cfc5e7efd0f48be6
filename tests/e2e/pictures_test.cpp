// SPDX-License-Identifier: GPL-3.0-or-later
// The window in its states, at the sizes of screens, in both themes: buttons are whole and inside, rows of
// the loop tree are in sight. NESTWRIGHT_SHOTS=DIR leaves a picture of each there, also of the sizes that are
// not looked at else; QT_SCALE_FACTOR=1.5 makes them those of such a screen.
#include "app/window/frame/banner.h"
#include "tests/e2e/model_fixture.h"
#include "tests/support/programs.h"
#include "widgets/look/button.h"

#include <QtTest>

#include <string_view>

using namespace nestwright;
using e2e::patience;

namespace {

/// Twenty steps; a branch leaves after the tenth, another after the fourteenth.
constexpr const char *beginning = R"(def apply_trace(sch):
  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  i0, i1 = sch.split(i, [None, 64])
  j0, j1 = sch.split(j, [None, 128])
  k0, k1 = sch.split(k, [None, 64])
  i1a, i1b = sch.split(i1, [None, 4])
  j1a, j1b = sch.split(j1, [None, 32])
  sch.reorder(i0, j0, k0, i1a, j1a, k1, i1b, j1b)
  w = sch.cache_write(b, 0, "global")
  sch.reverse_compute_at(w, j0)
  p = sch.cache_read(b, 1, "global")
  sch.compute_at(p, k0)
)";
constexpr const char *middle = R"(  q = sch.cache_read(b, 0, "global")
  sch.compute_at(q, k0)
  sch.vectorize(j1b)
  sch.unroll(i1b)
)";
constexpr const char *end = R"(  pl = sch.get_loops(p)
  sch.vectorize(sch.split(pl[-1], [None, 16])[1])
  ql = sch.get_loops(q)
  sch.vectorize(sch.split(ql[-1], [None, 16])[1])
  f = sch.fuse(i0, j0)
  sch.parallel(f)
)";
constexpr const char *firstBranch = R"(  sch.parallel(i0)
  sch.vectorize(j1b)
)";
constexpr const char *secondBranch = R"(  sch.parallel(i0)
)";

} // namespace

class PicturesTest : public QObject, e2e::ModelFixture {
    Q_OBJECT

    /// One file after the other, each opened whole.
    void open(const QString &file)
    {
        m_window->open(file);
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && !document().isBusy(), patience);
        QVERIFY(settle());
    }
    QString script(const char *name, const QByteArray &text) const
    {
        QFile file(path(name));
        if (file.open(QIODevice::WriteOnly))
            file.write(text);
        return path(name);
    }
    void openKernel() { open(m_folder.filePath(QStringLiteral("examples/matmul.py"))); }

    void openWork()
    {
        openKernel();
        const QByteArray begin = beginning;
        open(script("first.py", begin + firstBranch));
        open(script("second.py", begin + middle + secondBranch));
        open(script("whole.py", begin + middle + end));
        QVERIFY2(document().tree().size() >= 20, qPrintable(QString::number(document().tree().size())));
        m_window->measuring().measure({document().currentId()});
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->measuring().isRunning(), patience);
        QVERIFY(settle());
    }
    void openModel()
    {
        openSqueezenet();
        if (qEnvironmentVariableIsSet("NESTWRIGHT_SHOTS"))
            measureModel();
    }
    /// A script that names a block that is not there.
    void openMistake()
    {
        openKernel();
        m_window->open(script("mistake.py", "def apply_trace(sch):\n  b = sch.get_block(\"D\")\n"
                                            "  i, j, k = sch.get_loops(b)\n  sch.parallel(i)\n"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->banner()->isVisible(), patience);
        QVERIFY(settle());
    }

private Q_SLOTS:
    void cleanup() { m_window.reset(); }

    void theWindow_data()
    {
        QTest::addColumn<QString>("state");
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("dark");
        const bool all = qEnvironmentVariableIsSet("NESTWRIGHT_SHOTS");
        for (const char *state : {"kernel", "work", "model", "error"}) {
            for (const QSize size : {QSize(1366, 768), QSize(1600, 1000), QSize(2560, 1440)}) {
                for (const bool dark : {false, true}) {
                    if (all || (size.width() == 1366 && dark))
                        QTest::addRow("%s-%d-%s", state, size.width(), dark ? "dark" : "light")
                            << state << size << dark;
                }
            }
        }
    }
    void theWindow()
    {
        QFETCH(QString, state);
        QFETCH(QSize, size);
        QFETCH(bool, dark);
        if (state == u"model" && !QFile::exists(e2e::squeezenet))
            QSKIP("ONNX's test data (libonnx-testdata) are not installed");
        const std::string text(tests::programText("matmul"));
        const QSize own = (QSizeF(size) / qApp->devicePixelRatio()).toSize();
        showWindow(own.width(), own.height(), {{"matmul.py", text.c_str()}});
        m_theme->setMode(dark ? look::Mode::Dark : look::Mode::Light);
        if (state == u"work")
            openWork();
        else if (state == u"model")
            openModel();
        else if (state == u"error")
            openMistake();
        else
            openKernel();
        if (QTest::currentTestFailed())
            return;
        QTest::qWait(50);
        QCOMPARE(m_window->size(), own);
        for (const look::Button *button : m_window->findChildren<look::Button *>()) {
            if (!button->isVisible() || button->window() != m_window.get())
                continue;
            const QRect place(button->mapTo(m_window.get(), QPoint()), button->size());
            QVERIFY2(m_window->rect().contains(place), qPrintable(button->objectName() + button->text()));
        }
        shoot(qPrintable(QStringLiteral("%1-%2")
                             .arg(QString::fromLatin1(QTest::currentDataTag()))
                             .arg(qApp->devicePixelRatio())));
    }
};

QTEST_MAIN(PicturesTest)
#include "pictures_test.moc"
