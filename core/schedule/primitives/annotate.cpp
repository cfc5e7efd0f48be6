// SPDX-License-Identifier: Apache-2.0
/// Annotations: notes on loops and blocks that later stages read.
#include "core/ir/build/builder.h"
#include "core/ir/node/attributes.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/tree.h"
#include "core/schedule/typed.h"

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct AnnotateArgs {
    BlockOrLoopId target;
    std::string key;
    ArgValue value;
};
struct UnannotateArgs {
    BlockOrLoopId target;
    std::string key;
};

ir::AttrValue toAttr(const ArgValue &value)
{
    if (const bool *b = value.as<bool>())
        return ir::AttrValue(ir::boolImm(*b));
    if (const std::int64_t *number = value.as<std::int64_t>())
        return ir::AttrValue(*number);
    if (const double *number = value.as<double>())
        return ir::AttrValue(ir::floatImm(*number, ir::DataType::float_(64))); // as a number of a script is
    if (const std::string *text = value.as<std::string>())
        return ir::AttrValue(*text);
    if (const ArgList *list = value.as<ArgList>()) {
        std::vector<ir::AttrValue> items;
        for (const ArgValue &item : *list)
            items.push_back(toAttr(item));
        return ir::AttrValue(std::move(items));
    }
    if (const ArgMap *map = value.as<ArgMap>()) {
        ir::AttrRecord record;
        for (std::size_t i = 0; i < map->keys.size(); ++i)
            record.items[map->keys[i]] = toAttr(map->values[i]);
        return ir::AttrValue(std::move(record));
    }
    refuse(diagnostic("schedule.argument", "an annotation cannot be " + str(value)));
}

/// `edit` on the annotations of the loop or block `id`.
void changeAnnotations(Edit &edit, StmtId id, const std::function<void(ir::Attrs &)> &change)
{
    const ir::Stmt target = edit.index(id).find(id);
    if (target.as<ir::For>())
        edit.replace(id, editLoop([&](ir::For &loop) { change(loop.annotations); })(target));
    else
        edit.replace(id, editBlock([&](ir::Block &block) { change(block.annotations); })(target));
}

/// The statement that carries a note of that name said of `target`: "fast_math" is of the whole kernel, so
/// that its root block does.
StmtId carrierOf(Edit &edit, StmtId target, std::string_view key)
{
    if (key != ir::fastMathKey)
        return target;
    const StmtId root = edit.index(target).root();
    if (!root)
        refuse(diagnostic("schedule.argument", "the function has no root block to carry \"fast_math\"")
                   .at(target)
                   .withHint("programs without blocks say it themselves: T.func_attr({\"fast_math\": 1})"));
    return root;
}

/// Keeps an annotation that is there already, as TVM does.
ArgList annotate(Edit &edit, const AnnotateArgs &args)
{
    const ir::AttrValue value = toAttr(args.value);
    if (args.key.empty())
        refuse(diagnostic("schedule.argument", "an annotation needs a name").at(args.target.id));
    if (args.key == ir::fastMathKey && !ir::asFlag(value))
        refuse(diagnostic("schedule.argument", "\"fast_math\" is 1 or 0, not " + str(args.value))
                   .at(args.target.id)
                   .withHint("1 lets the kernel compute as with real numbers"));
    changeAnnotations(edit, carrierOf(edit, args.target.id, args.key),
                      [&](ir::Attrs &attrs) { attrs.try_emplace(args.key, value); });
    return {};
}

ArgList unannotate(Edit &edit, const UnannotateArgs &args)
{
    const StmtId carrier = carrierOf(edit, args.target.id, args.key);
    const ir::Stmt target = edit.index(carrier).find(carrier);
    const auto *loop = target.as<ir::For>();
    const ir::Attrs &attrs = loop ? loop->annotations : edit.block(carrier).annotations;
    if (attrs.empty())
        refuse(diagnostic("schedule.no-annotation", named(target) + " carries no annotation")
                   .at(args.target.id));
    if (!attrs.contains(args.key)) {
        std::string known;
        for (const auto &[key, value] : attrs)
            known += (known.empty() ? "it carries \"" : ", \"") + key + '"';
        refuse(diagnostic("schedule.no-annotation", named(target) + " has no annotation \"" + args.key + '"')
                   .at(args.target.id)
                   .withHint(known));
    }
    changeAnnotations(edit, carrier, [&](ir::Attrs &changed) { changed.erase(args.key); });
    return {};
}

} // namespace

