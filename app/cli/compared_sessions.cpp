// SPDX-License-Identifier: Apache-2.0
#include "app/cli/compared_sessions.h"

#include "app/cli/edited_code.h"
#include "app/cli/text/reading_time.h"
#include "core/ir/node/equality.h"
#include "core/measure/build/given_inputs.h"
#include "core/session/files/project_file.h"
#include "core/session/measure_job.h"
#include "core/workbench/opening/module_names.h"

#include <filesystem>
#include <format>

namespace nestwright::cli {

using session::Session;
using session::Variant;
using support::diagnostic;
using support::fail;
using support::Result;

namespace {

Result<Session> loadCompared(const std::string &file, const ComparedFiles &files)
{
    const ReadingTime time(file);
    auto session = session::loadProject(file);
    if (session && files.runsEdited) {
        if (session->tree().foreignEdits() > 0) {
            if (const auto may = checkSandbox(files.withoutSandbox); !may)
                return fail(may.error());
        }
        session->tree().allowEdits();
    }
    return session;
}

/// The variant of that name, the current one where none is given.
Result<const Variant *> chosenVariant(const Session &session, const std::string &file,
                                      const std::string &name)
{
    const session::VariantTree &tree = session.tree();
    if (name.empty())
        return &tree.current();
    const auto found = workbench::findVariant(tree, name, file);
    return found ? Result<const Variant *>(&tree.at(*found)) : fail(found.error());
}

/// The target that both are measured and shown for.
Result<target::Target> targetOf(const ComparedFiles &files, const Session &first, const Session &second)
{
    if (!files.target.empty())
        return target::parseTarget(files.target);
    if (first.target() == second.target())
        return second.target();
    return fail(diagnostic("compare.target", std::format("the sessions have the targets \"{}\" and \"{}\"",
                                                         first.target().str(), second.target().str()))
                    .withHint("say with --target for which they are compared"));
}

/// A session's variant, with its steps on `root`, the kernel of both.
Result<explore::Side> sessionSide(const schedule::State &root, const Session &session, const Variant &variant,
                                  const std::string &name)
{
    const explore::StepPath own = session.tree().steps(variant.id);
    auto path = explore::StepPath::along(root, own.steps());
    if (!path)
        return fail(path.error());
    return explore::Side{name, std::move(*path)};
}

} // namespace

std::pair<std::string, std::string> namesOf(const ComparedFiles &files)
{
    const auto stem = [](const std::string &file) { return std::filesystem::path(file).stem().string(); };
    const std::string first = stem(files.first), second = stem(files.second);
    if (first != second)
        return {first, second};
    const bool differ = files.variants.size() == 2 && files.variants[0] != files.variants[1];
    return differ ? std::pair(files.variants[0], files.variants[1]) : std::pair(first + " 1", second + " 2");
}

Result<ComparedSides> sidesOfSessions(const ComparedFiles &files)
{
    const auto first = loadCompared(files.first, files);
    if (!first)
        return fail(first.error());
    const auto second = loadCompared(files.second, files);
    if (!second)
        return fail(second.error());
    const schedule::State &root = *first->tree().root().state;
    if (const auto difference = ir::firstDifference(root.module, second->tree().root().state->module))
        return fail(diagnostic("compare.other-kernel",
                               std::format("\"{}\" and \"{}\" are sessions on different kernels: {}",
                                           files.first, files.second, *difference))
                        .withHint("compare two sessions that begin with the same program"));
    auto target = targetOf(files, *first, *second);
    if (!target)
        return fail(target.error());
    ComparedSides sides{{"", explore::StepPath(root)}, {"", explore::StepPath(root)}, std::move(*target)};
    sides.job.reference = root.module;
    const auto names = namesOf(files);
    const auto add = [&](const Session &session, const std::string &file, const std::string &variantName,
                         const std::string &name) -> Result<explore::Side> {
        const auto variant = chosenVariant(session, file, variantName);
        if (!variant)
            return fail(variant.error());
        if (auto added = session::addTo(sides.job, **variant); !added)
            return fail(added.error());
        return sessionSide(root, session, **variant, name);
    };
    const auto &variants = files.variants;
    auto older = add(*first, files.first, variants.empty() ? "" : variants.front(), names.first);
    if (!older)
        return fail(older.error());
    auto newer = add(*second, files.second, variants.empty() ? "" : variants.back(), names.second);
    if (!newer)
        return fail(newer.error());
    sides.first = std::move(*older);
    sides.second = std::move(*newer);
    auto inputs = measure::readInputs(second->inputs());
    if (!inputs)
        return fail(inputs.error());
    sides.job.inputs = std::move(inputs->arrays);
    return sides;
}

} // namespace nestwright::cli
