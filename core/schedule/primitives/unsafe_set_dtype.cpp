// SPDX-License-Identifier: Apache-2.0
/// unsafe_set_dtype: a buffer holds its values in another type.
#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/walk.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/rules/storage_scope.h"
#include "core/schedule/tree.h"
#include "core/schedule/typed.h"

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct SetDtypeArgs {
    BlockId block;
    BufferIndex buffer;
    std::string dtype;
};

ir::Buffer withType(const ir::Buffer &buffer, ir::DataType type)
{
    ir::BufferNode node = *buffer.get();
    node.data = ir::Var(node.name, ir::DataType::handle());
    node.dtype = type;
    return ir::Buffer(std::move(node));
}

/// The buffer, and buffers matched with parts of it, in the other type: stores convert to it, loads convert
/// back.
class TypeChanger : public ir::Rewriter {
public:
    TypeChanger(StmtId block, const ir::Buffer &buffer, ir::DataType type)
        : m_block(block)
        , m_from(buffer.dtype())
        , m_to(type)
    {
        add(buffer);
    }

    ir::Buffer buffer(const ir::Buffer &b) override
    {
        const auto found = m_changed.find(b);
        return found == m_changed.end() ? b : found->second;
    }

    ir::Expr expr(const ir::Expr &e) override
    {
        if (e.as<ir::VarNode>() && m_pointers.contains(ir::Var::from(e)))
            refuse(diagnostic("schedule.pointer-access",
                              "'" + ir::Var::from(e).name()
                                  + "' is reached through its pointer, which does not convert its elements")
                       .at(m_block)
                       .withHint("set the type before the step that brought in the access by pointer"));
        const auto *load = e.as<ir::BufferLoad>();
        if (!load || !m_changed.contains(load->buffer))
            return children(e);
        ir::BufferLoad copy = *children(e).as<ir::BufferLoad>();
        copy.dtype = m_to.withLanes(copy.dtype.lanes);
        return converted(m_from, ir::make(std::move(copy)));
    }

    ir::Stmt stmt(const ir::Stmt &s) override
    {
        if (const auto *block = s.as<ir::Block>()) {
            for (const ir::MatchBuffer &match : block->matchBuffers) {
                if (m_changed.contains(match.source.buffer))
                    add(match.buffer);
            }
        }
        const auto *store = s.as<ir::BufferStore>();
        if (!store || !m_changed.contains(store->buffer))
            return children(s);
        ir::BufferStore copy = *children(s).as<ir::BufferStore>();
        copy.value = converted(m_to, copy.value);
        return ir::make(std::move(copy));
    }

private:
    void add(const ir::Buffer &buffer)
    {
        m_changed[buffer] = withType(buffer, m_to);
        m_pointers.insert(buffer->data);
    }

    /// Constants are converted when the program runs, as TVM has it.
    static ir::Expr converted(ir::DataType type, const ir::Expr &value)
    {
        ir::Cast node;
        node.dtype = type.withLanes(value.dtype().lanes);
        node.value = value;
        return ir::make(std::move(node));
    }

    StmtId m_block;
    ir::DataType m_from, m_to;
    ir::BufferMap<ir::Buffer> m_changed;
    ir::VarSet m_pointers;
};

ir::DataType typeNamed(const std::string &name, StmtId block)
{
    const auto type = ir::DataType::parse(name);
    const bool isNumber = type && (type->isIntegral() || type->isFloating());
    if (!isNumber || type->lanes != 1)
        refuse(diagnostic("schedule.dtype", "a buffer cannot hold \"" + name + '"')
                   .at(block)
                   .withHint("give a type of numbers like \"float16\" or \"int8\""));
    return *type;
}

ArgList setDtype(Edit &edit, const SetDtypeArgs &args)
{
    const ir::Block &block = edit.block(args.block.id);
    const ir::Buffer buffer = accessAt(block, BufferSide::Write, args.buffer.index).buffer;
    const ir::DataType type = typeNamed(args.dtype, block.id);
    if (buffer.dtype() == type)
        return {};
    const StmtId allocator = allocatorOf(edit, block, buffer);
    TypeChanger changer(block.id, buffer, type);
    edit.setBody(rewriteAt(edit.body(), {{allocator, [&](const ir::Stmt &s) { return changer.stmt(s); }}}));
    return {};
}

} // namespace

Primitive unsafeSetDtypePrimitive()
{
    return define<SetDtypeArgs>(
        {.name = "unsafe_set_dtype",
         .title = "Set type (unsafe)",
         .group = Group::Annotate,
         .key = "Shift+Q",
         .summary = "Lets a buffer that a block writes hold its values in another type.",
         .documentation =
             R"(Values are converted when they are written, and back when they are read.

```
B = T.alloc_buffer((128,))    →   B = T.alloc_buffer((128,), "float16")
B[vi] = A[vi]                     B[vi] = T.Cast("float16", A[vi])
C[vi] = B[vi] + 1.0               C[vi] = T.Cast("float32", B[vi]) + 1.0
```

**Warning:** what the other type cannot hold is lost: results may differ from those of the program before.

**Legal** for a buffer that the function allocates and does not reach through its pointer.)",
         .traceKind = "UnsafeSetDType",
         .isUnsafe = true},
        {required<&SetDtypeArgs::block>("block", "Block", "The block that writes the buffer."),
         required<&SetDtypeArgs::buffer>("buffer_index", "Buffer", "Which of the buffers it writes.")
             .attribute()
             .of(BufferSide::Write),
         required<&SetDtypeArgs::dtype>("dtype", "Type", "The new element type.")
             .attribute()
             .suggesting({"float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64"})},
        setDtype);
}

} // namespace nestwright::schedule
