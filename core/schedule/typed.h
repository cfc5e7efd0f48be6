// SPDX-License-Identifier: Apache-2.0
/// Describing a primitive's arguments once, as members of a struct with their defaults.
#pragma once

#include "core/schedule/edit.h"
#include "core/schedule/expansion.h"
#include "core/schedule/primitive.h"

#include <optional>
#include <type_traits>

namespace nestwright::schedule {

// Member types that give the kind of an id or a number.
struct LoopId {
    StmtId id;
};
struct BlockId {
    StmtId id;
};
struct BlockOrLoopId {
    StmtId id;
};
/// A loop, or blocks where `loop` is none.
struct LoopOrBlocks {
    StmtId loop;
    std::vector<StmtId> blocks;
};
/// Position in a block's reads or writes.
struct BufferIndex {
    std::int64_t index = 0;
};
/// The extent of a loop to make; null where it is to be worked out.
struct Factor {
    ir::Expr extent;
};
struct BufferRef {
    BufferSide side = BufferSide::Read;
    std::int64_t index = 0;
};

/// How a member type appears as an ArgValue.
template <class T> struct ArgType;

template <class T, FieldKind Kind> struct IdArgType {
    static constexpr FieldKind kind = Kind;
    static T from(const ArgValue &v) { return T{*v.as<StmtId>()}; }
    static ArgValue to(const T &v) { return v.id; }
};
template <> struct ArgType<LoopId> : IdArgType<LoopId, FieldKind::Loop> {};
template <> struct ArgType<BlockId> : IdArgType<BlockId, FieldKind::Block> {};
template <> struct ArgType<BlockOrLoopId> : IdArgType<BlockOrLoopId, FieldKind::BlockOrLoop> {};

template <> struct ArgType<LoopOrBlocks> {
    static constexpr FieldKind kind = FieldKind::BlockOrLoop;
    static LoopOrBlocks from(const ArgValue &v)
    {
        LoopOrBlocks target;
        if (const StmtId *loop = v.as<StmtId>())
            target.loop = *loop;
        else {
            for (const ArgValue &block : *v.as<ArgList>())
                target.blocks.push_back(*block.as<StmtId>());
        }
        return target;
    }
    static ArgValue to(const LoopOrBlocks &v)
    {
        return v.loop ? ArgValue(v.loop) : ArgValue(ArgList(v.blocks.begin(), v.blocks.end()));
    }
};

template <class T, FieldKind Kind> struct PlainArgType {
    static constexpr FieldKind kind = Kind;
    static T from(const ArgValue &v) { return *v.as<T>(); }
    static ArgValue to(const T &v) { return v; }
};
template <> struct ArgType<bool> : PlainArgType<bool, FieldKind::Bool> {};
template <> struct ArgType<std::int64_t> : PlainArgType<std::int64_t, FieldKind::Int> {};
template <> struct ArgType<std::string> : PlainArgType<std::string, FieldKind::String> {};
template <> struct ArgType<IndexMap> {
    static constexpr FieldKind kind = FieldKind::IndexMap;
    static IndexMap from(const ArgValue &v) { return v.as<IndexMap>()->withValues(); }
    static ArgValue to(const IndexMap &v) { return v; }
};

template <> struct ArgType<ArgValue> {
    static constexpr FieldKind kind = FieldKind::AnnotationValue;
    static ArgValue from(const ArgValue &v) { return v; }
    static ArgValue to(const ArgValue &v) { return v; }
};
template <> struct ArgType<BufferIndex> {
    static constexpr FieldKind kind = FieldKind::BufferIndex;
    static BufferIndex from(const ArgValue &v) { return {*v.as<std::int64_t>()}; }
    static ArgValue to(const BufferIndex &v) { return v.index; }
};
template <> struct ArgType<Factor> {
    static constexpr FieldKind kind = FieldKind::OptionalInts;
    static Factor from(const ArgValue &v)
    {
        if (const auto *number = v.as<std::int64_t>())
            return {ir::Expr(*number)};
        return v.isNone() ? Factor() : Factor{v.as<Formula>()->value};
    }
    static ArgValue to(const Factor &v) { return v.extent ? ArgValue(Formula{v.extent}) : ArgValue(); }
};
template <> struct ArgType<BufferRef> {
    static constexpr FieldKind kind = FieldKind::BufferRef;
    static BufferRef from(const ArgValue &v)
    {
        const ArgList &pair = *v.as<ArgList>();
        return {*pair[0].as<std::string>() == "read" ? BufferSide::Read : BufferSide::Write,
                *pair[1].as<std::int64_t>()};
    }
    static ArgValue to(const BufferRef &v)
    {
        return ArgList{v.side == BufferSide::Read ? "read" : "write", v.index};
    }
};

template <class T> struct ArgType<std::optional<T>> {
    static constexpr FieldKind kind = ArgType<T>::kind;
    static std::optional<T> from(const ArgValue &v)
    {
        return v.isNone() ? std::nullopt : std::optional<T>(ArgType<T>::from(v));
    }
    static ArgValue to(const std::optional<T> &v) { return v ? ArgType<T>::to(*v) : ArgValue(); }
};

template <class T> constexpr FieldKind listKind()
{
    if constexpr (std::is_same_v<T, LoopId>)
        return FieldKind::Loops;
    else if constexpr (std::is_same_v<T, BlockId>)
        return FieldKind::Blocks;
    else if constexpr (std::is_same_v<T, std::optional<std::int64_t>> || std::is_same_v<T, Factor>)
        return FieldKind::OptionalInts;
    else
        return FieldKind::Ints;
}
template <class T> struct ArgType<std::vector<T>> {
    static constexpr FieldKind kind = listKind<T>();
    static std::vector<T> from(const ArgValue &v)
    {
        std::vector<T> items;
        for (const ArgValue &item : *v.as<ArgList>())
            items.push_back(ArgType<T>::from(item));
        return items;
    }
    static ArgValue to(const std::vector<T> &items)
    {
        ArgList list;
        for (const T &item : items)
            list.push_back(ArgType<T>::to(item));
        return list;
    }
};

/// A field and how it is put into the struct A.
template <class A> struct TypedField {
    Field field;
    void (*set)(A &, const ArgValue &);

    TypedField attribute() &&
    {
        field.tracePart = TracePart::Attributes;
        return std::move(*this);
    }
    /// Made by a sampling step; scripts leave it out when it is None.
    TypedField decision() &&
    {
        field.tracePart = TracePart::Decisions;
        field.omittedWhenEmpty = true;
        return std::move(*this);
    }
    TypedField form(FieldForm value) &&
    {
        field.form = value;
        return std::move(*this);
    }
    TypedField positional() &&
    {
        field.positional = true;
        return std::move(*this);
    }
    TypedField omittedWhenEmpty() &&
    {
        field.omittedWhenEmpty = true;
        return std::move(*this);
    }
    TypedField alwaysInLabels() &&
    {
        field.alwaysInLabels = true;
        return std::move(*this);
    }
    TypedField partOf(std::string_view loop) &&
    {
        field.partOf = loop;
        return std::move(*this);
    }
    TypedField of(BufferSide side) &&
    {
        field.side = side;
        return std::move(*this);
    }
    /// The only values there are.
    TypedField oneOf(std::vector<std::string_view> choices) &&
    {
        field.kind = FieldKind::Choice;
        field.choices = std::move(choices);
        return std::move(*this);
    }
    /// Values to offer; others may be given.
    TypedField suggesting(std::vector<std::string_view> choices) &&
    {
        field.choices = std::move(choices);
        return std::move(*this);
    }
};

template <class A, class T> A classOf(T A::*);
template <class A, class T> T typeOf(T A::*);

/// A field that must be given.
template <auto member, class A = decltype(classOf(member))>
TypedField<A> required(std::string_view name, std::string_view label, std::string_view help)
{
    using Type = ArgType<decltype(typeOf(member))>;
    return {{.name = name, .label = label, .help = help, .kind = Type::kind, .fallback = {}},
            [](A &args, const ArgValue &value) { args.*member = Type::from(value); }};
}

/// A field whose default is the initial value of the struct's member.
template <auto member, class A = decltype(classOf(member))>
TypedField<A> optional(std::string_view name, std::string_view label, std::string_view help)
{
    TypedField<A> field = required<member>(name, label, help);
    field.field.fallback = ArgType<decltype(typeOf(member))>::to(A{}.*member);
    return field;
}

/// `info` with its fields and with `run` working on the struct A.
template <class A>
Primitive define(Primitive info, std::vector<TypedField<A>> fields, ArgList (*run)(Edit &, const A &))
{
    for (const TypedField<A> &field : fields)
        info.fields.push_back(field.field);
    info.run = [fields = std::move(fields), run](Edit &edit, const Args &values) {
        A args;
        for (std::size_t i = 0; i < fields.size(); ++i)
            fields[i].set(args, values[i]);
        return run(edit, args);
    };
    return info;
}

/// `info` of a primitive that stands for several steps.
template <class A>
Primitive defineComposite(Primitive info, std::vector<TypedField<A>> fields,
                          ArgList (*expand)(Expansion &, const A &))
{
    for (const TypedField<A> &field : fields)
        info.fields.push_back(field.field);
    info.expand = [fields = std::move(fields), expand](Expansion &steps, const Args &values) {
        A args;
        for (std::size_t i = 0; i < fields.size(); ++i)
            fields[i].set(args, values[i]);
        return expand(steps, args);
    };
    return info;
}

} // namespace nestwright::schedule
