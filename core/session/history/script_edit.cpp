// SPDX-License-Identifier: Apache-2.0
#include "core/session/history/script_edit.h"

#include "core/ir/node/equality.h"
#include "core/schedule/apply.h"
#include "core/schedule/primitive.h"
#include "core/schedule/script/writer.h"
#include "core/schedule/state_index.h"
#include "core/script/python/parser.h"

#include <algorithm>
#include <map>
#include <utility>

namespace nestwright::session {

using schedule::ScriptStep;
using schedule::State;

namespace {

constexpr const char *scriptName = "script";

/// Offset of each line of a text, and of its end where the last line is terminated.
std::vector<std::size_t> lineBegins(std::string_view text)
{
    std::vector<std::size_t> begins{0};
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
        begins.push_back(at + 1);
    return begins;
}

std::string_view lineAt(std::string_view text, std::size_t begin)
{
    return text.substr(begin, text.find('\n', begin) - begin);
}

std::string_view indentationOf(std::string_view line)
{
    return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

bool isBlank(std::string_view line)
{
    const std::size_t first = line.find_first_not_of(" \t\r");
    return first == std::string_view::npos || line[first] == '#';
}

/// The lines of a text before the first at fault, with `pass` in its place, and which that is.
std::pair<std::string, int> wellFormedPart(std::string_view text, int faultLine)
{
    const std::vector<std::size_t> begins = lineBegins(text);
    auto gone = static_cast<std::size_t>(std::clamp(faultLine, 1, static_cast<int>(begins.size())));
    while (gone-- > 0) {
        const std::string_view line = lineAt(text, begins[gone]);
        if (isBlank(line))
            continue;
        std::string part(text.substr(0, begins[gone]));
        part.append(indentationOf(line)).append("pass\n");
        if (script::py::parse(part, scriptName))
            return {std::move(part), static_cast<int>(gone) + 1};
    }
    return {{}, faultLine};
}

/// The line of the script at which it is; 0 where it is at none.
int lineOf(const support::Diagnostic &fault)
{
    const auto place = std::ranges::find(fault.locations, scriptName, &support::Location::file);
    return place == fault.locations.end() ? 0 : place->line;
}

} // namespace

ScriptReading readScript(const State &initial, std::string_view text)
{
    schedule::PartialRun partial;
    int line = 0;
    if (const auto module = script::py::parse(text, scriptName); !module) {
        const auto [part, at] = wellFormedPart(text, lineOf(module.error()));
        partial = schedule::runAsFarAsLegal(initial, part, scriptName);
        line = partial.error ? lineOf(*partial.error) : at;
        if (!partial.error)
            partial.error = module.error();
    } else {
        partial = schedule::runAsFarAsLegal(initial, text, scriptName);
        line = partial.error ? lineOf(*partial.error) : 0;
    }
    ScriptReading reading{.steps = {},
                          .end = std::move(partial.run.state),
                          .names = std::move(partial.run.names),
                          .fault = std::move(partial.error),
                          .faultLine = line};
    for (ScriptStep &each : partial.run.steps) {
        if (!each.step.primitive->isQuery)
            reading.steps.push_back(std::move(each));
    }
    return reading;
}

namespace {

/// Whether both are one program, its loops and blocks called alike.
bool isSame(const State &a, const State &b)
{
    const auto idsOf = [](const State &state) {
        std::vector<support::StmtId> ids;
        for (const ir::Module::Entry &entry : state.module.functions()) {
            if (const auto *index = state.index->function(entry.name))
                ids.insert(ids.end(), index->all().begin(), index->all().end());
        }
        return ids;
    };
    return ir::structurallyEqual(a.module, b.module) && idsOf(a) == idsOf(b);
}

/// Variants that were not refused, by the hash of their programs.
using VariantsByProgram = std::map<std::size_t, std::vector<VariantId>>;

std::optional<VariantId> variantWith(const State &state, const VariantsByProgram &known,
                                     const VariantTree &tree)
{
    const auto alike = known.find(ir::structuralHash(state.module));
    if (alike == known.end())
        return std::nullopt;
    const auto same =
        std::ranges::find_if(alike->second, [&](VariantId id) { return isSame(*tree.at(id).state, state); });
    return same == alike->second.end() ? std::nullopt : std::optional(*same);
}

/// The states that the steps pass, the first being `initial`; they are known to be legal.
std::vector<State> statesOf(const State &initial, const std::vector<ScriptStep> &steps)
{
    std::vector<State> states{initial};
    for (const ScriptStep &each : steps) {
        auto applied = schedule::apply(states.back(), each.step);
        if (!applied)
            break;
        states.push_back(std::move(applied->state));
    }
    return states;
}

/// The variant that the steps lead to one by one, and how many of them.
std::pair<VariantId, std::size_t> walked(const VariantTree &tree, const std::vector<ScriptStep> &steps)
{
    VariantId at = tree.root().id;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto &children = tree.at(at).children;
        const auto next = std::ranges::find_if(children, [&](VariantId child) {
            return tree.at(child).step == steps[i].step && tree.at(child).ok();
        });
        if (next == children.end())
            return {at, i};
        at = *next;
    }
    return {at, steps.size()};
}

} // namespace

StepBranch branchOf(const VariantTree &tree, const std::vector<ScriptStep> &steps)
{
    auto [at, begin] = walked(tree, steps);
    if (begin < steps.size()) {
        VariantsByProgram known;
        for (const Variant &variant : tree.all()) {
            if (variant.ok())
                known[ir::structuralHash(variant.state->module)].push_back(variant.id);
        }
        const std::vector<State> states = statesOf(*tree.root().state, steps);
        for (std::size_t i = states.size() - 1; i > begin; --i) {
            const auto same = variantWith(states[i], known, tree);
            if (same && !tree.at(*same).isRoot()) {
                at = *same;
                begin = i;
                break;
            }
        }
    }
    StepBranch branch{.onto = at, .replayed = {.steps = {}, .end = *tree.at(at).state}};
    for (std::size_t i = begin; i < steps.size(); ++i) {
        auto applied = schedule::apply(branch.replayed.end, steps[i].step);
        const bool isLegal = applied.has_value();
        if (isLegal)
            branch.replayed.end = applied->state;
        branch.replayed.steps.push_back({steps[i].step, std::move(applied)});
        if (!isLegal)
            break;
    }
    return branch;
}

namespace {

/// The indentation of a script's function, or of its lines where it has none.
std::string bodyIndentation(std::string_view text)
{
    bool isInside = false;
    for (const std::size_t begin : lineBegins(text)) {
        const std::string_view line = lineAt(text, begin);
        if (isBlank(line))
            continue;
        if (isInside)
            return std::string(indentationOf(line));
        isInside = line.starts_with("def ");
    }
    return isInside ? "  " : "";
}

std::string indented(const std::string &lines, const std::string &indentation)
{
    std::string text;
    for (const std::size_t begin : lineBegins(lines)) {
        if (const std::string_view line = lineAt(lines, begin); !line.empty())
            text.append(indentation).append(line).append("\n");
    }
    return text;
}

/// Number of steps of a script that lead to a program on the path, the furthest there is, and its place.
std::pair<std::size_t, std::size_t> shared(const VariantTree &tree, const std::vector<State> &states,
                                           const std::vector<VariantId> &path)
{
    for (std::size_t i = states.size(); i-- > 0;) {
        for (std::size_t j = path.size(); j-- > 0;) {
            if (isSame(states[i], *tree.at(path[j]).state))
                return {i, j};
        }
    }
    return {0, 0};
}

/// First line of the steps after the first `kept`; none where steps before them are on that line too.
std::optional<int> lineFrom(const std::vector<ScriptStep> &steps, std::size_t kept)
{
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(kept);
    const int first =
        std::ranges::min(std::ranges::subrange(middle, steps.end()), {}, &ScriptStep::line).line;
    const bool isApart =
        std::ranges::all_of(steps.begin(), middle, [&](const ScriptStep &each) { return each.line < first; });
    return isApart ? std::optional(first) : std::nullopt;
}

} // namespace

std::optional<ScriptChange> changeTo(const VariantTree &tree, VariantId target, std::string_view text,
                                     const ScriptReading &reading)
{
    const std::vector<VariantId> path = tree.path(target);
    const std::vector<State> states = statesOf(*tree.root().state, reading.steps);
    const auto [kept, from] = shared(tree, states, path);
    ScriptChange change{.firstGone = 0, .added = {}, .text = std::string(text), .reading = reading};
    if (kept == reading.steps.size() && from + 1 == path.size())
        return change;
    if (reading.fault) // lines that are not legal are not taken away, and nothing behind them is run
        return std::nullopt;
    if (kept < reading.steps.size()) {
        const auto line = lineFrom(reading.steps, kept);
        if (!line)
            return std::nullopt;
        change.firstGone = *line;
        change.text.resize(lineBegins(text)[static_cast<std::size_t>(*line - 1)]);
    }
    if (!change.text.empty() && !change.text.ends_with('\n'))
        change.text += '\n';
    const std::string indentation = bodyIndentation(text);
    std::vector<schedule::Step> steps;
    for (std::size_t i = from + 1; i < path.size(); ++i)
        steps.push_back(tree.at(path[i]).step);
    const auto names = change.firstGone > 0
                           ? readScript(*tree.root().state, change.text + indentation + "pass\n").names
                           : reading.names;
    const auto lines = schedule::writeScheduleLines(states[kept], steps, names);
    if (!lines)
        return std::nullopt;
    change.added = indented(*lines, indentation);
    if (change.added.empty() && !script::py::parse(change.text, scriptName))
        change.added = indentation + "pass\n"; // a function is never empty
    change.text += change.added;
    change.reading = readScript(*tree.root().state, change.text);
    if (change.reading.fault || !isSame(change.reading.end, *tree.at(target).state))
        return std::nullopt;
    return change;
}

} // namespace nestwright::session
