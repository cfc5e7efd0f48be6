// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/type_text.h"

#include "core/analysis/kernel/stage_graph.h"
#include "widgets/document/text.h"

namespace nestwright::app {

QString typeText(const std::vector<ir::Expr> &shape, ir::DataType dtype)
{
    return document::toQt(analysis::shapeText(shape, dtype));
}

QString typeText(const graph::TensorType &type) { return typeText(type.shape, type.dtype); }

} // namespace nestwright::app
