// SPDX-License-Identifier: GPL-3.0-or-later
// The window as assistive technology has it: the program is started on a bus with the registry of AT-SPI, and
// read and worked through that bus alone, its windows too. NESTWRIGHT_SPOKEN=FILE leaves the trees there.
#include "tests/e2e/at_spi.h"
#include "tests/support/sanitized.h"

#include <QTemporaryDir>
#include <QTextStream>
#include <QtTest>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

using namespace nestwright;
using e2e::SpiNode;
using e2e::SpiRole;

namespace {

constexpr int spokenPatience = tests::isSanitized ? 300'000 : 20'000; ///< ms

/// Roles that tell nothing about a thing.
bool isVague(SpiRole role)
{
    return role == SpiRole::Invalid || role == SpiRole::Filler || role == SpiRole::Panel
           || role == SpiRole::Unknown || role == SpiRole::RedundantObject;
}

/// Cells are read one by one; of a long table the first tell of the others.
constexpr std::size_t mostCells = 60;

/// Widgets shown, a line each, with their faults.
struct Spoken {
    QStringList lines, faults;
};

void listen(const SpiNode &node, const QString &place, Spoken &heard)
{
    const SpiRole role = node.role();
    const QString name = node.name(), description = node.description();
    const QString here = place + u'/' + (name.isEmpty() ? node.roleName() : name.left(40));
    const bool isFocusable = node.is(e2e::SpiFocusable);
    QStringList actions = node.actions();
    actions.removeAll(QStringLiteral("SetFocus"));
    heard.lines << QStringLiteral("%1[%2] %3 | %4 | %5")
                       .arg(QString(place.count(u'/') * 2, u' '), node.roleName(), name, description,
                            actions.join(u','));
    // A scroll bar moves what keys move, too; Qt names none.
    const bool isWorked = (isFocusable || !actions.isEmpty()) && role != SpiRole::ScrollBar;
    if (isWorked && name.trimmed().isEmpty())
        heard.faults << QStringLiteral("no name: %1").arg(here);
    if (isWorked && isVague(role))
        heard.faults << QStringLiteral("no role: %1").arg(here);
    if ((role == SpiRole::Chart || role == SpiRole::Canvas || role == SpiRole::Image)
        && (name.isEmpty() || description.isEmpty()))
        heard.faults << QStringLiteral("nothing is said of the picture: %1").arg(here);
    const std::vector<SpiNode> children = node.children();
    for (std::size_t i = 0; i < std::min(children.size(), mostCells); ++i) {
        if (children[i].is(e2e::SpiShowing))
            listen(children[i], here, heard);
    }
}

} // namespace

class AccessibilityTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<e2e::AtSpi> m_spi;

    /// An answer may take longer than the steps of QTRY_VERIFY are.
    static bool waitFor(const std::function<bool()> &isTrue)
    {
        return QTest::qWaitFor(isTrue, spokenPatience);
    }
    /// The program with these arguments, once a thing of this role and name is shown.
    void open(const QStringList &arguments, SpiRole role, const QString &name)
    {
        const QString program = qEnvironmentVariable("NESTWRIGHT_BIN_DIR") + QStringLiteral("/nestwright");
        QVERIFY2(QFile::exists(program), qPrintable(program));
        m_spi->stop();
        QVERIFY(waitFor([&] { return bool(!m_spi->application()); }));
        m_spi->start(program, arguments);
        await(role, name);
    }
    std::optional<SpiNode> find(SpiRole role, const QString &name = {}) const
    {
        const auto application = m_spi->application();
        return application ? application->find([&](const SpiNode &each) {
            return each.role() == role && each.name().startsWith(name);
        })
                           : std::nullopt;
    }
    void await(SpiRole role, const QString &name = {}) const
    {
        QVERIFY2(waitFor([&] { return bool(find(role, name)); }), qPrintable(name));
    }
    void press(SpiRole role, const QString &name) const
    {
        await(role, name);
        QVERIFY2(find(role, name)->act(QStringLiteral("Press")), qPrintable(name));
    }
    /// Through the palette: its button, its field, Enter.
    void command(const QString &title) const
    {
        const QString field = QStringLiteral("Search commands");
        press(SpiRole::Button, field);
        await(SpiRole::Text, field);
        QVERIFY(find(SpiRole::Text, field)->setText(title));
        QVERIFY2(waitFor([&] { return bool(find(SpiRole::Text, field)->description().startsWith(title)); }),
                 qPrintable(find(SpiRole::Text, field)->description()));
        QVERIFY2(m_spi->press(QStringLiteral("Return")), "xdotool is not installed");
        QVERIFY(waitFor([&] { return bool(!find(SpiRole::Text, field)); }));
    }
    /// Walks through all that is shown, or through one window; false where something is wrong with it.
    bool walk(const QString &what, const std::optional<SpiNode> &only = {}) const
    {
        const auto application = m_spi->application();
        if (!application)
            return false;
        Spoken heard;
        for (const SpiNode &window : only ? std::vector{*only} : application->children()) {
            if (window.is(e2e::SpiShowing))
                listen(window, QString(), heard);
        }
        QFile file(qEnvironmentVariable("NESTWRIGHT_SPOKEN"));
        if (!file.fileName().isEmpty() && file.open(QIODevice::Append)) {
            QTextStream(&file) << "=== " << what << '\n'
                               << heard.lines.join(u'\n') << "\n--- faults\n"
                               << heard.faults.join(u'\n') << '\n';
        }
        for (const QString &fault : heard.faults)
            qWarning("%s: %s", qPrintable(what), qPrintable(fault));
        return !heard.lines.isEmpty() && heard.faults.isEmpty();
    }
    std::optional<SpiNode> window(const QString &title) const
    {
        const auto application = m_spi->application();
        for (const SpiNode &each : application ? application->children() : std::vector<SpiNode>()) {
            if (each.name().startsWith(title) && each.is(e2e::SpiShowing))
                return each;
        }
        return std::nullopt;
    }
    void key(const QString &name) const { QVERIFY2(m_spi->press(name), "xdotool is not installed"); }
    /// A window that a command opens: read, and left again.
    void walkThroughWindow(const QString &command, const QString &title) const
    {
        this->command(command);
        QVERIFY2(waitFor([&] { return bool(window(title)); }), qPrintable(title));
        const bool isFit = walk(title, window(title));
        key(QStringLiteral("Escape"));
        QVERIFY2(waitFor([&] { return bool(!window(title)); }), qPrintable(title));
        QVERIFY2(isFit, qPrintable(title));
    }
    /// Something that is shown within the main window after a command.
    void walkThroughPane(const QString &command, SpiRole role, const QString &name) const
    {
        this->command(command);
        await(role, name);
        QVERIFY2(walk(command), qPrintable(command));
    }

