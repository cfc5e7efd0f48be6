// SPDX-License-Identifier: Apache-2.0
// The row of C in the table of backends.
#include "core/backend/c/c_backend.h"
#include "core/backend/c/c_directives.h"
#include "core/backend/c/c_export.h"
#include "core/backend/c/c_loader.h"
#include "core/backend/table/backend_table.h"

#include <array>

namespace nestwright::backend {

const Backend &cRow()
{
    static constexpr std::array loaders{Loader{Format::SharedObject, loadSharedObject}};
    static constexpr std::array edited{SourceKind::C};
    static constexpr Backend row{
        .kind = target::TargetKind::C,
        .source = cSource,
        .compile = cCompile,
        .version = cVersion,
        .loaders = loaders,
        .exports = {.object = cExportedObject},
        .edited = {.kinds = edited, .check = cCheckText, .compile = cCompileText},
    };
    return row;
}

} // namespace nestwright::backend
