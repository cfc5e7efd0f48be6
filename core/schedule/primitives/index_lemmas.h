// SPDX-License-Identifier: Apache-2.0
/// Theorems about indices, by the primitives that rest on them.
#pragma once

#include "core/schedule/primitive.h"

namespace nestwright::schedule {

std::span<const IndexLemma> splitLemmas();
std::span<const IndexLemma> fuseLemmas();
std::span<const IndexLemma> reorderLemmas();
std::span<const IndexLemma> tileLemmas();
std::span<const IndexLemma> loopPartitionLemmas();
std::span<const IndexLemma> transformLayoutLemmas();
std::span<const IndexLemma> transformBlockLayoutLemmas();
std::span<const IndexLemma> reindexLemmas();
std::span<const IndexLemma> padEinsumLemmas();
std::span<const IndexLemma> decomposePaddingLemmas();

} // namespace nestwright::schedule
