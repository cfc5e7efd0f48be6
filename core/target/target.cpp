// SPDX-License-Identifier: Apache-2.0
#include "core/target/target.h"

#include "core/support/errors/shortened.h"
#include "core/target/kinds.h"
#include "core/target/most_threads.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <format>
#include <sstream>
#include <thread>

namespace nestwright::target {

using support::fail;
using support::Result;

namespace {

/// "llvm knows -mcpu, -mtriple, -mattr and -fast-math=reassoc, c knows -mcpu and -mattr, …".
std::string knownOptions()
{
    std::string text;
    for (const Kind &kind : kinds()) {
        std::vector<std::string_view> names;
        for (const TextOption &option : kind.options)
            names.push_back(option.name);
        if (kind.reassociates)
            names.emplace_back("-fast-math=reassoc");
        for (const std::string_view &name : names) {
            text += &name == &names.front()  ? std::string(kind.name) + " knows "
                    : &name == &names.back() ? " and "
                                             : ", ";
            text += name;
        }
        text += names.empty() ? "" : ", ";
    }
    return text + "all know -num-cores";
}

Result<void> readOption(Target &target, const std::string &word)
{
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (value.empty())
        return fail(support::diagnostic("target.option", "the target option '" + word + "' has no value")
                        .withHint("write it as " + name + "=VALUE"));
    const Kind &kind = kindOf(target.kind);
    if (const auto option = std::ranges::find(kind.options, name, &TextOption::name);
        option != kind.options.end()) {
        target.*option->member = value;
        return {};
    }
    if (name == "-num-cores") {
        const char *last = value.data() + value.size();
        // A number that is too great leaves the threads as they were, at 0.
        target.threads = 0;
        if (std::from_chars(value.data(), last, target.threads).ptr != last || target.threads < 1
            || target.threads > mostPoolThreads)
            return fail(support::diagnostic("target.option",
                                            std::format("'-num-cores' takes a number from 1 to {}, not '{}'",
                                                        mostPoolThreads, support::shortened(value)))
                            .withHint(std::format(
                                "this machine has {}; code of this program runs on {} at most",
                                std::max(1U, std::thread::hardware_concurrency()), mostPoolThreads)));
        return {};
    }
    if (name == "-fast-math" && value == "reassoc" && kind.reassociates) {
        target.reassociate = true;
        return {};
    }
    return fail(support::diagnostic("target.option", "this kind of target has no option '" + word + '\'')
                    .withHint(knownOptions()));
}

} // namespace

bool Target::isGpu() const { return kindOf(kind).isOfDevices; }

std::string Target::str() const
{
    std::string text(kindName(kind));
    for (const TextOption &option : kindOf(kind).options) {
        const std::string &value = this->*option.member;
        if (!value.empty())
            text += ' ' + std::string(option.name) + '=' + value;
    }
    if (threads > 0)
        text += " -num-cores=" + std::to_string(threads);
    if (reassociate)
        text += " -fast-math=reassoc";
    return text;
}

Result<Target> parseTarget(std::string_view text)
{
    std::istringstream words{std::string(text)};
    std::string word;
    words >> word;
    Target target;
    const Kind *kind = findKind(word);
    if (!kind)
        return fail(support::diagnostic("target.unknown", "there is no target '" + word + '\'')
                        .withHint("it can be " + kindNames() + ", followed by options"));
    target.kind = kind->kind;
    while (words >> word) {
        if (auto read = readOption(target, word); !read)
            return std::unexpected(read.error());
    }
    return target;
}

std::string architectureOf(const Target &target) { return target.arch.empty() ? "sm_80" : target.arch; }

} // namespace nestwright::target
