// SPDX-License-Identifier: Apache-2.0
/// Legal schedules of many steps with one step whose promise is not kept.
#pragma once

#include "core/catalog/preset.h"
#include "core/explore/judge/judges.h"
#include "core/explore/step_path.h"
#include "core/ir/build/builder.h"
#include "core/schedule/state_index.h"
#include "tests/support/random_step.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <functional>

namespace nestwright::tests {

inline explore::ProgramJudge interpretedJudge(measure::Measurer &measurer, const ir::Module &reference)
{
    measure::MeasureJob job;
    job.reference = reference;
    job.relativeTolerance = 1e-5;
    return explore::judgeOfResults(measurer, std::move(job), measure::Rung::Interpreter);
}

/// A schedule of `length` steps on a small matmul, convolution or softmax.
class FaultyTrace {
public:
    static constexpr std::size_t length = 60;

    explicit FaultyTrace(std::uint64_t seed) : m_random(seed), m_path(programOf(seed))
    {
        const explore::StepPath none = m_path;
        do { // until no later step writes over what was wrong
            m_path = none;
            cacheOutput();
            m_guilty = static_cast<std::size_t>(m_random.between(5, length - 6));
            while (m_path.size() < m_guilty)
                addLegal();
            addFault();
            while (m_path.size() < length)
                addLegal();
        } while (!isWrong());
    }

    const explore::StepPath &path() const { return m_path; }
    /// The place of the step at fault.
    std::size_t guilty() const { return m_guilty; }

private:
    static schedule::State programOf(std::uint64_t seed)
    {
        static constexpr std::array<std::string_view, 4> kernels{
            "op:matmul(M=16,N=12,K=8)", "op:conv2d(C=2,H=6,W=8,F=4)", "op:softmax(M=12,N=16)",
            "op:matmul_relu(M=8,N=12,K=16)"};
        const auto invocation = catalog::parseInvocation(kernels[seed % kernels.size()]);
        const auto state = schedule::makeState(catalog::makeModule(invocation.value()).value());
        return state.value();
    }

    /// So that there is a buffer to do things to.
    void cacheOutput()
    {
        const analysis::FunctionIndex &index = *m_path.end().index->function("main");
        for (const schedule::StmtId block : index.all()) {
            if (index.loop(block) || block == index.root())
                continue;
            if (add("cache_write",
                    {{"block", block}, {"write_buffer_index", 0}, {"storage_scope", "global"}}))
                return;
        }
        qFatal("nothing can be cached");
    }

    bool add(std::string_view primitive,
             const std::vector<std::pair<std::string_view, schedule::ArgValue>> &args)
    {
        const auto step = schedule::makeStep(primitive, args);
        if (!step)
            qFatal("%s", step.error().render().c_str());
        return m_path.add(*step).has_value();
    }

    /// A step that keeps what the program computes, and the program small.
    void addLegal()
    {
        static constexpr auto allowed = std::to_array<std::string_view>(
            {"split", "fuse", "tile", "reorder", "add_unit_loop", "parallel", "vectorize", "unroll",
             "annotate", "unannotate", "storage_align", "compute_at", "reverse_compute_at", "cache_read",
             "cache_write", "decompose_reduction", "reindex", "blockize"});
        constexpr std::size_t mostStatements = 60;
        for (;;) {
            const schedule::Step step = randomStep(m_path.end(), m_random);
            const bool isAnnotation = step.primitive->group == schedule::Group::Annotate;
            const bool isSmall = m_path.end().index->function("main")->all().size() < mostStatements;
            if (std::ranges::contains(allowed, step.primitive->name) && (isSmall || isAnnotation)
                && m_path.add(step))
                return;
        }
    }

    bool isWrong() const
    {
        measure::Measurer measurer;
        const auto judge = interpretedJudge(measurer, m_path.state(0).module);
        return judge(m_path.end().module, explore::Round::Search).judgement == explore::Judgement::Bad;
    }

    /// One that makes the result wrong at once.
    void addFault()
    {
        for (int tries = 0; tries < 1000; ++tries) {
            explore::StepPath before = m_path;
            if (tryFault() && isWrong())
                return;
            m_path = std::move(before);
        }
        qFatal("no fault is possible");
    }

    bool tryFault()
    {
        const analysis::FunctionIndex &index = *m_path.end().index->function("main");
        const schedule::StmtId any = m_random.pick(index.all());
        if (const ir::For *loop = index.loop(any)) {
            const std::int64_t *extent = ir::asInt(loop->extent);
            const std::int64_t factor = m_random.between(3, 7);
            return extent && *extent % factor != 0
                   && add("split", {{"loop", any},
                                    {"factors", schedule::ArgList{schedule::ArgValue(), factor}},
                                    {"disable_predication", true}});
        }
        if (m_random.chance(50))
            return add(
                "unsafe_set_dtype",
                {{"block", any}, {"buffer_index", 0}, {"dtype", m_random.chance(50) ? "int8" : "float16"}});
        const ir::Block &block = *index.block(any);
        if (block.writes.empty() || block.writes.front().buffer.shape().empty())
            return false;
        schedule::IndexMap map; // two elements in one place
        for (std::size_t i = 0; i < block.writes.front().buffer.shape().size(); ++i)
            map.inputs.emplace_back("i" + std::to_string(i));
        map.outputs.assign(map.inputs.begin(), map.inputs.end());
        map.outputs.front() = ir::floorDiv(map.outputs.front(), ir::Expr(std::int64_t{2}));
        return add("transform_layout", {{"block", any},
                                        {"buffer", schedule::ArgList{"write", 0}},
                                        {"index_map", map},
                                        {"assume_injective_transform", true}});
    }

    Random m_random;
    explore::StepPath m_path;
    std::size_t m_guilty = 0;
};

} // namespace nestwright::tests
