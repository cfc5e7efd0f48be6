// SPDX-License-Identifier: GPL-3.0-or-later
// The window as assistive technology has it: the program is started on a bus with the registry of AT-SPI, and
// read and worked through that bus alone, its windows too. NESTWRIGHT_SPOKEN=FILE leaves the trees there.
#include "tests/e2e/at_spi.h"
#include "tests/support/sanitized.h"

#include <QTemporaryDir>
#include <QTextStream>
#include <QtTest>

#include <memory>
#include <optional>

using namespace nestwright;
using e2e::SpiNode;
using e2e::SpiRole;

namespace {

constexpr int spokenPatience = tests::isSanitized ? 300'000 : 10'000; ///< ms

/// Roles that tell nothing about a thing.
bool isVague(SpiRole role)
{
    return role == SpiRole::Invalid || role == SpiRole::Filler || role == SpiRole::Panel
           || role == SpiRole::Unknown || role == SpiRole::RedundantObject;
}

/// Cells are read one by one; of a long table the first tell of the others.
constexpr std::size_t mostCells = 60;

/// What is shown, a line each, and what is wrong with it.
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

    /// The program with these arguments, once a thing of this role and name is shown.
    void open(const QStringList &arguments, SpiRole role, const QString &name)
    {
        const QString program = qEnvironmentVariable("NESTWRIGHT_BIN_DIR") + QStringLiteral("/nestwright");
        QVERIFY2(QFile::exists(program), qPrintable(program));
        m_spi->stop();
        QTRY_VERIFY_WITH_TIMEOUT(!m_spi->application(), spokenPatience);
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
        QTRY_VERIFY2_WITH_TIMEOUT(find(role, name), qPrintable(name), spokenPatience);
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
        QTRY_VERIFY2_WITH_TIMEOUT(find(SpiRole::Text, field)->description().startsWith(title),
                                  qPrintable(find(SpiRole::Text, field)->description()), spokenPatience);
        QVERIFY2(m_spi->press(QStringLiteral("Return")), "xdotool is not installed");
        QTRY_VERIFY_WITH_TIMEOUT(!find(SpiRole::Text, field), spokenPatience);
    }
    /// Walks through all that is shown; false where something is wrong with it.
    bool walk(const QString &what) const
    {
        const auto application = m_spi->application();
        if (!application)
            return false;
        Spoken heard;
        for (const SpiNode &window : application->children()) {
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
    /// A window that a command opens: read, and left again.
    void walkThroughWindow(const QString &command, const QString &title) const
    {
        this->command(command);
        const auto window = [&]() -> std::optional<SpiNode> {
            const auto application = m_spi->application();
            if (!application)
                return {};
            for (const SpiNode &each : application->children()) {
                if (each.name().startsWith(title) && each.is(e2e::SpiShowing))
                    return each;
            }
            return {};
        };
        QTRY_VERIFY2_WITH_TIMEOUT(window(), qPrintable(title), spokenPatience);
        const bool isFit = walk(title);
        QVERIFY2(m_spi->press(QStringLiteral("Escape")), "xdotool is not installed");
        QTRY_VERIFY2_WITH_TIMEOUT(!window(), qPrintable(title), spokenPatience);
        QVERIFY2(isFit, qPrintable(title));
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
              QStringLiteral("examples/schedules/matmul/4_parallel.py")},
             SpiRole::TableCell, QStringLiteral("parallel"));
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
            {"Sweep a number of the variant's step…", "Sweep"},
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
};

QTEST_MAIN(AccessibilityTest)
#include "accessibility_test.moc"
