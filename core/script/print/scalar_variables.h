// SPDX-License-Identifier: Apache-2.0
/// Finding the buffers that TVM 0.25 and later write as variables.
#pragma once

#include "core/ir/node/function.h"

#include <unordered_set>

namespace nestwright::script {

using BufferSet = std::unordered_set<ir::Buffer, ir::BufferHash>;

/// Local buffers of one element that are allocated for the rest of a body and used by that element only.
BufferSet scalarVariables(const ir::Stmt &body);

/// The declaration of the buffer that views all of the memory of `node`, where it stands right below; else
/// null.
const ir::DeclBuffer *ownBuffer(const ir::Allocate &node);

} // namespace nestwright::script
