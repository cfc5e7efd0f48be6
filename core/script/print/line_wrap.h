// SPDX-License-Identifier: Apache-2.0
/// Long lines of a printed program, continued below within their brackets.
#pragma once

#include "core/script/print/printer.h"

namespace nestwright::script {

/// Lines of more than `columns` characters behind their indentation break between arguments, or else behind a
/// bracket or in front of an operator: within brackets, where Python reads on, and the outermost where there
/// is a choice. A line that only stands further to the right breaks in the same places. Lines that have no
/// such place stay long.
Printed wrapped(Printed printed, int columns);

} // namespace nestwright::script
