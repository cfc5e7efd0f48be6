// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/rewriter.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/dispatch.h"
#include "core/support/errors/stop.h"

#include <optional>

namespace nestwright::ir {

namespace {

/// Maps the value of one field; each overload returns nothing when the value stays as it is.
class FieldMapper {
public:
    explicit FieldMapper(Rewriter &rewriter) : m_rewriter(rewriter) {}

    std::optional<Expr> map(const Expr &e)
    {
        if (!e)
            return std::nullopt;
        Expr result = m_rewriter.expr(e);
        return result.same(e) ? std::nullopt : std::optional(std::move(result));
    }

    std::optional<Stmt> map(const Stmt &s)
    {
        if (!s)
            return std::nullopt;
        Stmt result = m_rewriter.stmt(s);
        return result.same(s) ? std::nullopt : std::optional(std::move(result));
    }

    std::optional<Buffer> map(const Buffer &b)
    {
        if (!b)
            return std::nullopt;
        Buffer result = m_rewriter.buffer(b);
        return result == b ? std::nullopt : std::optional(std::move(result));
    }

    std::optional<Var> mapDefinition(const Var &v)
    {
        Var result = m_rewriter.definition(v);
        return result == v ? std::nullopt : std::optional(std::move(result));
    }

    std::optional<Attrs> map(const Attrs &attrs)
    {
        std::optional<Attrs> result;
        for (const auto &[key, value] : attrs) {
            if (auto changed = map(value)) {
                if (!result)
                    result = attrs;
                (*result)[key] = std::move(*changed);
            }
        }
        return result;
    }

    std::optional<AttrValue> map(const AttrValue &attr)
    {
        if (const Expr *e = attr.asExpr()) {
            auto changed = map(*e);
            return changed ? std::optional<AttrValue>(std::move(*changed)) : std::nullopt;
        }
        const auto mapped = [&](const auto &part) {
            auto changed = map(part);
            return changed ? std::optional<AttrValue>(std::move(*changed)) : std::nullopt;
        };
        if (const Buffer *buffer = attr.asBuffer())
            return mapped(*buffer);
        return attr.asList() ? mapped(*attr.asList()) : mapped(*attr.asRecord());
    }

    template <class T> std::optional<std::vector<T>> map(const std::vector<T> &items)
    {
        std::optional<std::vector<T>> result;
        for (std::size_t i = 0; i < items.size(); ++i) {
            auto changed = map(items[i]);
            if (!changed)
                continue;
            if (!result)
                result = items;
            (*result)[i] = std::move(*changed);
        }
        return result;
    }

    /// Range, IterVar, BufferRegion, MatchBuffer and whole nodes: anything that names its fields.
    template <class T>
        requires requires { T::fields(); }
    std::optional<T> map(const T &node)
    {
        std::optional<T> result;
        std::apply([&](auto... field) { (mapField(node, field, result), ...); }, T::fields());
        return result;
    }

    template <class T>
        requires(!requires { T::fields(); })
    std::optional<T> map(const T & /*scalar*/)
    {
        return std::nullopt;
    }

private:
    template <class N, class T> void mapField(const N &node, T N::*field, std::optional<N> &result)
    {
        if (auto changed = map(node.*field))
            set(node, field, result, std::move(*changed));
    }

    template <class N, class T> void mapField(const N &node, DefField<N, T> field, std::optional<N> &result)
    {
        if constexpr (std::is_same_v<T, Var>) {
            if (auto changed = mapDefinition(node.*field.member))
                set(node, field.member, result, std::move(*changed));
        } else {
            mapField(node, field.member, result);
        }
    }

    template <class N, class T> void mapField(const N &, HintField<N, T>, std::optional<N> &) {}

    template <class N, class T> static void set(const N &node, T N::*field, std::optional<N> &result, T value)
    {
        if (!result)
            result = node;
        (*result).*field = std::move(value);
    }

    Rewriter &m_rewriter;
};

/// Types follow from children in a few nodes.
template <class N> void refreshType(N &) {}
void refreshType(BufferLoad &load)
{
    int lanes = load.buffer.dtype().lanes;
    if (!load.indices.empty())
        lanes *= load.indices.back().dtype().lanes;
    load.dtype = load.buffer.dtype().withLanes(lanes);
}
void refreshType(Let &node) { node.dtype = node.body.dtype(); }

} // namespace

Expr Rewriter::children(const Expr &e)
{
    support::checkStop();
    return dispatch(*e.get(), [&](const auto &node) -> Expr {
        auto changed = FieldMapper(*this).map(node);
        if (!changed)
            return e;
        refreshType(*changed);
        return make(std::move(*changed));
    });
}

Stmt Rewriter::children(const Stmt &s)
{
    support::checkStop();
    return dispatch(*s.get(), [&](const auto &node) -> Stmt {
        auto changed = FieldMapper(*this).map(node);
        if (!changed)
            return s;
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(node)>, Seq>)
            return seq(std::move(changed->stmts));
        else
            return make(std::move(*changed));
    });
}

Function Rewriter::function(const Function &f)
{
    auto changed = FieldMapper(*this).map(*f);
    return changed ? std::make_shared<const PrimFunc>(std::move(*changed)) : f;
}

} // namespace nestwright::ir
