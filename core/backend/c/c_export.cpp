// SPDX-License-Identifier: Apache-2.0
#include "core/backend/c/c_export.h"

#include "core/backend/c/c_backend.h"
#include "core/backend/link/c_header.h"
#include "core/backend/link/compiled_files.h"
#include "core/backend/link/runtime.h"
#include "core/backend/processor_needs.h"
#include "core/ir/node/attributes.h"
#include "core/support/errors/errors.h"

#include <format>

namespace nestwright::backend {

using support::fail;
using support::Result;

namespace {

constexpr std::string_view guardedSuffix = "__unguarded";

/// The unit with the functions that those of guardSource call.
Unit withInnerNames(const Unit &unit)
{
    Unit inner = unit;
    std::vector<ir::Module::Entry> functions;
    for (const ir::Module::Entry &entry : unit.flat.functions()) {
        ir::PrimFunc function = *entry.function;
        function.attrs.insert_or_assign(std::string(ir::globalSymbolKey),
                                        ir::AttrValue(symbolOf(entry) + std::string(guardedSuffix)));
        functions.push_back({entry.name, std::make_shared<const ir::PrimFunc>(std::move(function))});
    }
    inner.flat = ir::Module(std::move(functions));
    return inner;
}

/// Functions of C that ask for the processor before they call those that were compiled for it.
std::string guardSource(const std::vector<Entry> &entries, const ProcessorNeeds &needs)
{
    std::string text = "#include <stdint.h>\n" + lackingSource(needs) + R"(
static int nw_may_run(void)
{
    static int known; /* 1: yes, -1: no */
    int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (answer == 0) {
        answer = nw_lacking() ? -1 : 1;
        __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
    }
    return answer > 0;
}
)";
    const auto add = [&](const std::string &name, const std::string &inner, const std::string &declared,
                         const std::string &passed) {
        text +=
            std::format("\nint32_t {1}({2});\nint32_t {0}({2});\nint32_t {0}({2}) {{ return nw_may_run() ? "
                        "{1}({3}) : {4}; }}\n",
                        name, inner, declared, passed, static_cast<int>(KernelCode::ProcessorLacks));
    };
    for (const Entry &entry : entries) {
        const auto [declared, passed] = cParametersOf(entry);
        const std::string inner = entry.symbol + std::string(guardedSuffix);
        add(entry.symbol, inner, declared, passed);
        add(entry.symbol + "__packed", inner + "__packed", "void **args", "args");
    }
    return text;
}

/// The object `code` with the question for the processor before its functions.
Result<std::string> withGuard(std::string code, const std::vector<Entry> &entries,
                              const ProcessorNeeds &needs, const std::stop_token &stop)
{
    auto guard = compiledFiles({{"guard.c", guardSource(entries, needs)}}, {"-std=c11", "-O2", "-fPIC", "-c"},
                               "guard.o", stop);
    return guard ? compiledFiles({{"code.o", std::move(code)}, {"asks.o", std::move(*guard)}},
                                 {"-r", "-nostdlib"}, "guarded.o", stop)
                 : std::move(guard);
}

} // namespace

Result<Artifact> cExportedObject(const Unit &unit, const target::Target &target, Asks asks,
                                 const std::string &fileName, std::stop_token stop)
try {
    const auto needs = needsOf(target);
    if (!needs)
        return fail(needs.error());
    const bool isAsking = asks == Asks::Functions && !needs->extensions.empty();
    const auto text = cSource(isAsking ? withInnerNames(unit) : unit, target, SourceKind::C, stop);
    if (!text)
        return fail(text.error());
    std::vector<std::string> options = processorOptions(target);
    options.insert(options.end(), {"-std=c11", "-O3", "-fPIC", "-c"});
    auto code = compiledFiles({{fileName, text->text}}, options, "code.o", stop);
    Artifact artifact;
    artifact.entries = unit.entries();
    if (code && isAsking)
        code = withGuard(std::move(*code), artifact.entries, *needs, stop);
    if (!code)
        return fail(code.error());
    artifact.bytes = std::move(*code);
    artifact.target = target.str();
    return artifact;
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
}

} // namespace nestwright::backend
