// SPDX-License-Identifier: Apache-2.0
/// annotate_buffer_access: says which part of a buffer a block touches.
#include "core/arith/analyzer.h"
#include "core/ir/build/builder.h"
#include "core/ir/node/attributes.h"
#include "core/schedule/layout/layout_map.h"
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/rules/storage_scope.h"
#include "core/schedule/typed.h"
#include "core/script/print/printer.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using support::diagnostic;

struct AnnotateAccessArgs {
    BlockId block;
    std::int64_t buffer = 0;
    std::string side;
    IndexMap ranges;
};

/// The region that the map gives for the block's variables.
std::vector<ir::Range> regionOf(const ir::Block &block, const ir::Buffer &buffer, const IndexMap &map)
{
    if (map.inputs.size() != block.iterVars.size())
        refuse(diagnostic("schedule.index-map", "block " + named(block) + " has "
                                                    + std::to_string(block.iterVars.size())
                                                    + " iteration variables, the ranges are given for "
                                                    + std::to_string(map.inputs.size()))
                   .at(block.id)
                   .withHint("name each of the block's variables, as in lambda vi, vj: …"));
    if (map.outputs.size() != 2 * buffer.shape().size())
        refuse(diagnostic("schedule.index-map",
                          "'" + buffer.name() + "' has " + std::to_string(buffer.shape().size())
                              + " dimensions, found " + std::to_string(map.outputs.size() / 2) + " ranges")
                   .at(block.id)
                   .withHint("give one index, or a pair of begin and end, for each dimension"));
    std::vector<ir::Expr> variables;
    for (const ir::IterVar &iter : block.iterVars)
        variables.push_back(iter.var);
    const std::vector<ir::Expr> ends = mapped(map, variables);
    arith::Analyzer analyzer;
    std::vector<ir::Range> region;
    for (std::size_t i = 0; i < ends.size(); i += 2) {
        const ir::Expr begin = analyzer.simplify(ends[i]), end = analyzer.simplify(ends[i + 1]);
        if (!begin.dtype().isIntegral() || !end.dtype().isIntegral())
            refuse(diagnostic("schedule.index-map", "a range begins and ends at integers, found "
                                                        + script::printExpr(begin) + " and "
                                                        + script::printExpr(end))
                       .at(block.id));
        region.push_back({begin, analyzer.simplify(end - begin)});
    }
    return region;
}

/// A list of positions with this one in it.
ir::AttrValue withPosition(const ir::Attrs &annotations, const std::string &key, std::int64_t position)
{
    std::vector<ir::AttrValue> positions;
    if (const ir::AttrValue *found = ir::attribute(annotations, key); found && found->asList())
        positions = *found->asList();
    const bool known = std::ranges::any_of(
        positions, [&](const ir::AttrValue &value) { return value.asInt() && *value.asInt() == position; });
    if (!known)
        positions.emplace_back(position);
    return positions;
}

ArgList annotateAccess(Edit &edit, const AnnotateAccessArgs &args)
{
    const ir::Block &block = edit.block(args.block.id);
    const bool reads = args.side == "read";
    const ir::Buffer buffer =
        accessAt(block, reads ? BufferSide::Read : BufferSide::Write, args.buffer).buffer;
    ir::Block changed = block;
    (reads ? changed.reads : changed.writes)[static_cast<std::size_t>(args.buffer)].region =
        regionOf(block, buffer, withSizes(args.ranges.withRanges(), *edit.index(block.id).function()));
    const std::string key = reads ? "explicit_read_region" : "explicit_write_region";
    changed.annotations[key] = withPosition(block.annotations, key, args.buffer);
    edit.replace(block.id, ir::make(std::move(changed)));
    return {};
}

} // namespace

Primitive annotateBufferAccessPrimitive()
{
    return define<AnnotateAccessArgs>(
        {.name = "annotate_buffer_access",
         .title = "Annotate access",
         .group = Group::Annotate,
         .key = "Shift+E",
         .summary = "Says which part of a buffer a block reads or writes.",
         .documentation =
             R"(For accesses whose place depends on data, where only the whole buffer can be found to be
touched. The region given takes the place of the one found, and a note on the block keeps it so.

```
T.reads(x[0:32])         →    T.reads(x[vi * 2 - 3:vi * 2 + 3])
T.writes(y[vi])               T.writes(y[vi])
                              T.block_attr({"explicit_read_region": [0]})
y[vi] = x[place(vi)]          y[vi] = x[place(vi)]
```

The lambda takes the block's variables and gives, for each dimension, one index or a pair of begin and end:
`lambda vi: [(vi * 2 - 3, vi * 2 + 3)]`.

**Warning:** later steps believe the region. If the block touches something outside of it, they may leave
out what it needs; that it does not is for you to know.

**Legal** for every buffer that the block names.)",
         .isUnsafe = true},
        {required<&AnnotateAccessArgs::block>("block", "Block", "The block that touches the buffer."),
         required<&AnnotateAccessArgs::buffer>("buffer_index", "Buffer",
                                               "Position among the block's reads or writes."),
         required<&AnnotateAccessArgs::side>("buf_type", "Side", "Whether it is a read or a write.")
             .oneOf({"read", "write"}),
         required<&AnnotateAccessArgs::ranges>("gen_new_ranges", "Region",
                                               "From the block's variables to the region's begins and ends.")
             .form(FieldForm::GivesRanges)},
        annotateAccess);
}

} // namespace nestwright::schedule
