// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shrink.h"

#include "core/analysis/verify/verify.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/script/print/printer.h"
#include "core/script/tvmscript/parser.h"
#include "tests/support/check.h"

#include <QDir>
#include <QFile>
#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

namespace nestwright::tests {

namespace {

using Lines = std::vector<std::string>;

bool isWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// The kind of a failure: the first line without names and numbers.
std::string kindOf(const std::string &why)
{
    std::string kind;
    bool isName = false;
    for (const char c : why.substr(0, why.find('\n'))) {
        if (c == '\'')
            isName = !isName;
        else if (!isName && !std::isdigit(static_cast<unsigned char>(c)))
            kind += c;
    }
    const std::size_t code = kind.rfind('[');
    return code == std::string::npos ? kind.substr(0, kind.find(':')) : kind.substr(code);
}

Lines linesOf(const std::string &text)
{
    Lines lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

std::string textOf(const Lines &lines)
{
    std::string text;
    for (const std::string &line : lines)
        text += line + '\n';
    return text;
}

std::set<std::string> wordsOf(const std::string &text)
{
    std::set<std::string> words;
    std::string word;
    for (const char c : text + ' ') {
        if (isWordCharacter(c)) {
            word += c;
        } else if (!word.empty()) {
            words.insert(std::exchange(word, ""));
        }
    }
    return words;
}

bool isStatement(const std::string &line) { return line.find("sch.") != std::string::npos; }

/// The names that a line of a script gives to results.
std::set<std::string> resultsOf(const std::string &line)
{
    const std::size_t call = line.find("sch."), sign = line.find('=');
    return sign < call ? wordsOf(line.substr(0, sign)) : std::set<std::string>();
}

/// The lines without `left` and those that use, directly or not, its results.
Lines without(const Lines &lines, std::size_t left)
{
    Lines result(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(left));
    std::set<std::string> gone = resultsOf(lines[left]);
    for (std::size_t i = left + 1; i < lines.size(); ++i) {
        const bool uses =
            std::ranges::any_of(wordsOf(lines[i]), [&](const auto &w) { return gone.contains(w); });
        if (isStatement(lines[i]) && uses)
            gone.merge(resultsOf(lines[i]));
        else
            result.push_back(lines[i]);
    }
    return result;
}

/// The numbers of the text that are no part of names or floats, each once, greatest first.
std::vector<std::int64_t> numbersIn(const std::string &text)
{
    std::set<std::int64_t, std::greater<>> numbers;
    for (const std::string &word : wordsOf(text)) {
        if (word.size() < 10 && std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c); }))
            numbers.insert(std::stoll(word));
    }
    return {numbers.begin(), numbers.end()};
}

std::string withNumber(const std::string &text, std::int64_t number, std::int64_t instead)
{
    const std::string digits = std::to_string(number);
    const auto isPartOfNumber = [](char c) { return isWordCharacter(c) || c == '.'; };
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = at + digits.size();
        if (text.compare(at, digits.size(), digits) == 0 && (at == 0 || !isPartOfNumber(text[at - 1]))
            && (end == text.size() || !isPartOfNumber(text[end]))) {
            result += std::to_string(instead);
            at = end;
        } else {
            result += text[at++];
        }
    }
    return result;
}

/// Whether the function's body (the root block without its regions) reads and writes the buffer.
std::pair<bool, bool> accesses(const ir::Stmt &body, const ir::Buffer &buffer)
{
    bool reads = false, writes = false;
    ir::forEachStmt(body, [&](const ir::Stmt &s) {
        const auto *store = s.as<ir::BufferStore>();
        writes = writes || (store && store->buffer == buffer);
        return true;
    });
    ir::forEachExpr(body, [&](const ir::Expr &e) {
        const auto *load = e.as<ir::BufferLoad>();
        reads = reads || (load && load->buffer == buffer);
        return true;
    });
    return {reads, writes};
}

/// The function without the statement `left` of its root block; null where there is only one.
ir::Function without(const ir::PrimFunc &function, std::size_t left)
{
    const auto *seq = function.root() ? function.root()->body.as<ir::Seq>() : nullptr;
    if (!seq || left >= seq->stmts.size())
        return nullptr;
    std::vector<ir::Stmt> kept = seq->stmts;
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(left));
    ir::PrimFunc result = function;
    ir::Block root = *function.root();
    root.body = ir::seq(std::move(kept));
    root.allocBuffers.clear();
    result.params.clear();
    for (const ir::Param &param : function.params) {
        const auto [reads, writes] = param.buffer ? accesses(root.body, param.buffer) : std::pair(true, true);
        if (reads || writes)
            result.params.push_back(param);
    }
    for (const ir::Buffer &buffer : function.root()->allocBuffers) {
        const auto [reads, writes] = accesses(root.body, buffer);
        if (reads && writes)
            root.allocBuffers.push_back(buffer);
        else if (reads || writes)
            result.params.push_back({ir::Var(buffer.name() + "_handle", ir::DataType::handle()), buffer});
    }
    result.body = ir::make(std::move(root));
    return std::make_shared<const ir::PrimFunc>(std::move(result));
}

