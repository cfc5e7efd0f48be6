// SPDX-License-Identifier: Apache-2.0
#include "core/ir/attributes.h"

namespace nestwright::ir {

const AttrValue *attribute(const Attrs &attrs, std::string_view key)
{
    const auto found = attrs.find(std::string(key));
    return found == attrs.end() ? nullptr : &found->second;
}

const std::string *globalSymbol(const PrimFunc &function)
{
    const AttrValue *name = attribute(function.attrs, globalSymbolKey);
    return name ? name->asString() : nullptr;
}

bool isNoAlias(const PrimFunc &function)
{
    const AttrValue *promise = attribute(function.attrs, noAliasKey);
    const std::int64_t *flag = promise ? promise->asInt() : nullptr;
    return !flag || *flag != 0;
}

Var launchedThread(const AttrStmt &node)
{
    return node.key == threadExtentKey ? Var::from(node.node) : Var();
}

} // namespace nestwright::ir
