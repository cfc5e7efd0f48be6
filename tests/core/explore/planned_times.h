// SPDX-License-Identifier: Apache-2.0
/// Programs that differ in notes only, and times that are made up from them.
#pragma once

#include "core/explore/judge/judges.h"
#include "core/explore/step_path.h"
#include "core/measure/statistics.h"
#include "core/schedule/primitive.h"
#include "core/schedule/state_index.h"
#include "core/script/print/printer.h"
#include "tests/support/check_primitive.h"
#include "tests/support/programs.h"
#include "tests/support/random.h"

#include <cmath>

namespace nestwright::tests {

/// Notes on a block, one a step.
inline explore::StepPath notes(const std::vector<std::string> &keys)
{
    explore::StepPath path(scheduled(programText("matmul")));
    for (const std::string &key : keys) {
        const auto block = path.end().index->function("main")->blockByName("C").value();
        const auto step = schedule::makeStep(
            "annotate", {{"block_or_loop", block}, {"ann_key", key}, {"ann_val", schedule::ArgValue(1)}});
        if (const auto added = path.add(step.value()); !added)
            qFatal("%s", added.error().render().c_str());
    }
    return path;
}

/// Times of programs by what they have noted: `effects` are factors; samples are off by `noise` at most.
class PlannedTimes {
public:
    explicit PlannedTimes(std::map<std::string, double> effects, double noise = 0.001)
        : m_effects(std::move(effects))
        , m_noise(noise)
    {
    }

    support::Result<std::vector<measure::Measurement>> operator()(std::vector<ir::Module> programs)
    {
        ++runs;
        std::vector<measure::Measurement> times;
        const std::vector<double> again = samples(secondsOf(programs.front()));
        for (const ir::Module &program : programs) {
            measure::Measurement &each = times.emplace_back();
            const double seconds = secondsOf(program);
            if (std::isnan(seconds)) {
                each.failed = measure::Failure::Compile;
                each.failure = support::diagnostic("test.refused", "it does not compile");
                continue;
            }
            each.samples = samples(seconds);
            each.time = measure::bootstrapMedian(each.samples);
            if (times.size() > 1 && times.front().ok())
                each.speedup = measure::pairedSpeedup(times.front().samples, each.samples, again);
        }
        return times;
    }

    int runs = 0;

private:
    double secondsOf(const ir::Module &program) const
    {
        const std::string text = script::print(program).text;
        double seconds = 1;
        for (const auto &[key, factor] : m_effects) {
            if (text.contains('"' + key + '"'))
                seconds *= factor;
        }
        return seconds;
    }

    std::vector<double> samples(double seconds)
    {
        std::vector<double> result;
        for (int i = 0; i < 5; ++i)
            result.push_back(seconds * (1 + m_noise * static_cast<double>(m_random.between(-10, 10)) / 10));
        return result;
    }

    std::map<std::string, double> m_effects;
    double m_noise;
    Random m_random{7};
};

} // namespace nestwright::tests
