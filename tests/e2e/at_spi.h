// SPDX-License-Identifier: GPL-3.0-or-later
/// Assistive technology, as a test: a session bus of its own with the registry of AT-SPI, the program on it,
/// and the tree of what it shows, read and worked through that bus alone.
#pragma once

#include <QDBusArgument>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusObjectPath>
#include <QDBusVariant>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QtTest>

#include <csignal>
#include <functional>
#include <optional>
#include <sys/prctl.h>
#include <vector>

namespace nestwright::e2e {

/// Of AT-SPI's states those that the test looks at, by their numbers.
enum SpiState : int { SpiEnabled = 8, SpiFocusable = 11, SpiFocused = 12, SpiSelected = 23, SpiShowing = 25 };

/// Likewise of its roles.
enum class SpiRole : uint {
    Invalid = 0,
    Canvas = 6,
    Dialog = 16,
    Filler = 20,
    Frame = 23,
    Image = 27,
    Label = 29,
    List = 31,
    ListItem = 32,
    MenuItem = 35,
    PageTab = 37,
    Panel = 39,
    PopupMenu = 41,
    Button = 43,
    ScrollBar = 48,
    TableCell = 56,
    Text = 61,
    Unknown = 67,
    Chart = 80,
    RedundantObject = 86,
    ButtonMenu = 129,
};

class SpiNode {
public:
    SpiNode() = default;
    SpiNode(const QDBusConnection &bus, QString service, QString path)
        : m_bus(bus)
        , m_service(std::move(service))
        , m_path(std::move(path))
    {
    }

    explicit operator bool() const { return !m_path.isEmpty(); }
    QString name() const { return property("Accessible", "Name").toString(); }
    QString description() const { return property("Accessible", "Description").toString(); }
    SpiRole role() const { return SpiRole(call("Accessible", "GetRole").value(0).toUInt()); }
    QString roleName() const { return call("Accessible", "GetRoleName").value(0).toString(); }
    QStringList interfaces() const
    {
        QStringList names;
        for (const QString &each : call("Accessible", "GetInterfaces").value(0).toStringList())
            names << each.section(u'.', -1);
        return names;
    }
    bool is(SpiState state) const
    {
        const QVariant answer = call("Accessible", "GetState").value(0);
        const auto words = qdbus_cast<QList<uint>>(answer);
        return !words.isEmpty() && (words[0] >> state & 1U) != 0;
    }
    std::vector<SpiNode> children() const
    {
        std::vector<SpiNode> found;
        const QVariant answer = call("Accessible", "GetChildren").value(0);
        if (answer.metaType() != QMetaType::fromType<QDBusArgument>())
            return found;
        const auto list = answer.value<QDBusArgument>();
        list.beginArray();
        while (!list.atEnd()) {
            QString service;
            QDBusObjectPath path;
            list.beginStructure();
            list >> service >> path;
            list.endStructure();
            found.emplace_back(m_bus, service, path.path());
        }
        list.endArray();
        return found;
    }
    QStringList actions() const
    {
        QStringList names;
        const int count = property("Action", "NActions").toInt();
        for (int i = 0; i < count; ++i)
            names << call("Action", "GetName", {i}).value(0).toString();
        return names;
    }
    /// Asks for it and does not wait: what it opens may have an event loop of its own.
    bool act(const QString &action) const
    {
        const auto index = actions().indexOf(action);
        if (index >= 0)
            m_bus.send(message("Action", "DoAction", {static_cast<int>(index)}));
        return index >= 0;
    }
    bool focus() const { return call("Component", "GrabFocus").value(0).toBool(); }
    bool setText(const QString &text) const
    {
        return call("EditableText", "SetTextContents", {text}).value(0).toBool();
    }
    int characterCount() const { return property("Text", "CharacterCount").toInt(); }
    int caret() const { return property("Text", "CaretOffset").toInt(); }
    QString text(int start = 0, int end = -1) const
    {
        return call("Text", "GetText", {start, end}).value(0).toString();
    }
    QString lineAt(int offset) const
    {
        constexpr uint line = 3; // ATSPI_TEXT_GRANULARITY_LINE
        return call("Text", "GetStringAtOffset", {offset, line}).value(0).toString();
    }
    void clearSelection() const { call("Selection", "ClearSelection"); }
    /// The row of a table that a child is in. (Of a tree, Qt selects by a child the row of its number
    /// among its siblings.)
    bool selectRowOf(int child) const
    {
        const int row = call("Table", "GetRowAtIndex", {child}).value(0).toInt();
        return call("Table", "AddRowSelection", {row}).value(0).toBool();
    }

