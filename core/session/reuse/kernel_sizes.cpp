// SPDX-License-Identifier: Apache-2.0
#include "core/session/reuse/kernel_sizes.h"

#include "core/catalog/preset.h"
#include "core/frontend/open_kernel.h"
#include "core/script/print/printer.h"
#include "core/support/files/reading.h"
#include "core/support/text/near_names.h"

#include <algorithm>
#include <charconv>
#include <format>
#include <set>

namespace nestwright::session {

using support::diagnostic;
using support::fail;
using support::Result;

namespace {

/// Names of the sizes that only a run of the kernel knows.
std::set<std::string> symbolicSizes(const ir::Module &module)
{
    std::set<std::string> names;
    const ir::Module::Entry *entry = module.mainEntry();
    if (!entry)
        return names;
    for (const ir::Param &param : entry->function->params) {
        if (!param.buffer)
            continue;
        for (const ir::Expr &extent : param.buffer.shape()) {
            if (const ir::Var var = ir::Var::from(extent))
                names.insert(var.name());
        }
    }
    return names;
}

Result<SizedKernel> sizedPreset(const std::string &text, const KernelSizes &given)
{
    const auto written = catalog::parseInvocation(text);
    if (!written)
        return fail(written.error());
    catalog::Settings settings = written->values.all();
    for (const auto &[name, size] : given)
        settings.insert_or_assign(name, catalog::Value(size));
    const auto values = catalog::completeValues(*written->preset, settings);
    if (!values)
        return fail(values.error());
    auto module = catalog::makeModule(catalog::Invocation{written->preset, *values});
    if (!module)
        return fail(module.error());
    SizedKernel kernel{.module = std::move(*module), .sizes = {}};
    for (const auto &[name, value] : values->all()) {
        const auto *size = std::get_if<std::int64_t>(&value);
        kernel.text += std::format("{}{}={}", kernel.text.empty() ? "" : ",", name,
                                   size ? std::to_string(*size) : std::get<ir::DataType>(value).str());
        if (size)
            kernel.sizes[name] = *size;
    }
    kernel.text = std::format("op:{}({})", written->preset->name, kernel.text);
    for (const std::string &name : symbolicSizes(kernel.module))
        kernel.sizes[name] = usualSize;
    return kernel;
}

support::Diagnostic unknownSize(const std::string &name, const std::set<std::string> &known)
{
    const std::vector<std::string_view> names(known.begin(), known.end());
    if (known.empty())
        return diagnostic("open.unknown-size", "the sizes of this program are fixed")
            .withHint("give it as a TE script, as op:NAME(…), or as TVMScript with symbolic sizes");
    return diagnostic("open.unknown-size", std::format("the program has no size '{}'", name))
        .withHint(support::didYouMean(name, names));
}

Result<SizedKernel> sizedScript(const std::string &text, const std::string &fileName,
                                const KernelSizes &given)
{
    SizedKernel kernel;
    if (frontend::formOf(text).source == frontend::KernelSource::TeScript) {
        auto read = te::readTeScript(text, fileName, given);
        if (!read)
            return fail(read.error());
        kernel = {.module = std::move(read->script.module), .sizes = std::move(read->sizes)};
    } else {
        auto opened = frontend::openKernelText(text, fileName);
        if (!opened)
            return fail(opened.error());
        if (opened->kind == frontend::KernelSource::ScheduleScript)
            return fail(diagnostic("open.not-a-kernel", "'" + fileName + "' is a schedule script, no kernel")
                            .withHint("give the kernel that it is for"));
        kernel.module = std::move(opened->module);
    }
    for (const std::string &name : symbolicSizes(kernel.module))
        kernel.sizes.try_emplace(name, usualSize);
    std::set<std::string> known;
    for (const auto &[name, size] : kernel.sizes)
        known.insert(name);
    for (const auto &[name, size] : given) {
        if (!known.contains(name))
            return fail(unknownSize(name, known));
        kernel.sizes[name] = size;
    }
    kernel.text = script::print(kernel.module).text;
    return kernel;
}

} // namespace

Result<SizedKernel> openWithSizes(const std::string &text, const std::string &fileName,
                                  const KernelSizes &given)
{
    return support::withinMemory(fileName, [&] {
        return catalog::isInvocation(text) ? sizedPreset(text, given) : sizedScript(text, fileName, given);
    });
}

Result<KernelSizes> parseKernelSizes(std::string_view text)
{
    KernelSizes sizes;
    std::string_view left = text;
    while (!left.empty()) {
        std::string_view one = left.substr(0, left.find(','));
        left.remove_prefix(std::min(left.size(), one.size() + 1));
        const std::size_t begin = one.find_first_not_of(' ');
        one = begin == std::string_view::npos ? std::string_view() : one.substr(begin);
        while (one.ends_with(' '))
            one.remove_suffix(1);
        const std::size_t equals = one.find('=');
        const std::string_view digits =
            equals == std::string_view::npos ? std::string_view() : one.substr(equals + 1);
        std::int64_t size = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
        if (equals == 0 || error != std::errc() || end != digits.data() + digits.size() || size < 0)
            return fail(diagnostic("usage.sizes", std::format("'{}' gives no size", one))
                            .withHint("sizes are written M=256,N=256,K=64"));
        sizes[std::string(one.substr(0, equals))] = size;
    }
    return sizes;
}

std::string textOf(const KernelSizes &sizes)
{
    std::string text;
    for (const auto &[name, size] : sizes)
        text += std::format("{}{}={}", text.empty() ? "" : ", ", name, size);
    return text.empty() ? "as it is" : text;
}

} // namespace nestwright::session
