// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/primitives/declarations.h"
#include "core/schedule/primitives/index_lemmas.h"
#include "core/schedule/typed.h"

namespace nestwright::schedule {

namespace {

struct TileArgs {
    LoopId x, y;
    std::int64_t xFactor = 32, yFactor = 32;
};

ArgList tile(Expansion &steps, const TileArgs &args)
{
    const ArgList x = steps.run("split", {{"loop", args.x.id}, {"factors", ArgList{{}, args.xFactor}}});
    const ArgList y = steps.run("split", {{"loop", args.y.id}, {"factors", ArgList{{}, args.yFactor}}});
    ArgList tiles{x[0], y[0], x[1], y[1]};
    steps.run("reorder", {{"loops", tiles}});
    return tiles;
}

} // namespace

Primitive tilePrimitive()
{
    return defineComposite<TileArgs>(
        {.name = "tile",
         .title = "Tile",
         .group = Group::Loops,
         .key = "T",
         .summary = "Cuts the plane of two loops into rectangles.",
         .documentation =
             R"(Splits both loops and brings the two inner parts inside the two outer ones. Scripts show the
two splits and the reorder that it stands for.

```
for i, j in T.grid(128, 128):   →   for i_0, j_0, i_1, j_1 in T.grid(4, 4, 32, 32):
```

**Legal** where those three steps are.)",
         .lemmas = tileLemmas(),
         .results = Results::List},
        {required<&TileArgs::x>("x_loop", "Outer loop", "The outer of the two loops."),
         required<&TileArgs::y>("y_loop", "Inner loop", "The inner of the two loops."),
         optional<&TileArgs::xFactor>("x_factor", "Height", "Iterations of the outer loop in one tile.")
             .partOf("x_loop")
             .alwaysInLabels(),
         optional<&TileArgs::yFactor>("y_factor", "Width", "Iterations of the inner loop in one tile.")
             .partOf("y_loop")
             .alwaysInLabels()},
        tile);
}

} // namespace nestwright::schedule
