// SPDX-License-Identifier: GPL-3.0-or-later
/// The kernels and models that come with the program.
#pragma once

#include <QString>

#include <vector>

namespace nestwright::app {

struct Example {
    QString name; ///< "matmul"
    QString path;
    QString description; ///< of a kernel the comment at the top of its file
    bool isModel = false;
};

/// Folder of the examples: NESTWRIGHT_EXAMPLES, beside the installed program, or in the source tree. Empty
/// where there is none.
QString examplesFolder();
/// The examples in an order to learn from, the rest by name.
std::vector<Example> examples();
/// Kernels to be scheduled for a GPU.
std::vector<Example> gpuExamples();

/// Schedules that come with an example, in the order of a ladder: "3 vector loads".
struct ExampleSchedules {
    std::vector<Example> processors, gpus;
};
/// Schedules of the kernel in `file`; none where it is no example.
ExampleSchedules schedulesOf(const QString &file);

} // namespace nestwright::app