class Shrinker {
public:
    Shrinker(Failure failure, const Judge &judge)
        : m_failure(std::move(failure))
        , m_judge(judge)
        , m_kind(kindOf(m_failure.why))
    {
    }

    Failure shrunk()
    {
        while (shrinkScript() || shrinkBlocks() || shrinkNumbers()) {
        }
        return m_failure;
    }

private:
    /// Takes the candidate if it fails in the same way.
    bool accept(const schedule::State &initial, const std::string &script)
    {
        const auto run = schedule::runScheduleScript(initial, script, "shrunk.py");
        if (!run)
            return false;
        std::string why = m_judge(initial, *run);
        if (why.empty() || kindOf(why) != m_kind)
            return false;
        m_failure = {initial, script, std::move(why)};
        return true;
    }

    /// The program must be right and run by itself.
    bool acceptProgram(const std::string &text)
    {
        const auto module = script::parseTvmScript(text, "shrunk.py");
        if (!module || !analysis::verify(*module, analysis::Level::Block)
            || whyNotEquivalent(*module, *module))
            return false;
        const auto state = schedule::makeState(*module);
        return state && accept(*state, m_failure.script);
    }

    bool shrinkScript()
    {
        bool any = false;
        for (std::size_t i = linesOf(m_failure.script).size(); i-- > 0;) {
            const Lines lines = linesOf(m_failure.script);
            any = (i < lines.size() && isStatement(lines[i])
                   && accept(m_failure.initial, textOf(without(lines, i))))
                  || any;
        }
        return any;
    }

    bool shrinkBlocks()
    {
        bool any = false;
        const std::vector<ir::Module::Entry> functions = m_failure.initial.module.functions();
        for (const ir::Module::Entry &entry : functions) {
            if (functions.size() > 1) {
                std::vector<ir::Module::Entry> others = functions;
                std::erase_if(others, [&](const auto &e) { return e.name == entry.name; });
                if (acceptProgram(script::print(ir::Module(others)).text))
                    return true;
            }
            for (std::size_t i = 0;;) {
                const ir::Function smaller = without(*m_failure.initial.module.find(entry.name), i);
                if (!smaller)
                    break;
                const ir::Module module = m_failure.initial.module.with(entry.name, smaller);
                const bool taken = acceptProgram(script::print(module).text);
                any = any || taken;
                i += taken ? 0 : 1;
            }
        }
        return any;
    }

    bool shrinkNumbers()
    {
        bool any = false;
        for (const std::int64_t number : numbersIn(script::print(m_failure.initial.module).text)) {
            for (const std::int64_t instead : {std::int64_t(1), std::int64_t(2), number / 2, number - 1}) {
                if (instead < 1 || instead >= number)
                    continue;
                const std::string text = script::print(m_failure.initial.module).text;
                const std::string smaller = withNumber(text, number, instead);
                if (smaller != text && acceptProgram(smaller)) {
                    any = true;
                    break;
                }
            }
        }
        return any;
    }

    Failure m_failure;
    const Judge &m_judge;
    std::string m_kind;
};

bool write(const QString &path, const std::string &text)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly)
           && file.write(text.data(), static_cast<qint64>(text.size())) == static_cast<qint64>(text.size());
}

} // namespace

Failure shrunk(Failure failure, const Judge &judge) { return Shrinker(std::move(failure), judge).shrunk(); }

std::string report(const Failure &failure, const std::string &name)
{
    const std::string program = script::print(failure.initial.module).text;
    std::string text = failure.why + "\nprogram:\n" + program + "\nschedule:\n" + failure.script;
    const QString folder = qEnvironmentVariable("NESTWRIGHT_FUZZ_OUT");
    if (folder.isEmpty())
        return text;
    const QString base = QDir(folder).filePath(QString::fromStdString(name));
    const bool written =
        QDir().mkpath(folder) && write(base + ".py", program) && write(base + "_schedule.py", failure.script);
    return text + (written ? "\nwritten to " : "\ncannot be written to ") + base.toStdString()
           + ".py and _schedule.py";
}

} // namespace nestwright::tests
