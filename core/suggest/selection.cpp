// SPDX-License-Identifier: Apache-2.0
#include "core/suggest/selection.h"

namespace nestwright::suggest {

Selection selectionIn(const LoopNest &nest, const std::vector<StmtId> &selected)
{
    Selection selection{selected, {}, {}, {}};
    if (selected.empty() || !nest.contains(selected.back()))
        return selection;
    selection.current = selected.back();
    if (nest.loop(selection.current))
        selection.loop = selection.current;
    if (!nest.isRoot(selection.current))
        selection.block = nest.firstBlock(selection.current);
    return selection;
}

} // namespace nestwright::suggest
