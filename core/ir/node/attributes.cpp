// SPDX-License-Identifier: Apache-2.0
#include "core/ir/node/attributes.h"

#include "core/support/errors/errors.h"

namespace nestwright::ir {

const AttrValue *attribute(const Attrs &attrs, std::string_view key)
{
    const auto found = attrs.find(std::string(key));
    return found == attrs.end() ? nullptr : &found->second;
}

std::int64_t numberAt(const Attrs &attrs, std::string_view key)
{
    const AttrValue *value = attribute(attrs, key);
    return value && value->asInt() ? *value->asInt() : 0;
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

std::optional<bool> asFlag(const AttrValue &value)
{
    const std::int64_t *number = value.asInt();
    return number && (*number == 0 || *number == 1) ? std::optional(*number == 1) : std::nullopt;
}

bool allowsFastMath(const PrimFunc &function)
{
    const Block *root = function.root();
    const AttrValue *said = root ? attribute(root->annotations, fastMathKey) : nullptr;
    if (!said)
        said = attribute(function.attrs, fastMathKey);
    if (!said)
        return false;
    const std::optional<bool> flag = asFlag(*said);
    if (!flag) {
        auto problem = support::diagnostic("ir.annotation", "the annotation \"fast_math\" is neither 0 nor 1")
                           .withHint("1 allows arithmetic as that of real numbers, 0 forbids it");
        throw support::UserError(root ? std::move(problem).at(root->id) : std::move(problem));
    }
    return *flag;
}

Var launchedThread(const AttrStmt &node)
{
    return node.key == threadExtentKey ? Var::from(node.node) : Var();
}

} // namespace nestwright::ir
