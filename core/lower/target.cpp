// SPDX-License-Identifier: Apache-2.0
#include "core/lower/target.h"

#include "core/lower/kind_name.h"
#include "core/lower/most_threads.h"
#include "core/support/errors/shortened.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <format>
#include <sstream>
#include <thread>

namespace nestwright::lower {

using support::fail;
using support::Result;

namespace {

struct KindName {
    TargetKind kind;
    std::string_view name;
};
constexpr std::array kinds{KindName{TargetKind::Llvm, "llvm"}, KindName{TargetKind::C, "c"},
                           KindName{TargetKind::OpenCl, "opencl"}, KindName{TargetKind::Cuda, "cuda"}};

/// An option that holds text, and the kinds it belongs to.
struct TextOption {
    std::string_view name;
    TargetKind kind, otherKind;
    std::string Target::*member;
};
constexpr std::array textOptions{TextOption{"-mcpu", TargetKind::Llvm, TargetKind::C, &Target::mcpu},
                                 TextOption{"-mtriple", TargetKind::Llvm, TargetKind::Llvm, &Target::mtriple},
                                 TextOption{"-mattr", TargetKind::Llvm, TargetKind::C, &Target::mattr},
                                 TextOption{"-arch", TargetKind::Cuda, TargetKind::Cuda, &Target::arch}};

Result<void> readOption(Target &target, const std::string &word)
{
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (value.empty())
        return fail(support::diagnostic("target.option", "the target option '" + word + "' has no value")
                        .withHint("write it as " + name + "=VALUE"));
    for (const TextOption &option : textOptions) {
        if (option.name == name && (option.kind == target.kind || option.otherKind == target.kind)) {
            target.*option.member = value;
            return {};
        }
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
    if (name == "-fast-math" && value == "reassoc" && target.kind == TargetKind::Llvm) {
        target.reassociate = true;
        return {};
    }
    return fail(
        support::diagnostic("target.option", "this kind of target has no option '" + word + '\'')
            .withHint("llvm knows -mcpu, -mattr, -mtriple and -fast-math=reassoc, c knows -mcpu and -mattr, "
                      "cuda knows -arch, all know -num-cores"));
}

} // namespace

std::string_view kindName(TargetKind kind) { return std::ranges::find(kinds, kind, &KindName::kind)->name; }

std::string Target::str() const
{
    std::string text(kindName(kind));
    for (const TextOption &option : textOptions) {
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
    bool known = false;
    for (const KindName &name : kinds) {
        if (name.name == word) {
            target.kind = name.kind;
            known = true;
        }
    }
    if (!known)
        return fail(support::diagnostic("target.unknown", "there is no target '" + word + '\'')
                        .withHint("it can be llvm, c, opencl or cuda, followed by options"));
    while (words >> word) {
        if (auto read = readOption(target, word); !read)
            return std::unexpected(read.error());
    }
    return target;
}

std::string architectureOf(const Target &target) { return target.arch.empty() ? "sm_80" : target.arch; }

} // namespace nestwright::lower
