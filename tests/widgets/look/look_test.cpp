// SPDX-License-Identifier: GPL-3.0-or-later
// The themes, and the small controls by mouse and key. NESTWRIGHT_SHOTS=DIR also leaves pictures of them
// there.
#include "widgets/look/axis.h"
#include "widgets/look/button.h"
#include "widgets/look/card.h"
#include "widgets/look/chip.h"
#include "widgets/look/empty_state.h"
#include "widgets/look/finding_box.h"
#include "widgets/look/fonts.h"
#include "widgets/look/icons.h"
#include "widgets/look/tab_row.h"
#include "widgets/look/theme.h"
#include "widgets/look/tokens.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMainWindow>
#include <QMenu>
#include <QPainter>
#include <QProgressBar>
#include <QRadioButton>
#include <QSpinBox>
#include <QTabBar>
#include <QTreeWidget>
#include <QtTest>

using namespace nestwright::look;

namespace {

/// A window with one of everything.
class Gallery : public QWidget {
public:
    Gallery()
    {
        resize(900, 560);
        auto *grid = new QGridLayout(this);
        grid->setSpacing(8);
        auto *actions = new Card("Loops");
        actions->header()->setSecondary("variant 6 · unroll(ki)");
        actions->setContent(makeActions());
        grid->addWidget(actions, 0, 0);
        auto *source = new Card("Target source");
        source->header()->setTabs({"asm", "LLVM IR", "C", "CUDA"}, 0);
        source->header()->setTabUnavailable(3, "No CUDA device was found");
        source->setContent(makeForm());
        grid->addWidget(source, 0, 1);
        auto *empty = new EmptyState("Open a model, or start from an example", "Files: .py, .onnx, .nest");
        empty->addButton("Open…", true)->setKey("Ctrl O");
        empty->addButton("Examples");
        auto *graph = new Card("Graph");
        graph->setContent(empty);
        grid->addWidget(graph, 1, 0);
        auto *tree = new QTreeWidget;
        tree->setHeaderLabels({"step", "time", "result"});
        for (const char *step : {"naive", "tile(i, j, 32, 32)", "unroll(ki)"})
            tree->addTopLevelItem(new QTreeWidgetItem({step, "19.1 ms", "verified"}));
        tree->setCurrentItem(tree->topLevelItem(1));
        auto *history = new Card("History");
        history->setContent(tree);
        grid->addWidget(history, 1, 1);
    }

private:
    class Marks : public QWidget {
        void paintEvent(QPaintEvent *) override
        {
            QPainter painter(this);
            double x = 0;
            for (int axis : {0, 1, 2, 3, 4, 5, 6, 7, mixedAxis, blockAxis}) {
                paintAxisMark(painter, QRectF(x, 2, 8, 20), axis, tokens(this));
                painter.setFont(codeFont(13, QFont::DemiBold));
                painter.setPen(axisColor(axis, tokens(this)));
                painter.drawText(QPointF(x + 11, 17), axisLetter(axis));
                x += 30;
            }
        }
    };

    QWidget *makeActions()
    {
        auto *body = new QWidget;
        auto *layout = new QVBoxLayout(body);
        auto *marks = new Marks;
        marks->setFixedHeight(24);
        layout->addWidget(marks);
        auto *chips = new QHBoxLayout;
        chips->addWidget(new Chip("parallel"));
        chips->addWidget(new Chip("L1", cacheChip(1)));
        chips->addWidget(new Chip("L2", cacheChip(2)));
        chips->addWidget(new Chip("L3", cacheChip(3)));
        chips->addWidget(new Chip("memory", cacheChip(4)));
        chips->addWidget(new Chip("current", ChipKind::Accent));
        chips->addStretch(1);
        layout->addLayout(chips);
        auto *buttons = new QGridLayout;
        buttons->setSpacing(6);
        auto *split = new Button("Split");
        split->setKey("S");
        auto *fuse = new Button("Fuse with ki");
        fuse->setKey("F");
        fuse->setUnavailable("ki is not the only child of ii");
        auto *measure = new Button("Measure", nullptr, Button::Kind::Primary);
        measure->setKey("M");
        auto *target = new Button("llvm  znver4 · 2 threads");
        target->setCaption("Target");
        target->setMenu(new QMenu(target));
        buttons->addWidget(split, 0, 0);
        buttons->addWidget(fuse, 0, 1);
        buttons->addWidget(measure, 0, 2);
        buttons->addWidget(target, 1, 0, 1, 2);
        auto *undo = new Button("");
        undo->setIcon(icon("undo"));
        undo->setAccessibleName("Undo");
        buttons->addWidget(undo, 1, 2);
        layout->addLayout(buttons);
        auto *bad = new FindingBox(FindingBox::Kind::Bad);
        bad->setContent("Vectorize is not possible here",
                        "ii encloses ki and ji; only an innermost loop can be a vector.",
                        "Reorder ii innermost");
        layout->addWidget(bad);
        layout->addStretch(1);
        return body;
    }

