// SPDX-License-Identifier: Apache-2.0
/// Sessions where modules are taken.
#include "core/session/history/script_branch.h"
#include "core/session/model/model_project.h"
#include "core/workbench/opening/module_names.h"
#include "core/workbench/opening/opener.h"

#include <format>
#include <utility>

namespace nestwright::workbench {

using support::diagnostic;
using support::fail;
using support::Result;

namespace {

support::Diagnostic remark(std::string text) { return diagnostic("open.note", std::move(text)); }

} // namespace

Result<session::Session> Opener::openSession(const std::string &module)
{
    const auto [file, variant] = sessionAndVariant(module);
    const auto watched = watch(file);
    auto session = session::Session::open(file);
    if (!session)
        return session;
    const auto ofModel = session::kernelOfModelProject(file);
    if (ofModel && ofModel->second.empty() && !std::exchange(m_hasToldOpenKernel, true))
        tell(remark(std::format("\"{}\" is a session on a model; its open kernel is taken, \"{}\"", file,
                                session->source().name)));
    if (variant.empty())
        return session;
    const auto chosen = findVariant(session->tree(), variant, file);
    if (!chosen)
        return fail(chosen.error());
    session->tree().setCurrent(*chosen);
    return session;
}

Result<session::Session> Opener::openProgram(const std::string &module)
{
    return isSession(module) ? openSession(module) : session::Session::open(module);
}

/// The program of a session's current variant, or of that which is named.
Result<schedule::State> Opener::loadSession(const std::string &module)
{
    const auto session = openSession(module);
    if (!session)
        return std::unexpected(session.error());
    const session::Variant &current = session->tree().current();
    if (current.edit)
        tell(remark(std::format("edited code is left out: the program of \"{}\" is taken", module)));
    return current.state;
}

Result<schedule::State> Opener::loadRoot(const std::string &session)
{
    const auto opened = openSession(session);
    return opened ? opened->tree().root().state : std::unexpected(opened.error());
}

/// The variants that a person has named, and the current one; of a session that names a variant that one.
Result<std::vector<NamedState>> Opener::sessionVariants(const std::string &module)
{
    const auto session = openSession(module);
    if (!session)
        return std::unexpected(session.error());
    const session::VariantTree &tree = session->tree();
    const bool isOne = !sessionAndVariant(module).second.empty();
    std::vector<NamedState> variants;
    for (const session::Variant &each : tree.all()) {
        const bool isCurrent = each.id == tree.current().id;
        if (each.isRoot() || !each.ok() || each.edit || !(isCurrent || (!isOne && !each.name.empty())))
            continue;
        variants.push_back({each.name.empty() ? "as scheduled" : each.name, *each.state});
    }
    variants.insert(variants.begin(), {std::string(unscheduledName), *tree.root().state});
    return variants;
}

Result<session::VariantId> Opener::addBranch(session::Session &session, const std::string &schedule)
{
    const auto run = runSchedule(*session.tree().root().state, schedule);
    if (!run)
        return std::unexpected(run.error());
    return session::addBranch(session, *run);
}

} // namespace nestwright::workbench
