// SPDX-License-Identifier: GPL-3.0-or-later
/// Every command of the window once: menus, keys, the palette, the toolbar and the tests read this table.
#pragma once

#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>

#include <deque>
#include <functional>

namespace nestwright::document {

struct Command {
    QString id;    ///< stable: "file.open", "schedule.split"
    QString title; ///< "Open…"
    QString group; ///< the menu that it stands in: "File"
    QList<QKeySequence> keys{};
    QString icon{}; ///< of look/icons.h
    std::function<void()> run{};
    /// Why it cannot be run now, in one sentence; empty or not given where it can.
    std::function<QString()> unavailable{};
    /// Whether a command that switches something is on.
    std::function<bool()> checked{};
};

class CommandRegistry : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Ids must be new. Returned references stay valid.
    const Command &add(Command command);
    /// Null where there is none.
    const Command *find(const QString &id) const;
    /// The commands in the order in which they were added.
    const std::deque<Command> &all() const { return m_commands; }

    /// Why `id` cannot be run now; empty where it can.
    QString reason(const QString &id) const;
    /// Runs it if it can be run; false, and `refused`, where it cannot.
    bool trigger(const QString &id);

    /// Says that reasons or check marks may have changed.
    void update() { Q_EMIT updated(); }

Q_SIGNALS:
    void updated();
    void refused(const QString &id, const QString &reason);

private:
    std::deque<Command> m_commands;
};

} // namespace nestwright::document
