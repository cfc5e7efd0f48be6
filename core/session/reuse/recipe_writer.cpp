// SPDX-License-Identifier: Apache-2.0
#include "core/session/reuse/recipe_writer.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/node/equality.h"
#include "core/schedule/script/writer.h"
#include "core/schedule/state_index.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <format>
#include <set>

namespace nestwright::session {

using ir::StmtId;
using schedule::ArgList;
using schedule::ArgValue;
using support::diagnostic;
using support::fail;
using support::Result;

namespace {

/// Words that a variable of a script cannot be called.
constexpr std::string_view reservedWords[] = {
    "False",  "None", "True",   "and",  "as",    "assert", "block",  "break", "class",  "continue",
    "def",    "del",  "elif",   "else", "for",   "from",   "global", "if",    "import", "in",
    "int",    "is",   "lambda", "len",  "max",   "min",    "not",    "or",    "pass",   "range",
    "return", "sch",  "tir",    "try",  "while", "with",   "yield",  "print"};

/// Puts names in place of constants of an index map.
class ConstantNamer : public ir::Rewriter {
public:
    explicit ConstantNamer(const std::map<std::int64_t, std::string> &names) : m_names(names) {}
    ir::Expr expr(const ir::Expr &e) override
    {
        const std::int64_t *value = ir::asInt(e);
        const auto found = value ? m_names.find(*value) : m_names.end();
        return found == m_names.end() ? children(e) : ir::Expr(ir::Var(found->second, e.dtype()));
    }

private:
    const std::map<std::int64_t, std::string> &m_names;
};

class RecipeScript {
public:
    RecipeScript(const RecipeTrace &trace, const std::vector<RecipeNumber> &numbers)
        : m_trace(trace)
        , m_numbers(numbers)
        , m_taken(std::begin(reservedWords), std::end(reservedWords))
    {
        for (const RecipeNumber &number : m_numbers)
            m_taken.insert(number.name);
        for (std::size_t i = m_trace.lines.size(); i-- > 0;) {
            const bool answers = std::ranges::any_of(m_trace.outputs[i], [this](const ArgValue &output) {
                return output.as<StmtId>() && m_used.contains(*output.as<StmtId>());
            });
            if (!isQuery(i) || answers)
                collectUsed(m_trace.lines[i].step.args);
        }
    }

    std::string text(const std::string &name, const std::string &title)
    {
        std::string head = "def " + name + "(sch: tir.Schedule";
        if (m_trace.block)
            head += ", block=\"\"";
        for (const RecipeNumber &number : m_numbers) {
            if (number.isParameter)
                head += std::format(", {}={}", number.name, number.value);
        }
        for (const std::vector<std::size_t> &product : m_trace.products)
            addProduct(product);
        if (m_trace.block)
            put(nameStatement(m_trace.block, 0) + " = sch.get_block(block)");
        for (std::size_t i = 0; i < m_trace.lines.size(); ++i)
            addLine(i);
        return "# " + title + "\n# from tvm import tir\n" + head + ") -> None:\n" + m_text;
    }

private:
    void put(const std::string &line) { m_text += "  " + line + '\n'; }
    bool isQuery(std::size_t line) const { return m_trace.lines[line].step.primitive->isQuery; }

    void collectUsed(const ArgList &values)
    {
        for (const ArgValue &value : values) {
            if (const StmtId *id = value.as<StmtId>())
                m_used.insert(*id);
            if (const ArgList *list = value.as<ArgList>())
                collectUsed(*list);
        }
    }

    std::string fresh(const std::string &wanted)
    {
        std::string name;
        for (const char c : wanted) {
            const bool isPlain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
            name += isPlain ? c : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : '_';
        }
        if (name.empty() || (name.front() >= '0' && name.front() <= '9'))
            name = "x" + name;
        std::string free = name;
        for (int i = 2; m_taken.contains(free); ++i)
            free = name + '_' + std::to_string(i);
        m_taken.insert(free);
        return free;
    }

