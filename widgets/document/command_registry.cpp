// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/command_registry.h"

#include "core/support/errors/crash_report.h"

#include <algorithm>

namespace nestwright::document {

const Command &CommandRegistry::add(Command command)
{
    Q_ASSERT_X(!find(command.id), "CommandRegistry", qPrintable("two commands have the id " + command.id));
    m_commands.push_back(std::move(command));
    return m_commands.back();
}

const Command *CommandRegistry::find(const QString &id) const
{
    const auto found = std::ranges::find(m_commands, id, &Command::id);
    return found == m_commands.end() ? nullptr : &*found;
}

QString CommandRegistry::reason(const QString &id) const
{
    const Command *command = find(id);
    if (!command)
        return QStringLiteral("There is no command '%1'.").arg(id);
    return command->unavailable ? command->unavailable() : QString();
}

bool CommandRegistry::trigger(const QString &id)
{
    const QString why = reason(id);
    if (!why.isEmpty()) {
        Q_EMIT refused(id, why);
        return false;
    }
    find(id)->run();
    Q_EMIT updated();
    return true;
}

} // namespace nestwright::document
