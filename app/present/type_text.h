// SPDX-License-Identifier: GPL-3.0-or-later
/// Types of tensors and buffers as the window writes them.
#pragma once

#include "core/graph/graph.h"

#include <QString>

#include <vector>

namespace nestwright::app {

QString typeText(const std::vector<ir::Expr> &shape, ir::DataType dtype);
QString typeText(const graph::TensorType &type);

} // namespace nestwright::app
