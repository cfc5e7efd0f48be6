// SPDX-License-Identifier: Apache-2.0
#include "core/ir/node/equality.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/dispatch.h"
#include "core/ir/node/attributes.h"

#include <bit>
#include <ranges>

namespace nestwright::ir {

namespace {

/// Names of fields are not known to the node tables; the path names the statement instead.
template <class T> std::string_view nodeName()
{
    if constexpr (std::is_same_v<T, For>)
        return "loop";
    else if constexpr (std::is_same_v<T, Block>)
        return "block";
    else if constexpr (std::is_same_v<T, BufferStore>)
        return "store";
    else if constexpr (std::is_same_v<T, BufferLoad>)
        return "load";
    else if constexpr (std::is_same_v<T, BufferRegion>)
        return "region";
    else if constexpr (std::is_same_v<T, IterVar>)
        return "iter";
    else if constexpr (std::is_same_v<T, Seq>)
        return "seq";
    else if constexpr (std::is_same_v<T, IfThenElse>)
        return "if";
    else
        return "";
}

class Comparer {
public:
    explicit Comparer(bool matchFree) : m_matchFree(matchFree) {}

    bool equal(const Expr &a, const Expr &b)
    {
        if (a.same(b) && (!a || isPlainConstant(a)))
            return true;
        if (!a || !b)
            return differ("present on one side only");
        if (a.kind() != b.kind() || a.dtype() != b.dtype())
            return differ("expressions differ in kind or type (" + a.dtype().str() + ", " + b.dtype().str()
                          + ")");
        if (a.as<VarNode>())
            return equalUse(Var::from(a), Var::from(b));
        return dispatch(*a.get(), [&](const auto &node) {
            using Node = std::remove_cvref_t<decltype(node)>;
            return equalFields(node, static_cast<const Node &>(*b.get()));
        });
    }

    bool equal(const Stmt &a, const Stmt &b)
    {
        if (!a || !b)
            return !a && !b ? true : differ("a statement is present on one side only");
        if (a.kind() != b.kind())
            return differ("statements of different kinds");
        return dispatch(*a.get(), [&](const auto &node) {
            using Node = std::remove_cvref_t<decltype(node)>;
            return equalFields(node, static_cast<const Node &>(*b.get()));
        });
    }

    bool equal(const Buffer &a, const Buffer &b)
    {
        const auto found = m_buffers.find(a);
        if (found != m_buffers.end())
            return found->second == b ? true : differ("buffer '" + a.name() + "' is not '" + b.name() + '\'');
        if (m_buffersBack.contains(b))
            return differ("buffer '" + b.name() + "' stands for two buffers");
        if (a == b)
            return bind(a, b);
        return m_matchFree && equalDefinition(a, b) ? true : differ("buffers differ");
    }

    bool equal(const Attrs &a, const Attrs &b)
    {
        auto ia = a.begin(), ib = b.begin();
        const auto skip = [](auto &it, const Attrs &attrs) {
            while (it != attrs.end() && it->first == globalSymbolKey)
                ++it;
        };
        for (skip(ia, a), skip(ib, b); ia != a.end() && ib != b.end(); skip(++ia, a), skip(++ib, b)) {
            if (ia->first != ib->first)
                return differ("annotation \"" + ia->first + "\" against \"" + ib->first + '"');
            if (!equal(ia->second, ib->second))
                return within("annotation \"" + ia->first + '"');
        }
        return ia == a.end() && ib == b.end() ? true : differ("an annotation is present on one side only");
    }

    bool equal(const AttrValue &a, const AttrValue &b)
    {
        if (a.value.index() != b.value.index())
            return differ("attribute values of different kinds");
        if (a.asExpr())
            return equal(*a.asExpr(), *b.asExpr());
        if (a.asBuffer())
            return equal(*a.asBuffer(), *b.asBuffer());
        return a.asList() ? equal(*a.asList(), *b.asList()) : equal(*a.asRecord(), *b.asRecord());
    }

    template <class T> bool equal(const std::vector<T> &a, const std::vector<T> &b)
    {
        if (a.size() != b.size())
            return differ(std::to_string(a.size()) + " items against " + std::to_string(b.size()));
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (!equal(a[i], b[i]))
                return within('[' + std::to_string(i) + ']');
        }
        return true;
    }

    bool equal(double a, double b)
    {
        return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b)
                   ? true
                   : differ("constants differ");
    }
    bool equal(std::int64_t a, std::int64_t b)
    {
        return a == b ? true : differ(std::to_string(a) + " against " + std::to_string(b));
    }
    bool equal(const std::string &a, const std::string &b)
    {
        return a == b ? true : differ('"' + a + "\" against \"" + b + '"');
    }
    bool equal(const Callee &a, const Callee &b) { return a == b || equal(a.name(), b.name()); }

    template <class T> bool equal(const T &a, const T &b)
    {
        if constexpr (requires { T::fields(); })
            return equalFields(a, b);
        else
            return a == b ? true : differ("values differ");
    }

    std::string path() const
    {
        std::string text;
        for (const std::string &part : std::views::reverse(m_path)) {
            if (!text.empty() && !part.starts_with('['))
                text += '.';
            text += part;
        }
        return text.empty() ? m_what : text + ": " + m_what;
    }

private:
    static bool isPlainConstant(const Expr &e)
    {
        return e.as<IntImm>() || e.as<FloatImm>() || e.as<StringImm>();
    }