    std::string give(StmtId id, const std::string &name)
    {
        m_names[id] = name;
        return name;
    }
    /// Names a statement after the loop or block in the program before line `at`.
    std::string nameStatement(StmtId id, std::size_t at)
    {
        return give(id, fresh(schedule::nameOf(m_trace.before[at], id)));
    }

    std::string numberText(std::size_t number) const
    {
        const RecipeNumber &each = m_numbers[number];
        return each.isParameter ? each.name : std::to_string(each.value);
    }

    void addProduct(const std::vector<std::size_t> &product)
    {
        const bool hasLanes = m_trace.numbers[product.back()].name.starts_with("lanes");
        std::string text;
        for (const std::size_t number : product)
            text += (text.empty() ? "" : " * ") + numberText(number);
        m_products[product] = fresh(hasLanes ? "columns" : "tile");
        put(m_products[product] + " = " + text);
    }

    std::string productText(const NumberUse &use) const
    {
        return use.numbers.size() == 1 ? numberText(use.numbers.front()) : m_products.at(use.numbers);
    }

    /// The number at a place of line `line` as text; None for what is left.
    std::string useText(const NumberUse &use, std::size_t line) const
    {
        if (use.kind == NumberUse::Kind::Product)
            return productText(use);
        if (use.kind == NumberUse::Kind::Remainder)
            return "None";
        const auto loop = m_names.find(*m_trace.lines[line].step.args.front().as<StmtId>());
        std::string extent =
            std::format("int(sch.get({}).extent)", loop == m_names.end() ? "loop" : loop->second);
        if (use.kind == NumberUse::Kind::WholeExtent)
            return extent;
        const std::string threads = productText(use);
        return std::format("({0} + {1} - 1) // {1}", extent, threads);
    }

    void addLine(std::size_t line)
    {
        const std::string_view name = m_trace.lines[line].step.primitive->name;
        if (name == "get_block")
            return addBlock(line);
        if (name == "get_loops")
            return addLoops(line);
        if (name == "sample_perfect_tile" || name == "sample_partitioned_tile"
            || name == "sample_categorical")
            return; // the numbers that they gave stand in the steps
        const ArgList &outputs = m_trace.outputs[line];
        const std::string call = callText(line); // before its results take names
        std::vector<std::string> targets;
        bool isUsed = false;
        for (const ArgValue &output : outputs) {
            const StmtId *id = output.as<StmtId>();
            isUsed = isUsed || (id && m_used.contains(*id));
            targets.push_back(!id                     ? "_"
                              : schedule::isMark(*id) ? give(*id, fresh("place"))
                                                      : nameStatement(*id, line + 1));
        }
        std::string left;
        for (const std::string &target : targets)
            left += (left.empty() ? "" : ", ") + target;
        const bool isList = m_trace.lines[line].step.primitive->results == schedule::Results::List;
        put(isUsed ? left + (isList && targets.size() == 1 ? ", = " : " = ") + call : call);
    }

    /// A block that is found as a producer or consumer of one that has a name, else by its own name.
    void addBlock(std::size_t line)
    {
        const StmtId id = *m_trace.outputs[line].front().as<StmtId>();
        if (m_names.contains(id))
            return;
        const schedule::State &state = m_trace.before[line];
        const analysis::FunctionIndex &index = *state.index->of(id);
        std::string found;
        if (id != index.root()) {
            for (const StmtId known : namedBlocks()) {
                for (const std::string_view way : {"get_producers", "get_consumers"}) {
                    if (!found.empty() || !index.contains(known) || known == index.root())
                        continue;
                    const auto list =
                        way == "get_producers" ? index.producers(known) : index.consumers(known);
                    const auto at = std::ranges::find(list, id);
                    if (at != list.end())
                        found = std::format("sch.{}({})[{}]", way, m_names.at(known), at - list.begin());
                }
            }
        }
        const std::string function = state.index->functionName(id);
        const ir::Module::Entry *main = state.module.mainEntry();
        const bool isMain = main && main->name == function;
        if (found.empty())
            found = "sch.get_block(" + schedule::quoted(index.block(id)->name)
                    + (isMain ? "" : ", func_name=" + schedule::quoted(function)) + ')';
        put(nameStatement(id, line) + " = " + found);
    }

