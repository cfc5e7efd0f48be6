// SPDX-License-Identifier: Apache-2.0
#include "core/session/model_project.h"

#include "core/graph/strategy/strategy.h"
#include "core/ir/equality.h"
#include "core/schedule/state.h"
#include "core/session/project_file.h"
#include "core/session/project_json.h"
#include "core/support/input_file.h"
#include "core/support/json.h"
#include "core/support/pass_runner.h"
#include "core/support/reading.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace nestwright::session {

using json = support::Json;
using support::Result;

namespace {

constexpr const char *modelFormat = "nestwright-model-session";
constexpr int modelFormatVersion = 1;

/// Passes under a key, by the names that tables spell.
std::set<std::string, std::less<>> passesOf(const json &model, const char *key)
{
    std::set<std::string, std::less<>> names;
    for (std::string &name : model.value(key, std::vector<std::string>()))
        names.insert(support::passName(std::move(name)));
    return names;
}

ModelWork workFrom(const json &project)
{
    const json &model = project.at("model");
    ModelWork work;
    work.modelPath = model.at("path").get<std::string>();
    work.modelHash = model.value("hash", "");
    work.settings.sizes = model.value("sizes", Sizes());
    work.settings.level = model.value("level", work.settings.level);
    work.settings.required = passesOf(model, "required");
    work.settings.disabled = passesOf(model, "disabled");
    work.kernel = project.value("current", "");
    return work;
}

/// A session whose unscheduled program is that kernel, scheduled or not.
const Session *sessionOf(const std::map<std::string, Session> &sessions, const graph::Kernel &kernel)
{
    const auto state = schedule::makeState(kernel.module); // as sessions hold it: with the regions completed
    if (!state)
        return nullptr;
    const auto computes = [&](const Session &session) {
        return ir::structurallyEqual(session.tree().root().state->module, state->module);
    };
    if (const auto named = sessions.find(kernel.name); named != sessions.end() && computes(named->second))
        return &named->second;
    for (const auto &[name, session] : sessions) {
        if (computes(session))
            return &session;
    }
    return nullptr;
}

/// Whether it holds more than the default schedule.
bool isWorkedOn(const Session &session)
{
    const VariantTree &tree = session.tree();
    const auto schedule = graph::defaultSchedule(tree.root().state->module);
    if (!schedule || std::ranges::any_of(tree.all(), [](const Variant &v) {
            return v.measurement || !v.elsewhere.empty();
        }))
        return true;
    return static_cast<int>(schedule->steps.size()) + 1 != tree.size()
           || tree.trace(tree.all().back().id) != schedule->steps;
}

} // namespace

bool isModelProject(const std::string &path)
{
    if (!path.ends_with(projectExtension))
        return false;
    // Only a kernel's name stands before it, since keys are sorted.
    const auto file = support::InputFile::open(path);
    std::string head(file ? std::min<std::uint64_t>(file->size(), 1024) : 0, '\0');
    if (!file || !file->read(0, std::as_writable_bytes(std::span(head))))
        return false;
    return head.contains(std::string("\"format\": \"") + modelFormat + '"');
}

std::string writeModelProject(const ModelWork &work)
{
    json kernels = json::object();
    for (const auto &[name, session] : work.sessions)
        kernels[name] = sessionToJson(session);
    const json project = {
        {"format", modelFormat},
        {"version", modelFormatVersion},
        {"model",
         {{"path", work.modelPath},
          {"hash", work.modelHash},
          {"sizes", work.settings.sizes},
          {"level", work.settings.level},
          {"required", work.settings.required},
          {"disabled", work.settings.disabled}}},
        {"kernels", std::move(kernels)},
        {"current", work.kernel},
    };
    return projectText(project);
}

Result<ModelWork> readModelProject(std::string_view text, const std::string &fileName)
{
    const auto project = parseProject(text, fileName, modelFormat, modelFormatVersion);
    if (!project)
        return std::unexpected(project.error());
    const auto read = [&]() -> Result<ModelWork> {
        ModelWork work = workFrom(*project);
        for (const auto &[name, kernel] : project->at("kernels").items()) {
            auto session = sessionFromJson(kernel, fileName);
            if (!session)
                return std::unexpected(session.error());
            work.sessions.emplace(name, std::move(*session));
        }
        namespace fs = std::filesystem;
        const fs::path beside = fs::path(fileName).parent_path() / fs::path(work.modelPath).filename();
        std::error_code ignored;
        if (!fs::exists(work.modelPath, ignored) && fs::exists(beside, ignored))
            work.modelPath = beside.string();
        return work;
    };
    return support::withinMemory(fileName, [&]() -> Result<ModelWork> {
        try {
            return read();
        } catch (const json::exception &error) {
            return support::fail(incompleteProject(fileName, error.what()));
        }
    });
}

Result<ModelWork> loadModelProject(const std::string &path)
{
    const auto text = readProjectText(path);
    if (!text)
        return std::unexpected(text.error());
    return readModelProject(text->text, path);
}

Result<Model> openModelOf(const ModelWork &work)
{
    std::error_code ignored;
    if (!std::filesystem::exists(work.modelPath, ignored))
        return support::fail(
            support::diagnostic("session.no-model",
                                "the model of this session, \"" + work.modelPath + "\", is not there")
                .withHint("put it there again, or beside the session file"));
    return openModel(work.modelPath, work.settings);
}

Reapplied reapply(const std::map<std::string, Session> &sessions, const Model &model)
{
    Reapplied result;
    std::set<const Session *> used;
    for (std::size_t i = 0; i < model.program.kernels.size(); ++i) {
        const Session *session = sessionOf(sessions, model.program.kernels[i]);
        if (!session)
            continue;
        result.sessions.emplace(static_cast<int>(i), *session);
        used.insert(session);
    }
    for (const auto &[name, session] : sessions) {
        if (!used.contains(&session) && isWorkedOn(session))
            result.left.emplace(name, session);
    }
    return result;
}

} // namespace nestwright::session