    /// The first below it that fits, depth first; of all there are, or only of those that are shown.
    enum class Among { All, Shown };
    std::optional<SpiNode> find(const std::function<bool(const SpiNode &)> &fits,
                                Among among = Among::Shown) const
    {
        for (const SpiNode &each : children()) {
            if (among == Among::Shown && !each.is(SpiShowing))
                continue;
            if (fits(each))
                return each;
            if (auto found = each.find(fits, among))
                return found;
        }
        return std::nullopt;
    }

private:
    QDBusMessage message(const char *interface, const char *method, const QVariantList &arguments = {}) const
    {
        QDBusMessage made = QDBusMessage::createMethodCall(
            m_service, m_path, QStringLiteral("org.a11y.atspi.") + QLatin1String(interface),
            QLatin1String(method));
        made.setArguments(arguments);
        return made;
    }
    QVariantList call(const char *interface, const char *method, const QVariantList &arguments = {}) const
    {
        constexpr int patienceForOne = 10'000;
        return m_bus.call(message(interface, method, arguments), QDBus::Block, patienceForOne).arguments();
    }
    QVariant property(const char *interface, const char *name) const
    {
        QDBusMessage made = QDBusMessage::createMethodCall(
            m_service, m_path, QStringLiteral("org.freedesktop.DBus.Properties"), QStringLiteral("Get"));
        made.setArguments(
            {QStringLiteral("org.a11y.atspi.") + QLatin1String(interface), QLatin1String(name)});
        return m_bus.call(made).arguments().value(0).value<QDBusVariant>().variant();
    }

    QDBusConnection m_bus{QString()};
    QString m_service, m_path;
};

class AtSpi {
public:
    /// Packages to install; empty where all are there.
    static QString missing()
    {
        if (QStandardPaths::findExecutable(QStringLiteral("dbus-daemon")).isEmpty())
            return QStringLiteral("dbus-daemon is not installed");
        if (!QFile::exists(QStringLiteral("/usr/share/dbus-1/services/org.a11y.Bus.service")))
            return QStringLiteral("at-spi2-core is not installed");
        return {};
    }

    /// `folder` becomes the home of all that it starts.
    explicit AtSpi(const QString &folder) : m_environment(QProcessEnvironment::systemEnvironment())
    {
        for (const char *name :
             {"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"})
            m_environment.insert(QString::fromLatin1(name), folder);
        for (QProcess *each : {&m_bus, &m_program}) // nothing outlives a test that fails
            each->setChildProcessModifier([] { prctl(PR_SET_PDEATHSIG, SIGKILL); });
        m_bus.setProcessEnvironment(m_environment);
        m_bus.start(QStringLiteral("dbus-daemon"),
                    {QStringLiteral("--session"), QStringLiteral("--nofork"), QStringLiteral("--nopidfile"),
                     QStringLiteral("--print-address=1")});
        if (!m_bus.waitForReadyRead(patienceToBegin))
            return;
        const QString session = QString::fromUtf8(m_bus.readLine()).trimmed();
        m_environment.insert(QStringLiteral("DBUS_SESSION_BUS_ADDRESS"), session);
        m_environment.insert(QStringLiteral("QT_LINUX_ACCESSIBILITY_ALWAYS_ON"), QStringLiteral("1"));
        const QDBusConnection first = QDBusConnection::connectToBus(session, QStringLiteral("session"));
        const QString address = first
                                    .call(QDBusMessage::createMethodCall(
                                        QStringLiteral("org.a11y.Bus"), QStringLiteral("/org/a11y/bus"),
                                        QStringLiteral("org.a11y.Bus"), QStringLiteral("GetAddress")))
                                    .arguments()
                                    .value(0)
                                    .toString();
        m_connection = QDBusConnection::connectToBus(address, QStringLiteral("a11y"));
    }
    ~AtSpi()
    {
        stop();
        QDBusConnection::disconnectFromBus(QStringLiteral("a11y"));
        QDBusConnection::disconnectFromBus(QStringLiteral("session"));
        m_bus.terminate();
        m_bus.waitForFinished();
    }
    AtSpi(const AtSpi &) = delete;
    AtSpi &operator=(const AtSpi &) = delete;

    bool isThere() const { return m_connection.isConnected(); }

    void start(const QString &program, const QStringList &arguments)
    {
        m_program.setProcessEnvironment(m_environment);
        m_program.setProcessChannelMode(QProcess::ForwardedChannels);
        m_program.start(program, arguments);
    }
    void stop()
    {
        m_program.kill();
        m_program.waitForFinished();
    }
    /// A key to the window with the focus, as xdotool names it.
    bool press(const QString &key) const
    {
        return QProcess::execute(QStringLiteral("xdotool"), {QStringLiteral("key"), key}) == 0;
    }
    bool isRunning() const { return m_program.state() == QProcess::Running; }

    /// The first program that has registered itself; none yet where it has no window.
    std::optional<SpiNode> application() const
    {
        for (const SpiNode &each : programs()) {
            if (each.name() == u"nestwright" && !each.children().empty())
                return each;
        }
        return std::nullopt;
    }
    /// Number of programs that fit.
    int countOf(const std::function<bool(const SpiNode &)> &fits) const
    {
        int count = 0;
        for (const SpiNode &each : programs())
            count += fits(each) ? 1 : 0;
        return count;
    }

private:
    std::vector<SpiNode> programs() const
    {
        return SpiNode(m_connection, QStringLiteral("org.a11y.atspi.Registry"),
                       QStringLiteral("/org/a11y/atspi/accessible/root"))
            .children();
    }

    static constexpr int patienceToBegin = 20'000;

    QProcessEnvironment m_environment;
    QProcess m_bus, m_program;
    QDBusConnection m_connection{QString()};
};

} // namespace nestwright::e2e
