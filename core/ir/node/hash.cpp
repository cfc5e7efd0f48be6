// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/dispatch.h"
#include "core/ir/node/attributes.h"
#include "core/ir/node/equality.h"

#include <bit>
#include <string_view>

namespace nestwright::ir {

namespace {

/// Definitions are numbered in the order met, so that α-equivalent trees hash alike.
class Hasher {
public:
    explicit Hasher(bool numberFree) : m_numberFree(numberFree) {}

    std::size_t value() const { return m_hash; }

    void add(const Expr &e)
    {
        if (!e)
            return mix(0);
        mix(static_cast<std::size_t>(e.kind()) + 1);
        mix(e.dtype());
        if (e.as<VarNode>())
            return addUse(Var::from(e));
        dispatch(*e.get(), [&](const auto &node) { addFields(node); });
    }
    void add(const Stmt &s)
    {
        if (!s)
            return mix(0);
        mix(static_cast<std::size_t>(s.kind()) + 100);
        dispatch(*s.get(), [&](const auto &node) { addFields(node); });
    }
    void add(const Buffer &b)
    {
        const auto found = m_buffers.find(b);
        if (found != m_buffers.end())
            mix(found->second);
        else if (m_numberFree)
            define(b);
        else
            mix(std::hash<const void *>()(b.get()));
    }
    void add(const Attrs &attrs)
    {
        for (const auto &[key, value] : attrs) {
            if (key == globalSymbolKey)
                continue;
            add(key);
            add(value);
        }
    }
    void add(const AttrValue &attr)
    {
        if (const Expr *e = attr.asExpr())
            add(*e);
        else if (const Buffer *buffer = attr.asBuffer())
            add(*buffer);
        else if (const auto *list = attr.asList())
            add(*list);
        else
            add(*attr.asRecord());
    }
    template <class T> void add(const std::vector<T> &items)
    {
        mix(items.size());
        for (const T &item : items)
            add(item);
    }
    void add(const std::string &text) { mix(std::hash<std::string_view>()(text)); }
    void add(const Callee &callee) { add(callee.name()); }
    void add(double number) { mix(std::bit_cast<std::uint64_t>(number)); }
    void add(DataType type) { mix(type); }
    template <class T> void add(const T &item)
    {
        if constexpr (requires { T::fields(); })
            addFields(item);
        else
            mix(static_cast<std::size_t>(item));
    }

private:
    template <class N> void addFields(const N &node)
    {
        std::apply([&](auto... field) { (addField(node, field), ...); }, N::fields());
    }
    template <class N, class T> void addField(const N &node, T N::*field) { add(node.*field); }
    template <class N, class T> void addField(const N &, HintField<N, T>) {}
    template <class N, class T> void addField(const N &node, DefField<N, T> field)
    {
        const T &item = node.*field.member;
        if constexpr (requires { item.size(); }) {
            mix(item.size());
            for (const auto &each : item)
                define(each);
        } else {
            define(item);
        }
    }

    void define(const Var &var)
    {
        mix(var->dtype);
        m_vars[var] = m_next++;
    }
    void define(const Buffer &buffer)
    {
        if (!buffer)
            return mix(0);
        m_buffers[buffer] = m_next++;
        mix(buffer->dtype);
        add(buffer->scope);
        add(buffer->shape);
        add(buffer->strides);
        if (!m_vars.contains(buffer->data))
            define(buffer->data);
    }
    void addUse(const Var &var)
    {
        const auto found = m_vars.find(var);
        if (found != m_vars.end())
            mix(found->second);
        else if (m_numberFree)
            define(var);
        else
            mix(std::hash<const void *>()(var.get()));
    }

    void mix(DataType type)
    {
        mix((static_cast<std::size_t>(type.code) << 24) | (static_cast<std::size_t>(type.bits) << 16)
            | type.lanes);
    }
    void mix(std::size_t part) { m_hash = (m_hash ^ part) * 0x100000001b3ULL + (m_hash >> 29); }

    bool m_numberFree;
    std::size_t m_hash = 0xcbf29ce484222325ULL;
    std::size_t m_next = 1;
    VarMap<std::size_t> m_vars;
    BufferMap<std::size_t> m_buffers;
};

template <class T> std::size_t hashOf(const T &tree, bool numberFree)
{
    Hasher hasher(numberFree);
    hasher.add(tree);
    return hasher.value();
}

} // namespace

std::size_t structuralHash(const Expr &e) { return hashOf(e, false); }
std::size_t structuralHash(const Stmt &s) { return hashOf(s, false); }
std::size_t structuralHash(const Function &f) { return hashOf(*f, true); }

std::size_t structuralHash(const Module &module)
{
    // The name of an only function does not count, nor does the order of several.
    if (module.functions().size() == 1)
        return structuralHash(module.functions().front().function);
    std::size_t hash = module.functions().size();
    for (const Module::Entry &entry : module.functions())
        hash += (std::hash<std::string_view>()(entry.name) * 31 + 1) * structuralHash(entry.function);
    return hash;
}

} // namespace nestwright::ir