    template <class N> bool equalFields(const N &a, const N &b)
    {
        const bool same =
            std::apply([&](auto... field) { return (equalField(a, b, field) && ...); }, N::fields());
        if (same)
            return true;
        std::string label(nodeName<N>());
        if constexpr (std::is_same_v<N, For>)
            label += " '" + a.var.name() + '\'';
        else if constexpr (std::is_same_v<N, Block>)
            label += " '" + a.name + '\'';
        return label.empty() ? false : within(std::move(label));
    }

    template <class N, class T> bool equalField(const N &a, const N &b, T N::*field)
    {
        return equal(a.*field, b.*field);
    }
    template <class N, class T> bool equalField(const N &, const N &, HintField<N, T>) { return true; }
    template <class N, class T> bool equalField(const N &a, const N &b, DefField<N, T> field)
    {
        const T &x = a.*field.member;
        const T &y = b.*field.member;
        if constexpr (requires { x.size(); }) {
            if (x.size() != y.size())
                return differ("different numbers of allocated buffers");
            for (std::size_t i = 0; i < x.size(); ++i) {
                if (!equalDefinition(x[i], y[i]))
                    return false;
            }
            return true;
        } else {
            return equalDefinition(x, y);
        }
    }

    bool equalDefinition(const Var &a, const Var &b)
    {
        if (a->dtype != b->dtype)
            return differ("variable '" + a.name() + "' is " + a->dtype.str() + " against " + b->dtype.str());
        if (a->pointee != b->pointee)
            return differ("what '" + a.name() + "' and '" + b.name() + "' point to");
        return bind(a, b);
    }

    /// Binds `a` and `b` to each other; what they were bound to before is forgotten.
    bool bind(const Var &a, const Var &b) { return bind(m_vars, m_varsBack, a, b); }
    bool bind(const Buffer &a, const Buffer &b) { return bind(m_buffers, m_buffersBack, a, b); }
    template <class Map> static bool bind(Map &forward, Map &back, const auto &a, const auto &b)
    {
        if (const auto known = forward.find(a); known != forward.end())
            back.erase(known->second);
        if (const auto known = back.find(b); known != back.end())
            forward.erase(known->second);
        forward[a] = b;
        back[b] = a;
        return true;
    }

    bool equalDefinition(const Buffer &a, const Buffer &b)
    {
        if (!a || !b)
            return !a && !b ? true : differ("a buffer is present on one side only");
        // Buffers may share their pointer with others, on both sides or on neither.
        const auto known = m_vars.find(a->data);
        const bool sameData = known != m_vars.end()          ? known->second == b->data
                              : m_varsBack.contains(b->data) ? false
                                                             : equalDefinition(a->data, b->data);
        const bool same = sameData && a->dtype == b->dtype && a->scope == b->scope
                          && a->alignment == b->alignment && a->offsetFactor == b->offsetFactor
                          && a->axisSeparators == b->axisSeparators && equal(a->shape, b->shape)
                          && equal(a->strides, b->strides) && equal(offsetOf(a), offsetOf(b));
        if (!same) {
            differ("type, scope, alignment, offset or pointer differ");
            return within("buffer '" + a.name() + '\'');
        }
        return bind(a, b);
    }

    /// No offset is a 0 of the type that the indices have.
    static Expr offsetOf(const Buffer &buffer)
    {
        return buffer->elemOffset ? buffer->elemOffset : intImm(0, buffer.indexType());
    }

    bool equalUse(const Var &a, const Var &b)
    {
        const auto found = m_vars.find(a);
        if (found != m_vars.end())
            return found->second == b ? true
                                      : differ("variable '" + a.name() + "' against '" + b.name() + '\'');
        if (m_varsBack.contains(b))
            return differ("variable '" + a.name() + "' against '" + b.name() + '\'');
        if (a == b)
            return bind(a, b);
        return m_matchFree ? equalDefinition(a, b)
                           : differ("variable '" + a.name() + "' against '" + b.name() + '\'');
    }

    bool differ(std::string what)
    {
        if (m_what.empty())
            m_what = std::move(what);
        return false;
    }
    bool within(std::string part)
    {
        m_path.push_back(std::move(part));
        return false;
    }

    bool m_matchFree;
    VarMap<Var> m_vars, m_varsBack;
    BufferMap<Buffer> m_buffers, m_buffersBack;
    std::vector<std::string> m_path; ///< innermost first
    std::string m_what;
};

} // namespace

bool structurallyEqual(const Expr &a, const Expr &b) { return Comparer(false).equal(a, b); }
bool structurallyEqual(const Stmt &a, const Stmt &b) { return Comparer(false).equal(a, b); }
bool structurallyEqual(const AttrValue &a, const AttrValue &b) { return Comparer(false).equal(a, b); }
bool structurallyEqual(const Function &a, const Function &b) { return Comparer(true).equal(*a, *b); }
bool structurallyEqual(const Module &a, const Module &b) { return a.same(b) || !firstDifference(a, b); }

std::optional<std::string> firstDifference(const Module &a, const Module &b)
{
    if (a.functions().size() != b.functions().size())
        return std::to_string(a.functions().size()) + " functions against "
               + std::to_string(b.functions().size());
    for (const Module::Entry &entry : a.functions()) {
        Function other = a.functions().size() == 1 ? b.functions().front().function : b.find(entry.name);
        if (!other)
            return "function '" + entry.name + "' is missing on the right";
        Comparer comparer(true);
        if (!comparer.equal(*entry.function, *other))
            return entry.name + ": " + comparer.path();
    }
    Comparer comparer(true);
    return comparer.equal(a.attrs(), b.attrs()) ? std::nullopt
                                                : std::optional("module attributes: " + comparer.path());
}

} // namespace nestwright::ir
