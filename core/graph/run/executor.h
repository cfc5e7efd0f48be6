// SPDX-License-Identifier: Apache-2.0
/// Running a model in this process. Only the worker and nestc do: generated code may crash.
#pragma once

#include "core/backend/link/loaded_kernel.h"
#include "core/graph/program/kernel_cache.h"
#include "core/graph/program/program.h"
#include "core/target/target.h"

#include <functional>
#include <memory>
#include <stop_token>

namespace nestwright::graph {

/// How far compiling has come: `done` of `all` kernels. Called from several threads, one at a time.
using CompileProgress = std::function<void(std::size_t done, std::size_t all)>;

/// Machine code of every kernel, in order: `modules` are their scheduled forms. As many are compiled at a
/// time as there are processors; artifacts in `cache` are taken from there, and others are put there. Errors:
/// those of backend::compile, which name the kernel; "cancelled".
support::Result<std::vector<backend::Artifact>>
compileKernels(const Program &program, const std::vector<ir::Module> &modules, const target::Target &target,
               const CompileProgress &progress = {}, std::stop_token stop = {},
               const KernelCache &cache = KernelCache());

/// A program with its code loaded and its memory taken.
class Executor {
public:
    /// Errors: those of backend::load; "graph.memory" when the memory cannot be had.
    static support::Result<Executor> load(Program program, const std::vector<backend::Artifact> &artifacts);
    Executor(Executor &&) noexcept;
    Executor &operator=(Executor &&) noexcept;
    ~Executor();

    const Program &program() const { return m_program; }
    /// Copies the array that runs read as the input in place `i`; zeros until it is set. Error:
    /// "graph.input": another type.
    support::Result<void> setInput(std::size_t i, const ir::NdArray &array);
    /// The array that runs read as the input in place `i`, to be changed in place.
    ir::NdArray &input(std::size_t i) { return m_inputs[i]; }
    /// Runs once; takes the time of each step where `seconds` is given. Errors: "kernel.error", which names
    /// the node.
    support::Result<void> run(std::vector<double> *seconds = nullptr);
    /// The outputs of the last run, in order.
    std::vector<ir::NdArray> outputs() const;
    /// The output in place `i`, as the next run will change it.
    const ir::NdArray &output(std::size_t i) const;

private:
    struct Call {
        backend::LoadedKernel::Packed function = nullptr;
        std::vector<void *> arguments;
    };

    explicit Executor(Program program) : m_program(std::move(program)) {}
    void *addressOf(Value value);

    Program m_program;
    std::vector<std::unique_ptr<backend::LoadedKernel>> m_kernels;
    std::vector<ir::NdArray> m_inputs;
    std::vector<std::vector<ir::NdArray>> m_results; ///< of nodes that give outputs of the model
    ir::NdArray m_arena;
    std::vector<Call> m_calls;
};

} // namespace nestwright::graph
