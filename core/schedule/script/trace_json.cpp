// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/script/trace_json.h"

#include "core/schedule/edit.h"
#include "core/schedule/script/index_map_json.h"
#include "core/schedule/script/step_runner.h"
#include "core/schedule/script/trace_plan.h"
#include "core/schedule/script/values.h"
#include "core/script/python/parser.h"
#include "core/support/text/json_output.h"
#include "core/support/text/json_text.h"

#include <algorithm>
#include <array>
#include <format>
#include <optional>

namespace nestwright::schedule {

namespace {

using Json = support::OrderedJson;
using support::diagnostic;

// Writing. A string among the inputs stands for a loop or block, so texts carry quotes of their own there.

struct Writing {
    const Names &names;
    script::Dialect dialect;
};

Json toJson(const ArgValue &value, const Writing &writing, bool attribute)
{
    const Names &names = writing.names;
    if (const IndexMap *map = value.as<IndexMap>()) {
        const IndexMap named = names.withNames(*map);
        const std::string graph = writeIndexMapJson(named, writing.dialect);
        return graph.empty() ? str(named) : graph;
    }
    if (const std::string *name = names.find(value))
        return *name;
    if (value.isNone())
        return attribute ? Json() : Json("None");
    if (const bool *b = value.as<bool>())
        return *b;
    if (const std::int64_t *number = value.as<std::int64_t>())
        return *number;
    if (const double *number = value.as<double>())
        return *number;
    if (const std::string *text = value.as<std::string>())
        return attribute ? *text : '"' + *text + '"';
    if (value.as<StmtId>() || value.as<Formula>())
        return str(value);
    if (const ArgMap *map = value.as<ArgMap>()) {
        Json object = Json::object();
        for (std::size_t i = 0; i < map->keys.size(); ++i)
            object[map->keys[i]] = toJson(map->values[i], writing, attribute);
        return object;
    }
    Json list = Json::array();
    for (const ArgValue &item : *value.as<ArgList>())
        list.push_back(toJson(item, writing, attribute));
    return list;
}

/// Whether the items of the list are inputs of their own.
bool isSpread(FieldKind kind) { return kind == FieldKind::Loops || kind == FieldKind::OptionalInts; }

/// TVM numbers the two sides of an access where scripts name them.
bool isSide(const Field &field)
{
    return field.kind == FieldKind::Choice && std::ranges::equal(field.choices, std::array{"read", "write"});
}

void addArgument(const Primitive &primitive, const Field &field, const ArgValue &value,
                 const Writing &writing, Json &inputs, Json &attributes)
{
    if (field.tracePart == TracePart::Decisions)
        return;
    if (field.tracePart == TracePart::Inputs && isSide(field)) {
        inputs.push_back(value == ArgValue("read") ? 0 : 1);
    } else if (field.tracePart == TracePart::Inputs) {
        if (isSpread(field.kind)) {
            for (const ArgValue &item : *value.as<ArgList>())
                inputs.push_back(toJson(item, writing, false));
        } else {
            inputs.push_back(toJson(value, writing, false));
        }
    } else if (field.kind == FieldKind::BufferRef) {
        const ArgList &pair = *value.as<ArgList>();
        attributes.push_back(*pair[1].as<std::int64_t>());
        attributes.push_back(*pair[0].as<std::string>() == "read" ? 0 : 1);
    } else if (const bool *b = value.as<bool>(); b && primitive.name != "split") {
        attributes.push_back(*b ? 1 : 0); // TVM keeps flags as numbers, but for those of Split
    } else {
        attributes.push_back(toJson(value, writing, true));
    }
}

Json toJson(const TraceLine &line, script::Dialect dialect)
{
    const Primitive &primitive = *line.step.primitive;
    Json inputs = Json::array(), attributes = Json::array(), outputs = Json::array();
    for (std::size_t i = 0; i < primitive.fields.size(); ++i)
        addArgument(primitive, primitive.fields[i], line.step.args[i], {line.names, dialect}, inputs,
                    attributes);
    for (const std::string &name : line.outputNames)
        outputs.push_back(name);
    return Json::array({primitive.kindInTrace(script::usesTirx(dialect)), inputs, attributes, outputs});
}

/// The step that divides the axes of a new layout, as traces have no place for that in an index map; none
/// where it has no separators.
std::optional<TraceLine> separatingLine(const TraceLine &line)
{
    const Primitive &primitive = *line.step.primitive;
    const auto field = std::ranges::find(primitive.fields, FieldKind::IndexMap, &Field::kind);
    if (primitive.name != "transform_layout" || field == primitive.fields.end())
        return {};
    const auto *map =
        line.step.args[static_cast<std::size_t>(field - primitive.fields.begin())].as<IndexMap>();
    if (!map || map->axisSeparators.empty())
        return {};
    ArgList separators;
    for (const int separator : map->axisSeparators)
        separators.emplace_back(std::int64_t{separator});
    TraceLine separating = line;
    separating.step = {findPrimitive("set_axis_separator"),
                       {line.step.args[0], line.step.args[1], std::move(separators)}};
    return separating;
}

// Reading.

class TraceReader {
public:
    TraceReader(const State &initial, std::string fileName)
        : m_steps(initial)
        , m_fileName(std::move(fileName))
    {
    }

