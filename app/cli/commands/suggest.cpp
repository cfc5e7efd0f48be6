// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/input.h"
#include "core/measure/measurer.h"
#include "core/script/printer.h"
#include "core/suggest/actions.h"
#include "core/suggest/advice.h"
#include "core/support/json.h"
#include "core/support/near_names.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <format>
#include <iostream>

namespace nestwright::cli {

using support::OrderedJson;
using support::StmtId;

namespace {

struct SuggestOptions : CommonOptions {
    std::string at;
    bool json = false, refused = false;
};

/// One loop or block with its steps.
struct Suggested {
    StmtId id;
    std::vector<suggest::Action> actions;
};

std::string_view nameOf(suggest::Finding finding)
{
    switch (finding) {
    case suggest::Finding::ReductionInnermost: return "reduction-innermost";
    case suggest::Finding::LoopTooLongForVector: return "loop-too-long-for-vector";
    case suggest::Finding::ScalarLoop: return "scalar-loop";
    case suggest::Finding::IdleThreads: return "idle-threads";
    case suggest::Finding::NoBlocks: return "no-blocks";
    case suggest::Finding::NoThreads: return "no-threads";
    case suggest::Finding::BankConflicts: return "bank-conflicts";
    }
    std::unreachable();
}

/// The statements that --at names, or all.
support::Result<std::vector<StmtId>> statementsAt(const suggest::LoopNest &nest, const std::string &name)
{
    if (name.empty())
        return nest.all();
    std::vector<StmtId> found;
    std::vector<std::string> names;
    for (const StmtId id : nest.all()) {
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

std::string headingOf(const suggest::LoopNest &nest, StmtId id)
{
    if (nest.block(id))
        return nest.name(id) + ", a block";
    const auto iterations = nest.iterations(id);
    return nest.name(id) + ", a loop"
           + (iterations ? std::format(" of {} iteration{}", *iterations, *iterations == 1 ? "" : "s") : "");
}

void print(const suggest::LoopNest &nest, const std::optional<suggest::Advice> &advice,
           const std::vector<Suggested> &all, bool refused)
{
    if (advice)
        std::cout << std::format("{}.\n  {}: {}\n\n", advice->title, advice->action,
                                 schedule::describe(advice->step, nest.state()));
    for (const Suggested &each : all) {
        std::cout << headingOf(nest, each.id) << '\n';
        for (const suggest::Action &action : each.actions) {
            if (action.legal() && action.needsTyping)
                std::cout << "  " << action.primitive->name << "(…)\n";
            else if (action.legal())
                std::cout << "  " << schedule::describe(action.step(), nest.state()) << '\n';
            else if (refused) {
                std::cout << std::format("  not {}: {}\n", action.primitive->name, action.refused->message);
                if (const auto fix = suggest::fixFor(nest, action))
                    std::cout << "      but " << fix->title << '\n';
            }
        }
    }
}

OrderedJson toJson(const suggest::LoopNest &nest, const suggest::Action &action)
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

OrderedJson toJson(const suggest::LoopNest &nest, const std::optional<suggest::Advice> &advice,
                   const std::vector<Suggested> &all, bool refused)
{
    OrderedJson json{{"findings", OrderedJson::array()}, {"statements", OrderedJson::array()}};
    if (advice)
        json["findings"].push_back({{"finding", nameOf(advice->finding)},
                                    {"loop", nest.name(advice->loop)},
                                    {"message", advice->title},
                                    {"remedy", advice->action},
                                    {"step", schedule::describe(advice->step, nest.state())}});
    for (const Suggested &each : all) {
        OrderedJson statement{{"name", nest.name(each.id)}, {"kind", nest.loop(each.id) ? "loop" : "block"}};
        if (const auto iterations = nest.iterations(each.id))
            statement["iterations"] = *iterations;
        statement["actions"] = OrderedJson::array();
        for (const suggest::Action &action : each.actions) {
            if (refused || action.legal())
                statement["actions"].push_back(toJson(nest, action));
        }
        json["statements"].push_back(std::move(statement));
    }
    return json;
}

int suggestSteps(const SuggestOptions &options)
{
    const auto loaded = load(options);
    if (!loaded)
        return report(loaded.error());
    const suggest::LoopNest nest(loaded->state, script::print(loaded->state.module));
    const auto statements = statementsAt(nest, options.at);
    if (!statements)
        return report(statements.error());
    const auto advice = suggest::adviceFor(nest, loaded->target, measure::threadsOf(loaded->target), {});
    std::vector<Suggested> all;
    for (const StmtId id : *statements) {
        Suggested &each = all.emplace_back(id, suggest::actionsFor(nest, {id}, {}));
        std::erase_if(each.actions,
                      [](const suggest::Action &action) { return action.primitive->fields.empty(); });
    }
    if (options.json)
        std::cout << toJson(nest, advice, all, options.refused).dump(2) << std::endl;
    else
        print(nest, advice, all, options.refused);
    return Done;
}

} // namespace

std::function<int()> declareSuggest(CLI::App &app)
{
    auto options = std::make_shared<SuggestOptions>();
    options->addModule(app);
    options->addSchedule(app);
    options->addTarget(app);
    app.add_option("--at", options->at, "only the steps of this loop or block");
    app.add_flag("--refused", options->refused, "steps that are not legal as well, with the reason");
    app.add_flag("--json", options->json, "print JSON");
    return [options] { return suggestSteps(*options); };
}

} // namespace nestwright::cli