    QWidget *makeForm()
    {
        auto *body = new QWidget;
        auto *layout = new QVBoxLayout(body);
        auto *row = new QHBoxLayout;
        auto *edit = new QLineEdit;
        edit->setPlaceholderText("Search commands…");
        row->addWidget(edit);
        auto *spin = new QSpinBox;
        spin->setValue(32);
        row->addWidget(spin);
        auto *combo = new QComboBox;
        combo->addItems({"shared", "local"});
        row->addWidget(combo);
        layout->addLayout(row);
        auto *checks = new QHBoxLayout;
        auto *check = new QCheckBox("preserve unit loops");
        check->setChecked(true);
        checks->addWidget(check);
        checks->addWidget(new QCheckBox("disable predication"));
        auto *radio = new QRadioButton("outer");
        radio->setChecked(true);
        checks->addWidget(radio);
        layout->addLayout(checks);
        auto *bar = new QProgressBar;
        bar->setTextVisible(false);
        bar->setValue(60);
        layout->addWidget(bar);
        auto *tabs = new QTabBar;
        for (const char *tab : {"Variants", "Roofline", "Problems"})
            tabs->addTab(tab);
        layout->addWidget(tabs);
        auto *icons = new QHBoxLayout;
        icons->setSpacing(8);
        for (const char *name :
             {"open", "save", "export", "undo", "redo", "measure", "play", "stop", "tune", "search", "fit",
              "copy", "branch", "diff", "light", "dark", "target", "settings", "graph"}) {
            auto *label = new QLabel;
            label->setPixmap(icon(name).pixmap(QSize(16, 16), devicePixelRatioF()));
            icons->addWidget(label);
        }
        icons->addStretch(1);
        layout->addLayout(icons);
        layout->addStretch(1);
        auto *warn = new FindingBox(FindingBox::Kind::Warn);
        warn->setContent({}, "C is stored on every ko: 2 stores per 8 fma",
                         "Cache write C into registers and measure");
        layout->addWidget(warn);
        return body;
    }
};

} // namespace

class LookTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { m_theme = new Theme(*qApp, Mode::Light); }

    void textHoldsContrast_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }

    void textHoldsContrast()
    {
        QFETCH(bool, dark);
        const Tokens &t = dark ? darkTokens() : lightTokens();
        const std::pair<QColor, QColor> pairs[] = {{t.text, t.ground},
                                                   {t.text, t.pane},
                                                   {t.text, t.selectionFill},
                                                   {t.secondary, t.pane},
                                                   {t.chipText, t.chip},
                                                   {t.goodChipText, t.goodFill},
                                                   {t.infoChipText, t.infoFill},
                                                   {t.warnChipText, t.warnChipFill},
                                                   {t.bad, t.badFill},
                                                   {t.text, t.warnFill},
                                                   {t.link, t.warnFill},
                                                   {t.link, t.badFill},
                                                   {t.onAccent, t.accent},
                                                   {t.link, t.pane},
                                                   {t.good, t.pane},
                                                   {t.bad, t.pane},
                                                   {t.keyword, t.pane},
                                                   {t.builtin, t.selectionFill},
                                                   {t.number, t.pane},
                                                   {t.string, t.pane},
                                                   {t.comment, t.pane},
                                                   {t.preprocessor, t.pane},
                                                   {t.reference, t.pane},
                                                   {t.block, t.pane},
                                                   {t.mixedAxis, t.pane}};
        for (const auto &[ink, paper] : pairs)
            QVERIFY2(
                contrast(ink, paper) >= 4.5,
                qPrintable(QString("%1 on %2: %3").arg(ink.name(), paper.name()).arg(contrast(ink, paper))));
        for (const QColor &axis : t.axes)
            QVERIFY2(contrast(axis, t.pane) >= 4.5, qPrintable(axis.name()));
    }

    void axesAreTold()
    {
        QSet<QString> letters;
        for (int axis = 0; axis < 8; ++axis) {
            letters.insert(axisLetter(axis));
            for (int other = 0; other < axis; ++other)
                QVERIFY(axisColor(axis, lightTokens()) != axisColor(other, lightTokens()));
        }
        QCOMPARE(letters.size(), 8);
        QVERIFY(axisColor(blockAxis, darkTokens()) == darkTokens().block);
    }

    void themeSwitchesLive()
    {
        QWidget widget;
        widget.show();
        QSignalSpy spy(m_theme, &Theme::changed);
        QCOMPARE(&tokens(&widget), &lightTokens());
        m_theme->setMode(Mode::Dark);
        QCOMPARE(&tokens(&widget), &darkTokens());
        QCOMPARE(spy.count(), 1);
        m_theme->setMode(Mode::Light);
        QCOMPARE(&tokens(&widget), &lightTokens());
    }

    void reducedMotionTakesNoTime()
    {
        QWidget widget;
        QVERIFY(motionMs(&widget) >= 120 && motionMs(&widget) <= 160);
        m_theme->setReducedMotion(true);
        QCOMPARE(motionMs(&widget), 0);
        m_theme->setReducedMotion(false);
        QVERIFY(motionMs(&widget) > 0);
    }

    void iconsArePaintedInTheTextColour()
    {
        QVERIFY(icon("no such icon").isNull());
        const QImage image = icon("stop", Qt::red).pixmap(QSize(64, 64)).toImage();
        QVERIFY(!image.isNull());
        bool found = false;
        for (int y = 0; y < image.height() && !found; ++y)
            for (int x = 0; x < image.width() && !found; ++x)
                found = image.pixelColor(x, y) == QColor(Qt::red);
        QVERIFY(found);
    }

    void anUnavailableButtonSaysWhy()
    {
        Button button("Vectorize");
        button.setUnavailable("only an innermost loop can be a vector");
        button.show();
        QSignalSpy clicked(&button, &QPushButton::clicked);
        QSignalSpy refused(&button, &Button::refused);
        QTest::mouseClick(&button, Qt::LeftButton);
        QTest::keyClick(&button, Qt::Key_Space);
        QCOMPARE(clicked.count(), 0);
        QCOMPARE(refused.count(), 2);
        QCOMPARE(refused.first().first().toString(), "only an innermost loop can be a vector");
        QCOMPARE(button.toolTip(), "only an innermost loop can be a vector");
        button.setUnavailable({});
        QTest::mouseClick(&button, Qt::LeftButton);
        QTest::keyClick(&button, Qt::Key_Return);
        QCOMPARE(clicked.count(), 2);
        QVERIFY(button.toolTip().isEmpty());
    }

    void tabsAreChosenByMouseAndKey()
    {
        Card card("Target source");
        card.header()->setTabs({"asm", "LLVM IR", "C"}, 0);
        card.header()->setTabUnavailable(1, "not now");
        card.resize(400, 200);
        card.show();
        auto *row = card.findChild<TabRow *>();
        QSignalSpy chosen(card.header(), &CardHeader::tabChosen);
        QTest::mouseClick(row, Qt::LeftButton, {}, row->tabRect(1).center());
        QCOMPARE(chosen.count(), 0);
        QTest::mouseClick(row, Qt::LeftButton, {}, row->tabRect(2).center());
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(card.header()->currentTab(), 2);
        QTest::keyClick(row, Qt::Key_Left);
        QCOMPARE(card.header()->currentTab(), 0);
    }

    void aFindingActs()
    {
        FindingBox box(FindingBox::Kind::Bad);
        box.setContent("Not possible", "why", "Help me");
        box.show();
        QSignalSpy acted(&box, &FindingBox::actionTriggered);
        QTest::mouseClick(box.findChild<QAbstractButton *>(), Qt::LeftButton);
        QCOMPARE(acted.count(), 1);
    }

    void picture()
    {
        const QString folder = qEnvironmentVariable("NESTWRIGHT_SHOTS");
        for (const Mode mode : {Mode::Light, Mode::Dark}) {
            m_theme->setMode(mode);
            Gallery gallery;
            gallery.show();
            QVERIFY(QTest::qWaitForWindowExposed(&gallery));
            const QPixmap shot = gallery.grab();
            QCOMPARE(shot.size(), gallery.size() * gallery.devicePixelRatioF());
            if (!folder.isEmpty())
                QVERIFY(shot.save(
                    QDir(folder).filePath(mode == Mode::Dark ? "look-dark.png" : "look-light.png")));
        }
        m_theme->setMode(Mode::Light);
    }

private:
    Theme *m_theme = nullptr;
};

QTEST_MAIN(LookTest)
#include "look_test.moc"