private Q_SLOTS:
    void initTestCase()
    {
        if (const QString missing = e2e::AtSpi::missing(); !missing.isEmpty())
            QSKIP(qPrintable(missing));
        m_spi = std::make_unique<e2e::AtSpi>(m_folder.path());
        if (!m_spi->isThere())
            QSKIP("the bus of AT-SPI does not start here");
    }
    void cleanupTestCase() { m_spi.reset(); }

    void startPage()
    {
        open({}, SpiRole::ButtonMenu, QStringLiteral("Open"));
        QVERIFY(walk(QStringLiteral("start page")));
    }
    void kernelWithSteps()
    {
        open({QStringLiteral("op:matmul(M=64,N=64,K=64)"), QStringLiteral("--schedule"),
              QStringLiteral("examples/schedules/matmul/04_parallel.py")},
             SpiRole::TableCell, QStringLiteral("parallel i_0"));
        QVERIFY(walk(QStringLiteral("kernel")));
    }
    void windowsOfKernel_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QString>("title");
        const std::pair<const char *, const char *> windows[] = {
            {"Compare two variants…", "Compare"},
            {"What each step brings…", "What each step brings"},
            {"Play iterations…", "Iteration player"},
            {"Measure on other shapes and targets…", "Other shapes"},
            {"Layouts of buffers…", "Layouts"},
            {"Apply a recipe…", "Apply a recipe"},
            {"Save as a recipe…", "Save"},
            {"Name and note of the variant…", "Name"},
            {"Inputs of the kernel…", "Inputs"},
            {"Libraries of this kernel…", "Libraries"},
            {"Keys on one sheet", "Keys"},
            {"Primitives: the effect of each", "Help"},
            {"About this machine", "About this machine"},
            {"About Nestwright", "About"},
        };
        for (const auto &[command, title] : windows)
            QTest::newRow(command) << QString::fromUtf8(command) << QString::fromUtf8(title);
    }
    void windowsOfKernel()
    {
        QFETCH(QString, command);
        QFETCH(QString, title);
        walkThroughWindow(command, title);
    }
    void panesOfKernel()
    {
        press(SpiRole::Button, QStringLiteral("Split"));
        await(SpiRole::Button, QStringLiteral("Apply"));
        QVERIFY(walk(QStringLiteral("form of a primitive")));
        press(SpiRole::Button, QStringLiteral("Cancel"));
        press(SpiRole::PageTab, QStringLiteral("findings"));
        QVERIFY(walk(QStringLiteral("findings")));
        press(SpiRole::PageTab, QStringLiteral("problems"));
        QVERIFY(walk(QStringLiteral("problems")));
        press(SpiRole::PageTab, QStringLiteral("± parent"));
        QVERIFY(walk(QStringLiteral("difference")));
        walkThroughPane(QStringLiteral("Edit the schedule script"), SpiRole::Text,
                        QStringLiteral("Schedule script"));
        command(QStringLiteral("Leave the edit of the schedule script"));
        walkThroughPane(QStringLiteral("Course: all lessons"), SpiRole::List, QStringLiteral("Lessons"));
        command(QStringLiteral("Course: ten lessons"));
    }
    /// A loop is chosen, a step applied, its code read.
    void job()
    {
        const auto line = [this](const QString &begin) {
            const auto code = find(SpiRole::Text, QStringLiteral("Loop nest"));
            for (int at = 0; code && at < code->characterCount();) {
                const QString text = code->lineAt(at);
                if (text.isEmpty())
                    break;
                if (text.trimmed().startsWith(begin))
                    return text.trimmed();
                at += static_cast<int>(text.size());
            }
            return QString();
        };
        press(SpiRole::PageTab, QStringLiteral("TVMScript"));
        press(SpiRole::PageTab, QStringLiteral("variants"));
        const auto isCell = [](const SpiNode &each) { return each.name().startsWith(u"k_0, "); };
        const auto tree = m_spi->application()->find(
            [](const SpiNode &each) { return each.name() == u"Loops and blocks"; });
        QVERIFY(tree);
        const std::vector<SpiNode> cells = tree->children();
        const auto cell = std::ranges::find_if(cells, isCell);
        QVERIFY(cell != cells.end());
        QVERIFY(!cell->is(e2e::SpiSelected));
        tree->clearSelection();
        QVERIFY(tree->selectRowOf(static_cast<int>(cell - cells.begin())));
        await(SpiRole::Label, QStringLiteral("k_0"));
        press(SpiRole::Button, QStringLiteral("Unroll"));
        await(SpiRole::TableCell, QStringLiteral("unroll k_0"));
        await(SpiRole::TableCell, QStringLiteral("unroll(k_0"));
        QVERIFY(waitFor([&] { return bool(line(QStringLiteral("for k_0 in T.unroll(16)")).size() > 0); }));
    }
    void charts()
    {
        press(SpiRole::Button, QStringLiteral("Measure"));
        const auto isMeasured = [this] {
            const auto chart = find(SpiRole::Chart, QStringLiteral("Variants"));
            return chart && chart->description().contains(QStringLiteral("GFLOPS"));
        };
        QVERIFY(waitFor([&] { return bool(isMeasured()); }));
        QVERIFY(walk(QStringLiteral("charts")));
    }
    void model()
    {
        open({QStringLiteral("examples/models/transformer_encoder.onnx")}, SpiRole::TableCell, QString());
        QVERIFY(walk(QStringLiteral("model")));
        walkThroughWindow(QStringLiteral("Passes over the model…"), QStringLiteral("Passes"));
    }
    /// A second window is a program of its own.
    void secondWindow()
    {
        const auto isOpen = [this] {
            return m_spi->countOf([](const SpiNode &each) { return each.name() == u"nestwright"; }) == 2;
        };
        QVERIFY(!isOpen());
        command(QStringLiteral("Open the file in a new window, as it was saved"));
        QVERIFY(waitFor(isOpen));
    }
};

QTEST_MAIN(AccessibilityTest)
#include "accessibility_test.moc"