    ScriptRun run(const Json &trace)
    {
        if (!trace.is_array() || trace.empty() || !trace[0].is_array())
            refuse(bad("a trace is a list of a list of steps and a list of decisions"));
        readDecisions(trace);
        for (const Json &entry : trace[0]) {
            ++m_entry;
            step(entry);
        }
        return std::move(m_steps).finish();
    }

private:
    Diagnostic bad(const std::string &message) const
    {
        const std::string place =
            m_entry ? std::format(" (step {}, in the JSON [0][{}])", m_entry, m_entry - 1) : "";
        return diagnostic("schedule.trace", message + place).at(m_fileName, 1, 1);
    }

    void readDecisions(const Json &trace)
    {
        if (trace.size() < 2)
            return;
        if (!trace[1].is_array())
            refuse(bad("the decisions are a list of pairs of a step's position and its decision"));
        for (const Json &pair : trace[1]) {
            if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_unsigned())
                refuse(bad("a decision is a pair of a step's position and its decision"));
            m_decisions[pair[0].get<std::size_t>()] = fromInput(pair[1]);
        }
    }

    void step(const Json &entry)
    {
        if (!entry.is_array() || entry.size() != 4 || !entry[0].is_string() || !entry[1].is_array()
            || !entry[2].is_array() || !entry[3].is_array())
            refuse(bad("a step is a list of its kind, inputs, attributes and outputs"));
        const std::string kind = entry[0];
        const Primitive *primitive = findTraceKind(kind);
        if (!primitive)
            refuse(bad("there is no primitive of the kind '" + kind + "'"));
        const ArgValue result = m_steps.run(*primitive, arguments(*primitive, entry[1], entry[2]), m_entry);
        const ArgList results = primitive->results == Results::None ? ArgList{}
                                : result.as<ArgList>()              ? *result.as<ArgList>()
                                                                    : ArgList{result};
        if (results.size() != entry[3].size())
            refuse(bad("'" + kind + "' gives " + std::to_string(results.size()) + " results, the trace names "
                       + std::to_string(entry[3].size())));
        for (std::size_t i = 0; i < results.size(); ++i) {
            if (!entry[3][i].is_string())
                refuse(bad("a result is named by a string"));
            m_names[entry[3][i].get<std::string>()] = results[i];
        }
    }

    WrittenArguments arguments(const Primitive &primitive, const Json &inputs, const Json &attributes)
    {
        WrittenArguments written;
        std::size_t input = 0, attribute = 0;
        for (const Field &field : primitive.fields) {
            ArgValue value;
            if (field.tracePart == TracePart::Decisions) {
                const auto found = m_decisions.find(static_cast<std::size_t>(m_entry) - 1);
                if (found == m_decisions.end())
                    continue;
                value = found->second;
            } else if (field.tracePart == TracePart::Inputs && isSpread(field.kind)) {
                ArgList list;
                while (input < inputs.size())
                    list.push_back(fromInput(inputs[input++]));
                value = std::move(list);
            } else if (field.tracePart == TracePart::Inputs && input >= inputs.size()
                       && isLambda(attributes, attribute)) {
                value = indexMap(attributes[attribute++], field); // as this program wrote it at first
            } else if (field.tracePart == TracePart::Inputs) {
                if (input >= inputs.size())
                    continue;
                const Json &given = inputs[input++];
                if (field.kind == FieldKind::IndexMap && given.is_string())
                    value = indexMap(given, field);
                else if (isSide(field) && given.is_number_integer())
                    value = given == 0 ? "read" : "write";
                else
                    value = fromInput(given);
            } else if (attribute >= attributes.size()) {
                continue;
            } else if (field.kind == FieldKind::BufferRef) {
                value = bufferRef(attributes, attribute);
            } else {
                value = fromAttribute(field, attributes[attribute++]);
            }
            written.named.emplace_back(field.name, std::move(value));
        }
        return written;
    }