    /// Blocks that have names, the one that the recipe is for first.
    std::vector<StmtId> namedBlocks() const
    {
        std::vector<StmtId> blocks;
        if (m_trace.block)
            blocks.push_back(m_trace.block);
        for (const auto &[id, name] : m_names) {
            if (id != m_trace.block)
                blocks.push_back(id);
        }
        return blocks;
    }

    /// Names those loops of the block that steps speak of and that have no name yet.
    void addLoops(std::size_t line)
    {
        const ArgList &loops = m_trace.outputs[line];
        const StmtId block = *m_trace.lines[line].step.args.front().as<StmtId>();
        std::vector<std::size_t> wanted;
        for (std::size_t i = 0; i < loops.size(); ++i) {
            const StmtId id = *loops[i].as<StmtId>();
            if (m_used.contains(id) && !m_names.contains(id))
                wanted.push_back(i);
        }
        if (wanted.empty() || !m_names.contains(block))
            return;
        const std::string all = "sch.get_loops(" + m_names.at(block) + ')';
        const auto nameLoop = [&](std::size_t i) { return nameStatement(*loops[i].as<StmtId>(), line); };
        const bool isWhole = wanted.size() == loops.size();
        if (wanted.size() == 1 && !isWhole) {
            put(nameLoop(wanted.front()) + " = " + all + placeText(wanted.front(), loops.size()));
            return;
        }
        if (wanted.back() - wanted.front() + 1 == wanted.size() && wanted.back() + 1 == loops.size()) {
            std::string left;
            for (const std::size_t i : wanted)
                left += (left.empty() ? "" : ", ") + nameLoop(i);
            put(left + (wanted.size() == 1 ? ", = " : " = ") + all
                + (isWhole ? "" : std::format("[-{}:]", wanted.size())));
            return;
        }
        const std::string list = fresh(m_names.at(block) + "_loops");
        put(list + " = " + all);
        for (const std::size_t i : wanted)
            put(nameLoop(i) + " = " + list + placeText(i, loops.size()));
    }

    /// Inner loops are counted from the innermost: outer ones of a single iteration may be missing on other
    /// sizes.
    static std::string placeText(std::size_t place, std::size_t count)
    {
        return place * 2 < count ? std::format("[{}]", place) : std::format("[-{}]", count - place);
    }

    std::string callText(std::size_t line) const
    {
        const schedule::Step &step = m_trace.lines[line].step;
        schedule::Names names;
        for (const auto &[id, name] : m_names)
            names.set(id, 0, name);
        std::string args;
        bool isPositional = true; // required arguments go without their names, as long as none was left out
        for (std::size_t field = 0; field < step.args.size(); ++field) {
            const schedule::Field &description = step.primitive->fields[field];
            const ArgValue value = argumentAt(line, field, names);
            if (!description.positional
                && ((description.fallback && value == *description.fallback)
                    || schedule::isLeftOut(description, value))) {
                isPositional = false;
                continue;
            }
            args += (args.empty() ? "" : ", ")
                    + (isPositional ? schedule::valueText(description, value, names)
                                    : schedule::argumentText(description, value, names));
        }
        return "sch." + std::string(step.primitive->name) + '(' + args + ')';
    }

    /// The argument with numbers that have texts in `names`.
    ArgValue argumentAt(std::size_t line, std::size_t field, schedule::Names &names) const
    {
        ArgValue value = m_trace.lines[line].step.args[field];
        if (const auto *map = value.as<schedule::IndexMap>(); map && m_trace.maps.contains(line)) {
            std::map<std::int64_t, std::string> texts;
            for (const auto &[number, use] : m_trace.maps.at(line))
                texts[number] = productText(use);
            schedule::IndexMap named = map->withValues();
            for (ir::Expr &output : named.outputs)
                output = ConstantNamer(texts).expr(output);
            return named;
        }
        if (value.as<std::int64_t>())
            value.result = 0; // numbers of sampling steps stand as they are
        const ArgList *list = value.as<ArgList>();
        if (!list)
            return value;
        ArgList items = *list;
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (items[i].as<std::int64_t>())
                items[i].result = 0;
            const auto use = m_trace.factors.find({line, field, i});
            if (use == m_trace.factors.end())
                continue;
            if (use->second.kind == NumberUse::Kind::Remainder) {
                items[i] = ArgValue();
                continue;
            }
            items[i].result = static_cast<std::uint32_t>(field * items.size() + i + 1);
            names.setValue(items[i].result, useText(use->second, line));
        }
        return items;
    }

