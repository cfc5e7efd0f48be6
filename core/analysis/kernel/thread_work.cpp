// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/kernel/thread_work.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/walk.h"

#include <algorithm>
#include <numeric>

namespace nestwright::analysis {

namespace {

/// Operations of one run of a block that holds no other.
double operationsOf(const ir::Stmt &body)
{
    double operations = 0;
    ir::forEachExpr(body, [&](const ir::Expr &e) {
        const auto *call = e.as<ir::Call>();
        const bool isChoice = call && call->callee == ir::intrinsics::ifThenElse;
        operations += !e.dtype().isBool() && (e.as<ir::Binary>() || (call && !isChoice)) ? 1 : 0;
        return !e.as<ir::BufferLoad>() && !e.dtype().isBool(); // indices and conditions on them do not count
    });
    return std::max(1.0, operations);
}

class WorkCounter {
public:
    explicit WorkCounter(const FunctionIndex &index) : m_index(index) {}

    bool count(const std::vector<StmtId> &statements, double times, ThreadWork::Loop *around)
    {
        return std::ranges::all_of(statements, [&](StmtId id) { return count(id, times, around); });
    }

    ThreadWork work;

private:
    bool count(StmtId id, double times, ThreadWork::Loop *around)
    {
        const ir::For *loop = m_index.loop(id);
        const std::vector<StmtId> &children = m_index.children(id);
        if (!loop) {
            if (children.empty())
                (around ? around->work : work.serial) += times * operationsOf(m_index.bodyOf(id));
            return count(children, times, around);
        }
        const std::int64_t *extent = ir::asInt(loop->extent);
        if (!extent)
            return false;
        const auto iterations = static_cast<double>(*extent);
        if (loop->forKind != ir::ForKind::Parallel || around)
            return count(children, times * iterations, around);
        ThreadWork::Loop own{.id = id, .iterations = *extent, .times = times};
        if (!count(children, iterations, &own))
            return false;
        work.loops.push_back(own);
        return true;
    }

    const FunctionIndex &m_index;
};

} // namespace

double ThreadWork::parallel() const
{
    return std::accumulate(loops.begin(), loops.end(), 0.0,
                           [](double sum, const Loop &loop) { return sum + loop.times * loop.work; });
}

std::optional<ThreadWork> threadWorkOf(const FunctionIndex &index)
{
    WorkCounter counter(index);
    std::vector<StmtId> outermost;
    for (const StmtId id : index.all()) {
        if (!index.parent(id))
            outermost.push_back(id);
    }
    return counter.count(outermost, 1, nullptr) ? std::optional(std::move(counter.work)) : std::nullopt;
}

double imbalanceOf(const ThreadWork &work, int threads)
{
    const double all = work.serial + work.parallel();
    if (all <= 0 || threads <= 1)
        return 1;
    double busiest = work.serial;
    for (const ThreadWork::Loop &loop : work.loops) {
        const std::int64_t most = (loop.iterations + threads - 1) / threads;
        if (loop.iterations > 0)
            busiest +=
                loop.times * loop.work * static_cast<double>(most) / static_cast<double>(loop.iterations);
    }
    return std::max(1.0, busiest * threads / all);
}

} // namespace nestwright::analysis