    static bool isLambda(const Json &attributes, std::size_t at)
    {
        return at < attributes.size() && attributes[at].is_string()
               && attributes[at].get_ref<const std::string &>().starts_with("lambda");
    }

    ArgValue bufferRef(const Json &attributes, std::size_t &next)
    {
        if (next + 1 >= attributes.size() || !attributes[next].is_number_integer())
            refuse(bad("a buffer is given by its position and 0 for read or 1 for write"));
        const std::int64_t position = attributes[next++].get<std::int64_t>();
        return ArgList{attributes[next++] == 0 ? "read" : "write", position};
    }

    ArgValue plain(const Json &json)
    {
        if (json.is_boolean())
            return json.get<bool>();
        if (json.is_number_integer())
            return json.get<std::int64_t>();
        if (json.is_number())
            return json.get<double>();
        if (json.is_null())
            return {};
        refuse(bad("cannot read the value " + support::jsonText(json)));
    }

    ArgValue fromInput(const Json &json)
    {
        if (json.is_array()) {
            ArgList list;
            for (const Json &item : json)
                list.push_back(fromInput(item));
            return list;
        }
        if (json.is_object()) {
            ArgMap map;
            for (const auto &[key, item] : json.items())
                map.set(key, fromInput(item));
            return map;
        }
        if (!json.is_string())
            return plain(json);
        const std::string text = json;
        if (text == "None")
            return {};
        if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
            return text.substr(1, text.size() - 2);
        if (const auto found = m_names.find(text); found != m_names.end())
            return found->second;
        if (Result<ArgValue> formula = readValue(text); formula && formula->as<Formula>())
            return *std::move(formula);
        refuse(bad("no step before gives '" + text + "'"));
    }

    ArgValue fromAttribute(const Field &field, const Json &json)
    {
        if (json.is_array()) {
            ArgList list;
            for (const Json &item : json)
                list.push_back(fromAttribute(field, item));
            return list;
        }
        if (!json.is_string())
            return plain(json);
        return field.kind == FieldKind::IndexMap ? indexMap(json, field) : ArgValue(json.get<std::string>());
    }

    ArgValue indexMap(const std::string &text, const Field &field)
    {
        if (isIndexMapJson(text)) {
            Result<IndexMap> map = readIndexMapJson(
                text, field.form == FieldForm::GivesRanges, [&](const std::string &name) -> const ArgValue * {
                    const auto found = m_names.find(name);
                    return found == m_names.end() ? nullptr : &found->second;
                });
            if (!map)
                refuse(bad(map.error().message));
            return *std::move(map);
        }
        const Result<py::Expr> e = py::parseExpression(text, m_fileName);
        if (!e)
            refuse(e.error());
        return ScriptValues(m_fileName,
                            [&](const py::Call &) -> ArgValue { refuse(bad("a call in an index map")); })
            .evaluate(*e);
    }

    StepRunner m_steps;
    std::string m_fileName;
    int m_entry = 0;
    std::map<std::string, ArgValue> m_names;
    std::map<std::size_t, ArgValue> m_decisions; ///< by the step's position
};

} // namespace

Result<std::string> writeTraceJson(const State &initial, std::span<const Step> steps, script::Dialect dialect)
{
    const Result<std::vector<TraceLine>> lines = planTrace(initial, steps);
    if (!lines)
        return support::fail(lines.error());
    Json entries = Json::array(), decisions = Json::array();
    for (const TraceLine &line : *lines) {
        const auto decision = line.step.primitive->decisionIndex();
        if (decision && !line.step.args[*decision].isNone())
            decisions.push_back(Json::array(
                {entries.size(), toJson(line.step.args[*decision], {line.names, dialect}, true)}));
        entries.push_back(toJson(line, dialect));
        if (const auto separating = separatingLine(line))
            entries.push_back(toJson(*separating, dialect));
    }
    return support::jsonText(Json::array({entries, decisions}));
}

Result<ScriptRun> runTraceJson(const State &initial, std::string_view text, const std::string &fileName)
{
    constexpr const char *hint = "a trace is the result of sch.trace.as_json(), written with json.dumps";
    const auto trace = support::parseJson<Json>(text, {"the trace", fileName, "schedule.trace", hint});
    if (!trace)
        return support::fail(trace.error());
    try {
        return TraceReader(initial, fileName).run(*trace);
    } catch (const support::UserError &error) {
        return support::fail(error.diagnostic());
    } catch (const Json::exception &) {
        return support::fail(
            diagnostic("schedule.trace", "the trace holds a number that does not belong where it stands")
                .at(fileName, 1, 1)
                .withHint(hint));
    }
}

} // namespace nestwright::schedule