    const RecipeTrace &m_trace;
    const std::vector<RecipeNumber> &m_numbers;
    std::set<std::string, std::less<>> m_taken;
    std::set<StmtId> m_used; ///< loops and blocks that steps speak of, or that lead to them
    std::map<StmtId, std::string> m_names;
    std::map<std::vector<std::size_t>, std::string> m_products;
    std::string m_text;
};

Result<void> checkNames(const std::vector<RecipeNumber> &numbers)
{
    std::set<std::string> seen;
    for (const RecipeNumber &number : numbers) {
        if (!number.isParameter)
            continue;
        if (!isIdentifier(number.name) || std::ranges::contains(reservedWords, number.name))
            return fail(diagnostic("recipe.parameter-name",
                                   std::format("'{}' cannot be the name of a parameter", number.name))
                            .withHint("letters, digits and _, no digit first, and no word of Python"));
        if (!seen.insert(number.name).second)
            return fail(
                diagnostic("recipe.parameter-name", std::format("two parameters are named '{}'", number.name))
                    .withHint("give one of them another name"));
    }
    return {};
}

} // namespace

Result<std::vector<RecipeNumber>> recipeNumbers(const explore::StepPath &path)
{
    auto trace = traceForRecipe(path);
    return trace ? Result<std::vector<RecipeNumber>>(std::move(trace->numbers)) : fail(trace.error());
}

Result<std::string> writeRecipe(const explore::StepPath &path, const std::string &name,
                                const std::string &title, const std::vector<RecipeNumber> &numbers)
{
    if (!isIdentifier(name) || std::ranges::contains(reservedWords, name))
        return fail(diagnostic("recipe.name", std::format("'{}' is no name for a recipe", name))
                        .withHint("letters, digits and _, no digit first: it is the name of a function"));
    if (path.size() == 0)
        return fail(diagnostic("recipe.nothing", "there are no steps to make a recipe of")
                        .withHint("schedule the kernel first"));
    if (const auto fine = checkNames(numbers); !fine)
        return fail(fine.error());
    const auto trace = traceForRecipe(path);
    if (!trace)
        return fail(trace.error());
    NW_ASSERT(trace->numbers.size() == numbers.size(), "the numbers are those of another schedule");
    std::string text = RecipeScript(*trace, numbers).text(name, title);
    const auto run = schedule::runScheduleScript(
        path.state(0), text, name + ".py",
        trace->block ? std::vector<schedule::ScriptParameter>{{"block", ArgValue(schedule::nameOf(
                                                                            path.state(0), trace->block))}}
                     : std::vector<schedule::ScriptParameter>{});
    if (!run || !ir::structurallyEqual(run->state.module, path.end().module))
        return fail(diagnostic("recipe.differs",
                               "the steps cannot be told by the places of loops and blocks: "
                                   + (run ? std::string("they give another program") : run.error().message))
                        .withHint("export them as a schedule script, which names all blocks"));
    return text;
}

Result<Recipe> recordedRecipe(const explore::StepPath &path, const std::string &name)
{
    const auto numbers = recipeNumbers(path);
    if (!numbers)
        return fail(numbers.error());
    auto text = writeRecipe(path, name, {}, *numbers);
    if (!text)
        return fail(text.error());
    const std::string file = name + ".py";
    auto parameters = schedule::parametersOf(*text, file);
    if (!parameters)
        return fail(parameters.error());
    return Recipe{name, {}, file, std::move(*text), std::move(*parameters)};
}

} // namespace nestwright::session
