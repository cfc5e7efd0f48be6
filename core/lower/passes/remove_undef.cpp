// SPDX-License-Identifier: Apache-2.0
#include "core/ir/undefined.h"
#include "core/lower/passes/declarations.h"

#include <memory>

namespace nestwright::lower {

ir::Module removeUndef(const ir::Module &module, const target::Context &)
{
    ir::Module result = module;
    for (const ir::Module::Entry &entry : module.functions()) {
        ir::Stmt body = ir::withoutUndefined(entry.function->body);
        if (body.same(entry.function->body))
            continue;
        ir::PrimFunc changed = *entry.function;
        changed.body = std::move(body);
        result = result.with(entry.name, std::make_shared<const ir::PrimFunc>(std::move(changed)));
    }
    return result;
}

} // namespace nestwright::lower
