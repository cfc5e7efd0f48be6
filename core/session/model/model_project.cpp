// SPDX-License-Identifier: Apache-2.0
#include "core/session/model/model_project.h"

#include "core/graph/strategy/strategy.h"
#include "core/ir/node/equality.h"
#include "core/measure/machine/this_machine.h"
#include "core/schedule/state.h"
#include "core/session/files/project_file.h"
#include "core/session/files/project_json.h"
#include "core/support/files/input_file.h"
#include "core/support/files/reading.h"
#include "core/support/pass_runner.h"
#include "core/support/text/json.h"
#include "core/target/machine_file.h"

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
    work.settings.sizes = model.value("sizes", frontend::Sizes());
    work.settings.level = model.value("level", work.settings.level);
    work.settings.required = passesOf(model, "required");
    work.settings.disabled = passesOf(model, "disabled");
    work.kernel = project.value("current", "");
    const json kept = project.value("times", json::array());
    for (const json &each : kept) {
        if (auto times = modelTimesFromJson(each)) // what cannot be read is measured again
            keep(work.times, std::move(*times));
    }
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
bool isWorkedOn(const Session &session, const target::Machine &machine)
{
    const VariantTree &tree = session.tree();
    const auto schedule = graph::defaultSchedule(tree.root().state->module, machine);
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
    json project = {
        {"format", modelFormat},
        {"version", modelFormatVersion},
        {"model",
         {{"path", work.modelPath},
          {"hash", work.modelHash},
          {"sizes", work.settings.sizes},
          {"level", work.settings.level},
          {"required", work.settings.required},
          {"disabled", work.settings.disabled},
          {"machine", target::toJson(work.settings.machine)}}},
        {"kernels", std::move(kernels)},
        {"current", work.kernel},
    };
    if (!work.times.empty()) { // releases before leave them out
        project["times"] = json::array();
        for (const ModelTimes &times : work.times)
            project["times"].push_back(toJson(times));
    }
    return projectText(project);
}

Result<ModelWork> readModelProject(std::string_view text, const std::string &fileName)
{
    const auto project = parseProject(text, fileName, modelFormat, modelFormatVersion);
    if (!project)
        return std::unexpected(project.error());
    const auto read = [&]() -> Result<ModelWork> {
        ModelWork work = workFrom(*project);
        if (const auto &model = project->at("model"); model.contains("machine")) {
            auto machine = target::machineFrom(model.at("machine"));
            if (!machine)
                return support::fail(incompleteProject(fileName, machine.error().message));
            work.settings.machine = std::move(*machine);
        }
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

Result<void> keepTimes(const std::string &path, const ModelTimes &times)
{
    const auto text = readProjectText(path);
    if (!text)
        return support::fail(text.error());
    auto project = parseProject(text->text, path, modelFormat, modelFormatVersion);
    if (!project)
        return support::fail(project.error());
    json kept = project->value("times", json::array());
    if (!kept.is_array())
        kept = json::array();
    kept.push_back(toJson(times));
    while (kept.size() > mostModelTimes)
        kept.erase(kept.begin());
    (*project)["times"] = std::move(kept);
    if (auto written = support::writeAtomically(path, projectText(*project)); !written)
        return support::fail(written.error());
    return {};
}

std::optional<support::Diagnostic> madeElsewhere(const frontend::ModelSettings &settings)
{
    const target::Machine::Vectors here = measure::machineToScheduleFor({}).vectors,
                                   made = settings.machine.vectors;
    if (made.bytes == here.bytes && made.registers == here.registers)
        return {};
    return support::diagnostic("session.other-machine",
                               std::format("the kernels of this session are scheduled for {} registers of {} "
                                           "bits; this machine has {} of {}",
                                           made.registers, made.bits(), here.registers, here.bits()))
        .withHint("open the model itself to have it scheduled for this machine");
}

Result<void> checkModelOf(const ModelWork &work)
{
    std::error_code ignored;
    if (!std::filesystem::exists(work.modelPath, ignored))
        return support::fail(
            support::diagnostic("session.no-model",
                                "the model of this session, \"" + work.modelPath + "\", is not there")
                .withHint("put it there again, or beside the session file"));
    return {};
}

Result<Model> openModelOf(const ModelWork &work)
{
    if (const auto there = checkModelOf(work); !there)
        return support::fail(there.error());
    return openModel(work.modelPath, work.settings);
}

graph::Schedules schedulesOf(const Reapplied &work, const graph::Program &program)
{
    graph::Schedules states;
    for (const auto &[place, session] : work.sessions) {
        const Variant &current = session.tree().current();
        if (current.ok()) // a file may name a step that was refused
            states.insert_or_assign(program.kernels[static_cast<std::size_t>(place)].name, *current.state);
    }
    return states;
}

std::optional<std::pair<std::string, std::string>> kernelOfModelProject(const std::string &text)
{
    const std::string mark = std::string(projectExtension) + '#';
    if (const std::size_t hash = text.rfind(mark); hash != std::string::npos) {
        const std::string file = text.substr(0, hash + mark.size() - 1);
        return isModelProject(file) ? std::optional(std::pair(file, text.substr(hash + mark.size())))
                                    : std::nullopt;
    }
    return isModelProject(text) ? std::optional(std::pair(text, std::string())) : std::nullopt;
}

Result<Session> loadKernelSession(const std::string &path, const std::string &kernel)
{
    auto work = loadModelProject(path);
    if (!work)
        return support::fail(work.error());
    const std::string name = kernel.empty() ? work->kernel : kernel;
    if (name.empty())
        return support::fail(
            support::diagnostic("open.model",
                                "\"" + path + "\" is a session on a model; one of its kernels is needed here")
                .withHint("write " + path + "#KERNEL; `nestc graph " + path + " --print tasks` lists them"));
    if (const auto kept = work->sessions.find(name); kept != work->sessions.end())
        return std::move(kept->second);
    const auto model = openModelOf(*work);
    if (!model)
        return support::fail(model.error());
    const auto found = graph::findKernel(model->program, name);
    if (!found)
        return support::fail(found.error());
    return beginKernel(*model, static_cast<int>(*found - model->program.kernels.data()));
}

Reapplied reapply(const std::map<std::string, Session> &sessions, const graph::Program &program)
{
    Reapplied result;
    std::set<const Session *> used;
    for (std::size_t i = 0; i < program.kernels.size(); ++i) {
        const Session *session = sessionOf(sessions, program.kernels[i]);
        if (!session)
            continue;
        result.sessions.emplace(static_cast<int>(i), *session);
        used.insert(session);
    }
    for (const auto &[name, session] : sessions) {
        if (!used.contains(&session) && isWorkedOn(session, program.machine))
            result.left.emplace(name, session);
    }
    return result;
}

} // namespace nestwright::session
