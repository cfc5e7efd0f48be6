// SPDX-License-Identifier: Apache-2.0
#include "tests/support/processes.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>

#include <algorithm>
#include <csignal>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

namespace nestwright::tests {

namespace {

constexpr qint64 patienceWithBusyProcessors = 60000; ///< milliseconds

struct Process {
    pid_t parent = 0;
    char state = 0;
    QByteArray name;
};

std::map<pid_t, Process> processes()
{
    std::map<pid_t, Process> all;
    for (const QString &entry : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs)) {
        bool isNumber = false;
        const pid_t id = entry.toInt(&isNumber);
        QFile file(QStringLiteral("/proc/%1/stat").arg(entry));
        if (!isNumber || !file.open(QIODevice::ReadOnly))
            continue;
        const QByteArray line = file.readAll();
        const qsizetype open = line.indexOf('('), close = line.lastIndexOf(')');
        const QList<QByteArray> rest = line.mid(close + 2).split(' ');
        if (open > 0 && close > open && rest.size() > 1)
            all[id] = {rest[1].toInt(), rest[0].isEmpty() ? '?' : rest[0][0],
                       line.mid(open + 1, close - open - 1)};
    }
    return all;
}

/// Whether the system has ended it, and it waits for a processor on which to go: its end cannot be stopped.
bool isEnding(pid_t id)
{
    constexpr quint64 killed = quint64{1} << (SIGKILL - 1);
    QFile file(QStringLiteral("/proc/%1/status").arg(id));
    if (!file.open(QIODevice::ReadOnly))
        return true;
    for (const QByteArray &line : file.readAll().split('\n')) {
        const bool isPending = line.startsWith("SigPnd:") || line.startsWith("ShdPnd:");
        if (isPending && (line.mid(7).trimmed().toULongLong(nullptr, 16) & killed) != 0)
            return true;
    }
    constexpr quint64 exiting = 4; // PF_EXITING
    constexpr qsizetype flags = 6; // behind the name
    QFile numbers(QStringLiteral("/proc/%1/stat").arg(id));
    if (!numbers.open(QIODevice::ReadOnly))
        return true;
    const QByteArray line = numbers.readAll();
    const QList<QByteArray> rest = line.mid(line.lastIndexOf(')') + 2).split(' ');
    return rest.size() > flags && (rest[flags].toULongLong() & exiting) != 0;
}

} // namespace

std::vector<pid_t> descendants()
{
    const auto all = processes();
    std::vector<pid_t> found;
    for (const auto &[id, process] : all) {
        if (process.state == 'Z' || process.state == 'X')
            continue;
        pid_t at = id;
        for (int depth = 0; depth < 64 && at > 1 && at != getpid(); ++depth) {
            const auto parent = all.find(at);
            at = parent == all.end() ? 0 : parent->second.parent;
        }
        if (at == getpid() && id != getpid())
            found.push_back(id);
    }
    return found;
}

QByteArray nameOf(pid_t id) { return processes()[id].name; }

QString describe(const std::vector<pid_t> &ids)
{
    const auto all = processes();
    QString text;
    for (const pid_t id : ids) {
        const auto process = all.find(id);
        if (process != all.end())
            text += QStringLiteral("%1 %2 %3%4; ")
                        .arg(id)
                        .arg(QString::fromUtf8(process->second.name))
                        .arg(QLatin1Char(process->second.state))
                        .arg(isEnding(id) ? QStringLiteral(" ending") : QString());
    }
    return text;
}

void endDescendants()
{
    for (const pid_t each : descendants())
        ::kill(each, SIGKILL);
}

bool allGone(int milliseconds)
{
    QElapsedTimer timer;
    timer.start();
    while (!descendants().empty()) {
        while (waitpid(-1, nullptr, WNOHANG) > 0) { // orphans that have ended
        }
        const qint64 longest = std::ranges::all_of(descendants(), isEnding) ? patienceWithBusyProcessors : 0;
        if (timer.elapsed() > std::max<qint64>(milliseconds, longest))
            return false;
        usleep(10000);
    }
    return true;
}

} // namespace nestwright::tests
