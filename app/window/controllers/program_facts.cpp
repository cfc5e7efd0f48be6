// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/controllers/program_facts.h"

#include "core/backend/tool_version.h"
#include "core/support/build_facts.h"

#include <QGuiApplication>
#include <QSysInfo>

namespace nestwright::app {

std::vector<measure::MachineFact> programFacts()
{
    const std::string running = qVersion();
    return {{"program", "Program", "nestwright " + std::string(support::programVersion())},
            {"qt", "Qt", running == QT_VERSION_STR ? running : running + ", built with " QT_VERSION_STR},
            {"display", "Display", QGuiApplication::platformName().toStdString()},
            {"kernel-compiler", "Compiler of kernels", backend::toolVersion(target::TargetKind::Llvm)},
            {"compiler", "Built with", std::string(support::programCompiler())},
            {"system", "System",
             (QSysInfo::prettyProductName() + QStringLiteral(", ") + QSysInfo::kernelType() + u' '
              + QSysInfo::kernelVersion() + u' ' + QSysInfo::currentCpuArchitecture())
                 .toStdString()}};
}

std::string factsText(const std::vector<measure::MachineFact> &facts)
{
    std::string text, group;
    for (const measure::MachineFact &fact : facts) {
        if (fact.group != group) {
            group = fact.group;
            text += group + '\n';
        }
        text += fact.title + ": " + fact.value + '\n';
    }
    return text;
}

} // namespace nestwright::app
