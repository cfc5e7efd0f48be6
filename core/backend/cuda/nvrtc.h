// SPDX-License-Identifier: Apache-2.0
/// NVRTC, NVIDIA's compiler of CUDA C++: a library that is found on the machine and loaded at run time.
#pragma once

#include "core/support/errors/result.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace nestwright::backend {

/// A foreign library that reads text of any origin, so it is loaded only in a process of its own
/// (`nestc driver`, which driver_process.h starts).
class Nvrtc {
public:
    /// The library that NESTWRIGHT_NVRTC names (a file, or the folder that it lies in), or else the first of
    /// `nvrtcFolders`, or else the system's. Errors: "cuda.no-compiler", "cuda.load" (it is there, but does
    /// not load).
    static support::Result<Nvrtc> load();

    const std::string &path() const { return m_path; }
    std::string version() const;            ///< "13.0"
    std::vector<int> architectures() const; ///< that it makes machine code for: 80 for sm_80, …

    struct Output {
        std::string ptx, cubin;
        std::string log; ///< of ptxas: what each kernel uses
    };
    /// `architecture`: "sm_90". PTX has the lines of `text` as .loc directives. Error: "backend.compiler"
    /// with the compiler's messages.
    support::Result<Output> compile(const std::string &text, const std::string &architecture) const;

private:
    struct Functions;
    std::shared_ptr<const Functions> m_functions;
    std::string m_path;
};

/// Folders in which a toolkit or a Python wheel puts NVRTC, the one that is looked in first at the front.
std::vector<std::filesystem::path> nvrtcFolders();
/// The newest NVRTC in `folder`; empty where there is none.
std::filesystem::path nvrtcIn(const std::filesystem::path &folder);

} // namespace nestwright::backend
