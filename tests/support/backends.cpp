// SPDX-License-Identifier: Apache-2.0
#include "tests/support/backends.h"

#include "core/backend/backend.h"
#include "core/backend/link/loaded_kernel.h"
#include "tests/support/extremes.h"

#include <QtTest>

#include <format>

namespace nestwright::tests {

namespace {

std::vector<ir::NdArray *> pointers(std::vector<ir::NdArray> &arrays)
{
    std::vector<ir::NdArray *> result;
    for (ir::NdArray &array : arrays)
        result.push_back(&array);
    return result;
}

std::vector<std::int64_t> scalarsOf(const ir::PrimFunc &function)
{
    std::vector<std::int64_t> scalars;
    for (const ir::Param &param : function.params) {
        if (!param.buffer)
            scalars.push_back(param.var.dtype().isFloating() ? std::bit_cast<std::int64_t>(1.5) : 3);
    }
    return scalars;
}

} // namespace

std::optional<std::string> whyNotCompiledRight(const ir::PrimFunc &reference, const ir::Module &scheduled,
                                               std::string_view target, const Equivalence &options)
{
    const target::Target wanted = *target::parseTarget(target);
    const auto artifact = wanted.kind == target::TargetKind::Cuda
                              ? backend::compileEmulated(scheduled, wanted)
                              : backend::compile(scheduled, wanted);
    if (!artifact)
        return artifact.error().render();
    return whyNotRight(reference, *artifact, options);
}

std::optional<std::string> whyNotRight(const ir::PrimFunc &reference, const backend::Artifact &artifact,
                                       const Equivalence &options)
{
    const auto kernel = backend::load(artifact);
    return kernel ? whyNotRight(reference, **kernel, artifact.mainEntry()->name, options)
                  : std::optional(kernel.error().render());
}

std::optional<std::string> whyNotRight(const ir::PrimFunc &reference, const backend::LoadedKernel &kernel,
                                       const std::string &entry, const Equivalence &options)
{
    for (int run = 0; run < options.runs; ++run) {
        auto arrays =
            interp::makeArguments(reference, options.seed + static_cast<std::uint64_t>(run), options.sizes);
        if (!arrays)
            return arrays.error().render();
        if (options.extremes)
            addExtremes(*arrays, options.seed + static_cast<std::uint64_t>(run));
        std::vector<ir::NdArray> expected = *arrays;
        const std::vector<std::int64_t> scalars = scalarsOf(reference);
        if (const auto ran = interp::run(reference, pointers(expected), scalars); !ran)
            return "the interpreter: " + ran.error().render();
        const auto called = backend::call(kernel, entry, pointers(*arrays), scalars);
        if (!called)
            return called.error().render();
        for (std::size_t i = 0; i < arrays->size(); ++i) {
            if (const auto why =
                    whyNotClose(expected[i], (*arrays)[i], options.exactFloats, termsOf(reference)))
                return std::format("argument {}: {}", i, *why);
        }
    }
    return std::nullopt;
}

bool checkBackends(const ir::Module &reference, const ir::Module &scheduled, const Equivalence &options,
                   std::source_location where)
{
    for (const std::string_view target : {"llvm", "c", "opencl", "cuda"}) {
        if (target == "opencl" && qEnvironmentVariable("NESTWRIGHT_TEST_OPENCL") == "0")
            continue;
        if (target == "cuda" && qEnvironmentVariable("NESTWRIGHT_TEST_CUDA") != "1")
            continue;
        if (!backend::isBuilt(target::parseTarget(target)->kind)) {
            qInfo("this build has no target %s", std::string(target).c_str());
            continue;
        }
        if (const auto why =
                whyNotCompiledRight(*reference.mainEntry()->function, scheduled, target, options)) {
            const std::string text = std::string(target) + ": " + *why;
            QTest::qFail(text.c_str(), where.file_name(), static_cast<int>(where.line()));
            return false;
        }
    }
    return true;
}

bool checkBackends(const ir::Module &module, const Equivalence &options, std::source_location where)
{
    return checkBackends(module, module, options, where);
}

} // namespace nestwright::tests
