// SPDX-License-Identifier: Apache-2.0
#include "core/ir/runnable.h"

#include "core/ir/build/custom_intrinsics.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"

namespace nestwright::ir {

namespace {

class Finder : public Visitor {
public:
    std::optional<std::string> found;

    void stmt(const Stmt &s) override
    {
        const auto *memory = s.as<Allocate>();
        if (memory && !memory->values.empty())
            found = "the constant memory '" + memory->data.name() + '\'';
        if (memory)
            type(memory->dtype);
        const auto *attr = s.as<AttrStmt>();
        if (attr && attr->key == realizeScopeKey && !isOfParameter(*attr))
            found = "T.realize";
        if (!found && attr)
            return stmt(attr->body); // the subject of the attribute is no value
        if (!found)
            children(s);
    }
    void expr(const Expr &e) override
    {
        type(e.dtype());
        const auto *call = e.as<Call>();
        if (call && call->callee.isOther(functionCall) && !call->args.empty())
            found = "a call of the function '" + call->args.front().as<StringImm>()->value + '\'';
        else if (call && !call->callee.intrinsic())
            found = "the intrinsic '" + call->callee.name() + '\'';
        if (!found)
            children(e);
    }
    void buffer(const Buffer &b) override
    {
        if (!found && b.dtype().isHandle())
            found = "the buffer '" + b.name() + "' of pointers";
        type(b.dtype());
    }

    VarSet parameters; ///< memory of the caller's

private:
    /// Realizing a part of what the caller gives takes no memory.
    bool isOfParameter(const AttrStmt &attr) const
    {
        const auto *region = attr.node ? attr.node.as<Call>() : nullptr;
        if (!region)
            return true;
        bool isKnown = false;
        forEachExpr(attr.node, [&](const Expr &e) {
            const auto *load = e.as<BufferLoad>();
            isKnown = isKnown || (load && parameters.contains(load->buffer->data));
            return !isKnown;
        });
        return isKnown;
    }

    void type(DataType dtype)
    {
        if (!found && (dtype.isNarrow() || dtype.isScalable()))
            found = "the type " + dtype.str();
    }
};

} // namespace

std::optional<std::string> notRunnable(const PrimFunc &function)
{
    Finder finder;
    for (const Param &param : function.params) {
        if (param.buffer) {
            finder.parameters.insert(param.buffer->data);
            finder.buffer(param.buffer);
        }
        finder.expr(param.var);
    }
    finder.stmt(function.body);
    return std::move(finder.found);
}

} // namespace nestwright::ir