Primitive annotatePrimitive()
{
    return define<AnnotateArgs>(
        {.name = "annotate",
         .title = "Annotate",
         .group = Group::Annotate,
         .key = "N",
         .summary = "Notes something on a loop or block for later stages.",
         .documentation =
             R"(Adds a note that lowering or code generation reads. A note of that name that is there stays
as it is.

```
for i in range(8):   →   for i in T.serial(8, annotations={"pragma_auto_unroll_max_step": 64}):
```

`pragma_auto_unroll_max_step` on a loop unrolls it and the serial loops within, from the innermost on, as
long as no more stores than that come of it; with `pragma_unroll_explicit` 0 they stay loops that the compiler
behind us is asked to unroll.

`reassociate` 1 on a loop that reduces floating-point numbers lets the machine compute several sums at a time,
in vectors, and add those together: the result is rounded differently, and of maxima and minima NaN is one
where any element is.

`software_prefetch` on a loop, with a number of bytes, fetches what lies so far ahead of what its iterations
read. It pays where a loop waits for memory and not where one writes as much as it reads.

`nontemporal_stores` 1 on a loop lets the vectors that it stores go to memory past the caches, without what
was there being read first: for results larger than the caches, written in the order in which they lie.

`tile_registers` 1 on a loop lets the nest that begins with it be computed in registers that hold tiles of
matrices (Intel AMX), where the processor has them: loops and nothing else around one statement that adds
products of int8 and uint8 in int32, or of bfloat16 in float32. Four (two) neighbouring terms must lie side by
side in both matrices, packed as for instructions that sum up as many. Sums of bfloat16 are rounded
differently then, and numbers nearer to 0 than normal ones count as 0. Elsewhere, and where the nest is
another one, the loops run as they are.

`fast_math` 1, which the root block carries wherever in the kernel it is said, lets processors (targets llvm
and c) compute with floating-point numbers as with real ones: sums and products in any order, in vectors,
divisions by one number as products with its reciprocal, without a sign of zero, elementary functions by
approximations. NaN and infinities among the arguments are not taken to be absent; those that come of numbers
which overflow on the way may be others. GPUs compute as ever. Measuring tells how far the result then is from
the unscheduled program's.

`pragma_auto_unroll_max_step` on a loop lets loops within it be written out, up to so many statements; 0 on a
loop that runs one iteration after the other keeps it a loop for the compiler behind, too, which else may
write it out unasked.

`double_buffer_scope` on a block that copies into shared memory within a loop, with the number of the buffer
that it writes (0): the memory gets two halves on GPUs, and each round of the loop fills one for the next
round while it works on the other, so that threads wait for each other once a round.)"},
        {required<&AnnotateArgs::target>("block_or_loop", "Block or loop",
                                         "The block or loop that carries the note."),
         required<&AnnotateArgs::key>("ann_key", "Name", "The note's name.")
             .attribute()
             .suggesting({ir::reassociateKey, ir::fastMathKey, ir::prefetchKey, ir::streamKey, ir::tileKey,
                          ir::autoUnrollKey, ir::unrollExplicitKey, ir::doubleBufferKey}),
         required<&AnnotateArgs::value>("ann_val", "Value", "A number, a string or a list.")},
        annotate);
}

Primitive unannotatePrimitive()
{
    return define<UnannotateArgs>(
        {.name = "unannotate",
         .title = "Remove annotation",
         .group = Group::Annotate,
         .key = "Shift+N",
         .summary = "Takes a note off a loop or block.",
         .documentation =
             R"(Takes a note off that is there.

```
for i in T.serial(8, annotations={"pragma_unroll_explicit": 1}):   →   for i in range(8):
```)"},
        {required<&UnannotateArgs::target>("block_or_loop", "Block or loop",
                                           "The block or loop that carries the note."),
         required<&UnannotateArgs::key>("ann_key", "Name", "The note's name.")
             .attribute()
             .form(FieldForm::NamesAnnotation)},
        unannotate);
}

} // namespace nestwright::schedule
