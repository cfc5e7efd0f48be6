// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/answers/suggestions.h"

#include "core/support/text/json.h"
#include "core/support/text/near_names.h"

namespace nestwright::workbench {

using support::OrderedJson;

namespace {

OrderedJson actionJson(const suggest::LoopNest &nest, const suggest::Action &action)
{
    OrderedJson json{{"primitive", action.primitive->name}, {"title", action.title}};
    if (action.refused) {
        json["refused"] = {{"code", action.refused->code}, {"message", action.refused->message}};
        if (!action.refused->hint.empty())
            json["refused"]["hint"] = action.refused->hint;
    } else if (action.needsTyping) {
        json["incomplete"] = true;
    } else {
        json["step"] = schedule::describe(action.step(), nest.state());
    }
    if (const auto fix = suggest::fixFor(nest, action))
        json["fix"] = fix->title;
    return json;
}

OrderedJson findingJson(const suggest::LoopNest &nest, const explore::StepPath &path,
                        const JudgedFinding &judged)
{
    const explore::Finding &finding = judged.finding;
    OrderedJson json{{"finding", explore::nameOf(finding.fault)},
                     {"loop", nest.name(finding.at)},
                     {"message", finding.title},
                     {"explanation", explore::explanationOf(finding.fault)},
                     {"remedy", finding.remedy.title},
                     {"predicted", finding.gain},
                     {"after", finding.branchesAt(path)},
                     {"steps", stepsOf(path, finding)}};
    if (const auto &measured = judged.measured)
        json["measured"] = {{"ratio", measured->ratio.median},
                            {"low", measured->ratio.low},
                            {"high", measured->ratio.high},
                            {"significant", measured->significant}};
    if (judged.failure)
        json["failure"] = judged.failure->message;
    return json;
}

} // namespace

support::Result<std::vector<ir::StmtId>> statementsAt(const suggest::LoopNest &nest, const std::string &name)
{
    if (name.empty())
        return nest.all();
    std::vector<ir::StmtId> found;
    std::vector<std::string> names;
    for (const ir::StmtId id : nest.all()) {
        if (nest.name(id) == name)
            found.push_back(id);
        names.push_back(nest.name(id));
    }
    if (!found.empty())
        return found;
    const std::vector<std::string_view> known(names.begin(), names.end());
    return support::fail(support::diagnostic("suggest.unknown", "there is no loop or block '" + name + "'")
                             .withHint(support::didYouMean(name, known)));
}

std::vector<Suggested> suggestedAt(const suggest::LoopNest &nest, const std::vector<ir::StmtId> &statements)
{
    std::vector<Suggested> all;
    for (const ir::StmtId id : statements) {
        Suggested &each = all.emplace_back(id, suggest::actionsFor(nest, {id}, {}));
        std::erase_if(each.actions,
                      [](const suggest::Action &action) { return action.primitive->fields.empty(); });
    }
    return all;
}

std::vector<std::string> stepsOf(const explore::StepPath &path, const explore::Finding &finding)
{
    std::vector<std::string> steps;
    for (std::size_t place = finding.branchesAt(path); place < finding.remedy.path.size(); ++place)
        steps.push_back(finding.remedy.path.label(place));
    return steps;
}

OrderedJson toJson(const suggest::LoopNest &nest, const explore::StepPath &path,
                   const std::vector<JudgedFinding> &findings, const std::vector<Suggested> &all,
                   bool refused)
{
    OrderedJson json{{"findings", OrderedJson::array()}, {"statements", OrderedJson::array()}};
    for (const JudgedFinding &each : findings)
        json["findings"].push_back(findingJson(nest, path, each));
    for (const Suggested &each : all) {
        OrderedJson statement{{"name", nest.name(each.id)}, {"kind", nest.loop(each.id) ? "loop" : "block"}};
        if (const auto iterations = nest.iterations(each.id))
            statement["iterations"] = *iterations;
        statement["actions"] = OrderedJson::array();
        for (const suggest::Action &action : each.actions) {
            if (refused || action.legal())
                statement["actions"].push_back(actionJson(nest, action));
        }
        json["statements"].push_back(std::move(statement));
    }
    return json;
}

} // namespace nestwright::workbench
