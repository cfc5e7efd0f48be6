// SPDX-License-Identifier: GPL-3.0-or-later
/// A program with the lines in place that an older one had.
#pragma once

#include "widgets/code/source.h"

namespace nestwright::code {

/// `newer` with the lines of `older` that went, in front of those that came for them; each line marked. A
/// line that only stands further to the left or right is the same. As quick, and as coarse in texts with
/// little in common, as `diffLines`.
Source unified(Source newer, const QString &older);

} // namespace nestwright::code
