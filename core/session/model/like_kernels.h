// SPDX-License-Identifier: Apache-2.0
/// One schedule on all kernels of a model that are like the one it was made for: where its steps are legal,
/// and where they are faster than the schedule that a kernel has.
#pragma once

#include "core/graph/program/compile.h"
#include "core/session/model/model.h"
#include "core/session/reuse/transfer.h"

#include <map>
#include <memory>

namespace nestwright::session {

struct LikeKernelsRequest {
    std::shared_ptr<const Model> model;
    TransferSchedule schedule; ///< its steps are made on unscheduled kernels
    graph::Schedules now;      ///< of kernels that have another schedule than the default one
    target::Target target;
    int repetitions = 5;
    double secondsPerRepetition = 0.1;
    double secondsPerVariant = 2;
};

/// A kernel of the model.
struct LikeKernel {
    std::string name;
    int nodes = 0;                            ///< that it computes
    std::optional<schedule::ScriptRun> run{}; ///< of the steps, where they are legal
    std::optional<ir::Module> now{};          ///< the program that the kernel has now, as they were made
    bool isAsItIs = false;                    ///< they make the program that the kernel has now
    TransferCell cell{};                      ///< over the schedule that it has now

    /// Whether its steps are legal and were not found to be wrong.
    bool fits() const;
    /// Whether it is faster beyond doubt.
    bool isFaster() const;
};

struct LikeKernels {
    std::string schedule;
    target::Target target;
    std::vector<LikeKernel> kernels; ///< as those of the program

    /// Kernels that the steps are legal on.
    int fitting() const;
};

/// Condition for keeping the schedule of a kernel.
enum class Keep : std::uint8_t {
    Faster, ///< where it is measured to be faster, beyond the noise
    All,    ///< wherever its steps are legal and the result is right
};
bool isKept(const LikeKernel &kernel, Keep keep);

/// The table after each kernel, and how much is done, 0 … 1.
using LikeKernelsSink = std::function<void(const LikeKernels &, double)>;

/// Tries the steps on all kernels, then measures those that they are legal on, each in turns with the
/// schedule that it has now, after a check against the unscheduled kernel. Error: "cancelled"; those of a
/// kernel stand with it.
support::Result<LikeKernels> measureLikeKernels(const LikeKernelsRequest &request,
                                                measure::Measurer &measurer, const LikeKernelsSink &told,
                                                std::stop_token stop = {});

/// Makes the schedule of the kernel at that place a branch of the session on it, whose end is then current.
/// It and the variant that was current get their measurements.
void keepIn(Session &session, const LikeKernels &found, int place);

/// Sessions of the kernels at `places` with the schedule as above; those that have none get one. Errors:
/// those of beginKernel.
support::Result<std::map<int, Session>> keepIn(const std::map<int, Session> &sessions, const Model &model,
                                               const LikeKernels &found, const std::vector<int> &places);

} // namespace nestwright::session
