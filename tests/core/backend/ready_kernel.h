// SPDX-License-Identifier: Apache-2.0
/// Programs compiled, loaded and called on the processor's targets.
#pragma once

#include "core/backend/backend.h"
#include "core/backend/link/loaded_kernel.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <memory>
#include <string>
#include <vector>

namespace nestwright::tests {

/// Rows of the targets that are built.
inline void eachTarget()
{
    QTest::addColumn<QString>("target");
    for (const char *target : {"llvm", "c"}) {
        if (backend::isBuilt(target::parseTarget(target)->kind))
            QTest::newRow(target) << target;
    }
}

struct Ready {
    std::unique_ptr<backend::LoadedKernel> kernel;
    backend::Artifact artifact;
};

inline Ready ready(std::string_view text, const QString &target)
{
    auto artifact = backend::compile(parsed(text), *target::parseTarget(target.toStdString()));
    if (!artifact)
        qFatal("%s", artifact.error().render().c_str());
    auto kernel = backend::load(*artifact);
    if (!kernel)
        qFatal("%s", kernel.error().render().c_str());
    return {std::move(*kernel), std::move(*artifact)};
}

/// Why the call failed; empty where it did not.
inline std::string call(const Ready &ready, std::vector<ir::NdArray> &arrays,
                        std::vector<std::int64_t> scalars = {})
{
    std::vector<ir::NdArray *> pointers;
    for (ir::NdArray &array : arrays)
        pointers.push_back(&array);
    const auto called = backend::call(*ready.kernel, "main", pointers, scalars);
    return called ? "" : called.error().message;
}

} // namespace nestwright::tests
