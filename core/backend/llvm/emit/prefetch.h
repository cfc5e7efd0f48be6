// SPDX-License-Identifier: Apache-2.0
/// Prefetching of what a loop will read, for loops that ask for it.
#pragma once

#include <cstdint>

namespace llvm {
class LLVMContext;
class MDNode;
class PassBuilder;
} // namespace llvm

namespace nestwright::backend {

/// Metadata of a loop whose iterations fetch ahead by so many bytes.
llvm::MDNode *prefetchHint(llvm::LLVMContext &context, std::int64_t bytes);

/// Adds a pass by which each iteration of a loop with that hint fetches the lines of memory that lie so many
/// bytes beyond those which it loads, into the first cache; where loads stand at places that a loop's counter
/// moves evenly. It runs behind the vectorizer, whom a prefetch would stop. No address is too far: a prefetch
/// of one that is not there does nothing.
void addPrefetching(llvm::PassBuilder &builder);

} // namespace nestwright::backend
