// SPDX-License-Identifier: GPL-3.0-or-later
/// The kernels that come with the program.
#pragma once

#include <QString>

#include <vector>

namespace nestwright::app {

struct Example {
    QString name; ///< "matmul"
    QString path;
    QString description; ///< the comment at the top of the file
};

/// Where they are: NESTWRIGHT_EXAMPLES, beside the installed program, or in the source tree. Empty where nowhere.
QString examplesFolder();
/// In an order to learn from, the rest by name.
std::vector<Example> examples();

} // namespace nestwright::app
