// SPDX-License-Identifier: Apache-2.0
/// A file that takes long to open, within every limit.
#pragma once

#include "core/session/files/project_file.h"
#include "core/support/errors/errors.h"
#include "core/support/text/json.h"

#include <string>

namespace nestwright::tests {

/// A session on many stages with the same step thousands of times, all replayed: minutes.
inline std::string longSessionText(int steps = 10'000)
{
    constexpr int stages = 60;
    std::string script = "from tvm import te\nS0 = te.placeholder((64, 64), name=\"S0\")\n";
    for (int i = 1; i <= stages; ++i) {
        const std::string name = "S" + std::to_string(i), before = "S" + std::to_string(i - 1);
        script += name + " = te.compute((64, 64), lambda i, j: " + before + "[i, j] * 2.0 + 1.0, name=\""
                  + name + "\")\n";
    }
    script += "func = te.create_prim_func([S0, S" + std::to_string(stages) + "])\n";
    auto kernel = frontend::openKernelText(script, "stages.py");
    NW_ASSERT(kernel, "the stages cannot be opened");
    auto session = session::Session::begin(std::move(*kernel), {});
    NW_ASSERT(session
                  && session->importSchedule("def apply_trace(sch):\n"
                                             "  b0 = sch.get_block(name=\"S1\", func_name=\"main\")\n"
                                             "  l1, l2 = sch.get_loops(block=b0)\n"
                                             "  sch.parallel(loop=l1)\n",
                                             "schedule.py"),
              "the stages cannot be scheduled");
    support::Json json = support::Json::parse(session::writeProject(*session));
    support::Json &variants = json["variants"];
    const support::Json step = variants.back();
    for (int i = 1; i < steps; ++i)
        variants.push_back(step);
    return json.dump();
}

} // namespace nestwright::tests
