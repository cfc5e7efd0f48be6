// SPDX-License-Identifier: Apache-2.0
#include "core/session/files/project_file.h"

#include "core/measure/worker/worker_protocol.h"
#include "core/schedule/apply.h"
#include "core/script/print/printer.h"
#include "core/script/tvmscript/parser.h"
#include "core/session/files/inputs_json.h"
#include "core/session/files/project_json.h"
#include "core/session/files/step_json.h"
#include "core/support/files/checksum.h"
#include "core/support/files/input_file.h"
#include "core/support/files/reading.h"
#include "core/support/phase.h"
#include "core/support/text/json_output.h"
#include "core/support/text/json_text.h"

#include <algorithm>
#include <format>

namespace nestwright::session {

using json = support::Json;
using support::Diagnostic;
using support::diagnostic;
using support::fail;
using support::Result;

namespace {

constexpr const char *sessionFormat = "nestwright-session";
constexpr int sessionFormatVersion = 2, ///< has edited code
    plainFormatVersion = 1;             ///< what releases before read

/// Adds those marks that are set.
void addMarks(json &entry, const VariantMarks &marks)
{
    if (marks.star)
        entry["star"] = true;
    if (marks.color != 0)
        entry["color"] = marks.color;
    if (!marks.tags.empty())
        entry["tags"] = marks.tags;
    if (!marks.note.empty())
        entry["note"] = marks.note;
}

VariantMarks marksFrom(const json &entry)
{
    VariantMarks marks{.star = entry.value("star", false),
                       .color = entry.value("color", 0),
                       .tags = entry.value("tags", std::vector<std::string>()),
                       .note = entry.value("note", "")};
    if (marks.color < 0 || marks.color > VariantMarks::colorCount)
        marks.color = 0; // of a later release
    return marks;
}

json editToJson(const CodeEdit &edit)
{
    return {{"kind", backend::sourceFormat(edit.kind).name}, {"base", edit.base}, {"text", edit.text}};
}

/// Reads edited code, which counts as foreign. Error: "session.edit".
Result<CodeEdit> editFromJson(const json &entry)
{
    const auto kind = entry.at("kind").get<std::string>();
    const backend::SourceFormat *format = backend::findSourceFormat(kind);
    if (!format)
        return fail("session.edit", "edited code is of the unknown kind '" + kind + '\'');
    return CodeEdit{.kind = format->kind,
                    .base = entry.at("base").get<std::string>(),
                    .text = entry.at("text").get<std::string>(),
                    .isForeign = true};
}

json variantsToJson(const VariantTree &tree)
{
    json variants = json::array();
    for (const Variant &variant : tree.all()) {
        json entry = json::object();
        if (!variant.isRoot()) {
            entry["parent"] = variant.parent->value;
            if (variant.edit)
                entry["edit"] = editToJson(*variant.edit);
            else
                entry["step"] = toJson(variant.step);
        }
        if (!variant.name.empty())
            entry["name"] = variant.name;
        if (variant.madeFrom)
            entry["made-from"] = variant.madeFrom->value;
        addMarks(entry, variant.marks);
        const auto measured = [](const measure::Measurement &measurement) {
            json value = measure::toJson(measurement);
            if (!measurement.inputs.empty())
                value["inputs"] = toJson(measurement.inputs);
            return value;
        };
        if (variant.measurement)
            entry["measurement"] = measured(*variant.measurement);
        for (const auto &[target, measurement] : variant.elsewhere)
            entry["elsewhere"][target] = measured(measurement);
        variants.push_back(std::move(entry));
    }
    return variants;
}

/// Nothing where it cannot be read. It never counts as verified by this program.
std::optional<measure::Measurement> storedMeasurement(const json &value, const ir::Module &module,
                                                      const std::string &fileName,
                                                      std::vector<Diagnostic> &notes)
{
    auto measurement = measure::measurementFromJson(value);
    if (!measurement)
        return {};
    measurement->stored = true;
    if (value.contains("inputs"))
        measurement->inputs = inputsFromJson(value.at("inputs"), module, fileName, notes);
    return std::move(*measurement);
}

/// Adds variant `number` of the file to `tree`. Errors: those of stepFromJson, "session.edit",
/// "session.lost-step".
Result<VariantId> readVariant(const json &entry, std::size_t number,
                              const std::vector<std::optional<VariantId>> &ids, VariantTree &tree)
{
    const auto parent = entry.at("parent").get<std::size_t>();
    const bool canApply = parent < number && ids[parent] && tree.at(*ids[parent]).ok();
    const auto lost = [number] {
        return fail("session.lost-step", "variant " + std::to_string(number)
                                             + " is left out: the variant it builds on was refused");
    };
    if (entry.contains("edit")) {
        auto edit = editFromJson(entry.at("edit"));
        if (!edit)
            return fail(edit.error());
        return canApply ? Result<VariantId>(tree.addEdit(*ids[parent], std::move(*edit))) : lost();
    }
    auto step = stepFromJson(entry.at("step"));
    if (!step)
        return fail(step.error());
    if (!canApply)
        return lost();
    return tree.add(*ids[parent], *step, schedule::apply(*tree.at(*ids[parent]).state, *step));
}

/// Variant `end` was made together with those before it that no other way led to.
void foldWay(const json &entry, VariantId end, const std::vector<std::optional<VariantId>> &ids,
             VariantTree &tree)
{
    const auto from = entry.value("made-from", ids.size());
    if (from >= ids.size() || !ids[from] || *ids[from] == end)
        return;
    int first = end.value;
    for (auto parent = tree.at(end).parent;
         parent && parent->value == first - 1 && !tree.at(*parent).isRoot() && *parent > *ids[from];
         parent = tree.at(*parent).parent)
        first = parent->value;
    tree.fold(first, end, *ids[from]);
}

/// Adds the variants of the file to `tree`. Ids may shift where a variant cannot be replayed: `ids` maps old
/// to new.
void replayVariants(const json &variants, const std::string &fileName, VariantTree &tree,
                    std::vector<std::optional<VariantId>> &ids, std::vector<Diagnostic> &notes)
{
    for (std::size_t i = 0; i < variants.size(); ++i) {
        support::tellPhase(std::format("step {} of {}", i + 1, variants.size()));
        const json &entry = variants[i];
        std::optional<VariantId> id = tree.root().id;
        if (i > 0) {
            id.reset();
            auto added = readVariant(entry, i, ids, tree);
            if (added)
                id = *added;
            else
                notes.push_back(std::move(added.error()));
        }
        ids.push_back(id);
        if (id && entry.contains("name"))
            tree.addName(*id, entry.at("name").get<std::string>());
        if (!id)
            continue;
        tree.setMarks(*id, marksFrom(entry));
        foldWay(entry, *id, ids, tree);
        const auto adopt = [&](const std::string &target, const json &value) {
            if (auto measurement = storedMeasurement(value, tree.root().state->module, fileName, notes))
                tree.setMeasurementElsewhere(*id, target, std::move(*measurement));
        };
        if (entry.contains("measurement"))
            adopt(tree.target(), entry.at("measurement"));
        const json elsewhere = entry.value("elsewhere", json::object());
        for (const auto &[text, value] : elsewhere.items()) {
            if (const auto target = target::parseTarget(text))
                adopt(target->str(), value);
        }
    }
}

} // namespace

json sessionToJson(const Session &session)
{
    const Source &source = session.source();
    const bool hasEdits =
        std::ranges::any_of(session.tree().all(), [](const Variant &each) { return each.edit.has_value(); });
    json project = {
        {"format", sessionFormat},
        {"version", hasEdits ? sessionFormatVersion : plainFormatVersion},
        {"source",
         {{"path", source.path},
          {"name", source.name},
          {"kind", frontend::kernelForm(source.kind).name},
          {"text", source.text}}},
        {"module", script::print(session.tree().root().state->module).text},
        {"target", session.target().str()},
        {"variants", variantsToJson(session.tree())},
        {"current", session.tree().current().id.value},
    };
    if (!session.inputs().empty())
        project["inputs"] = toJson(session.inputs());
    return project;
}

std::string projectText(const json &project)
{
    // A source may hold bytes that are no text; a session of it must be saved all the same.
    return support::jsonText(project, 1) + '\n';
}

std::string writeProject(const Session &session) { return projectText(sessionToJson(session)); }

Diagnostic incompleteProject(const std::string &fileName, std::string_view what)
{
    // The library's own number of an error says nothing to a reader: "[json.exception.out_of_range.403] key
    // 'source' not found".
    if (const auto end = what.find("] "); what.starts_with('[') && end != std::string_view::npos)
        what.remove_prefix(end + 2);
    return diagnostic("session.format", "'" + fileName + "' is no complete session: " + std::string(what))
        .withHint("open the autosaved copy, or the kernel itself");
}

namespace {

/// The error of a file that is of another format than the one asked for.
Diagnostic otherFormat(const std::string &fileName, const std::string &given)
{
    if (given == "\"nestwright-model-session\"")
        return diagnostic("session.format", "'" + fileName + "' is a session on a model, not on a kernel")
            .withHint("name one of its kernels, as " + fileName + "#KERNEL");
    if (given == "\"nestwright-session\"")
        return diagnostic("session.format", "'" + fileName + "' is a session on a kernel, not on a model")
            .withHint("give a session that was saved while a model was open, or the model itself");
    return diagnostic("session.format", "'" + fileName + "' is no Nestwright session")
        .withHint("sessions are the .nest files that Save writes");
}

} // namespace

Result<json> parseProject(std::string_view text, const std::string &fileName, const char *format, int version)
{
    auto project = support::parseJson<json>(text, {"the session file", fileName, "session.syntax",
                                                   "open the autosaved copy, or the kernel itself"});
    if (!project)
        return project;
    const auto given = project->is_object() ? project->find("format") : project->end();
    if (given == project->end() || *given != format)
        return fail(otherFormat(fileName, given == project->end() ? "" : support::jsonText(*given)));
    const auto written = project->find("version");
    if (written == project->end() || !written->is_number_unsigned() || written->get<std::uint64_t>() == 0)
        return fail(incompleteProject(fileName, "its version is no number from 1 on"));
    if (written->get<std::uint64_t>() > static_cast<std::uint64_t>(version))
        return fail(diagnostic("session.version", "'" + fileName + "' was written by a later release (format "
                                                      + support::jsonText(*written) + ")")
                        .withHint("open it with that release or a newer one"));
    return project;
}

Result<Session> sessionFromJson(const json &project, const std::string &fileName)
{
    const json &from = project.at("source");
    const frontend::KernelForm *form = frontend::findKernelForm(from.value("kind", std::string()));
    Source source{from.value("path", ""), from.value("name", ""), from.value("text", ""),
                  form ? form->source : frontend::KernelSource::TvmScript};
    auto module = script::parseTvmScript(project.at("module").get<std::string>(), fileName);
    if (!module)
        return std::unexpected(module.error());
    auto initial = schedule::makeState(*module);
    if (!initial)
        return std::unexpected(initial.error());
    Session session(std::move(source), VariantTree(std::move(*initial), "unscheduled"));
    session.m_graph = analysis::stageGraph(session.m_tree.root().state->module);
    if (auto target = target::parseTarget(project.value("target", "llvm")))
        session.setTarget(std::move(*target));
    std::vector<std::optional<VariantId>> ids;
    if (project.contains("inputs"))
        session.m_inputs = inputsFromJson(project.at("inputs"), session.m_tree.root().state->module, fileName,
                                          session.m_notes);
    replayVariants(project.at("variants"), fileName, session.m_tree, ids, session.m_notes);
    const auto current = project.value("current", std::size_t{0});
    if (current < ids.size() && ids[current])
        session.m_tree.setCurrent(*ids[current]);
    return session;
}

Result<Session> readProject(std::string_view text, const std::string &fileName)
{
    const auto project = parseProject(text, fileName, sessionFormat, sessionFormatVersion);
    if (!project)
        return std::unexpected(project.error());
    return support::withinMemory(fileName, [&]() -> Result<Session> {
        try {
            return sessionFromJson(*project, fileName);
        } catch (const json::exception &error) {
            return fail(incompleteProject(fileName, error.what()));
        }
    });
}

Result<ProjectText> readProjectText(const std::string &path)
{
    support::tellPhase("reading");
    auto stamp = support::stampOf(path);
    auto text = support::readText(path);
    if (!text)
        return fail(text.error());
    ProjectText project{std::move(*text), stamp};
    if (project.stamp)
        project.stamp->content = support::checksum(project.text);
    return project;
}

Result<Session> loadProject(const std::string &path)
{
    const auto text = readProjectText(path);
    if (!text)
        return std::unexpected(text.error());
    return readProject(text->text, path);
}

} // namespace nestwright::session
