// SPDX-License-Identifier: Apache-2.0
#include "core/backend/table/backend_table.h"

#include "core/backend/codes.h"

#include <algorithm>

namespace nestwright::backend {

using support::Result;
using target::TargetKind;

const Backend *backendOf(TargetKind kind)
{
    return firstBackend([&](const Backend &each) { return each.kind == kind; });
}

Result<const Backend *> findBackend(TargetKind kind)
{
    if (const Backend *found = backendOf(kind))
        return found;
    target::Target target;
    target.kind = kind;
    return support::fail(support::diagnostic(codes::notBuilt, "this program was built without a backend for '"
                                                                  + target.str() + '\'')
                             .withHint("`nestc list targets` shows those it has"));
}

bool isBuilt(TargetKind kind) { return backendOf(kind) != nullptr; }

bool isBuilt(const SourceFormat &format) { return !format.target || isBuilt(*format.target); }

std::string toolVersion(TargetKind kind)
{
    const Backend *backend = backendOf(kind);
    return backend ? backend->version() : std::string();
}

Format artifactFormat(TargetKind kind)
{
    const Backend *backend = backendOf(kind);
    return backend && !backend->loaders.empty() ? backend->loaders.front().format : Format::Object;
}

bool tellsResources(TargetKind kind)
{
    const Backend *backend = backendOf(kind);
    return backend && backend->devices.resources;
}

bool tellsLoopCode(TargetKind kind)
{
    const Backend *backend = backendOf(kind);
    return backend && backend->loops;
}

std::optional<VectorUnit> vectorUnitOf(const target::Target &target)
{
    const Backend *backend = backendOf(target.kind);
    return backend && backend->vectors ? backend->vectors(target) : std::nullopt;
}

} // namespace nestwright::backend
