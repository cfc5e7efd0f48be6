// SPDX-License-Identifier: GPL-3.0-or-later
/// Help on the primitives, made from their descriptions.
#pragma once

#include "core/schedule/primitive.h"

#include <QString>

namespace nestwright::app {

/// As one calls it in a script: `split(loop, factors, preserve_unit_iters=True, disable_predication=False)`.
QString signature(const schedule::Primitive &primitive);

/// Markdown: signature, what it does, before and after, when it is legal, what each argument means.
QString helpPage(const schedule::Primitive &primitive);

} // namespace nestwright::app
