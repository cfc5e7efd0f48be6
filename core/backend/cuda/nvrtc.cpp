// SPDX-License-Identifier: Apache-2.0
#include "core/backend/cuda/nvrtc.h"

#include "core/backend/codes.h"
#include "core/backend/cuda/toolkit.h"
#include "core/support/library_functions.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <dlfcn.h>
#include <optional>

namespace nestwright::backend {

using support::fail;
using support::Result;

namespace fs = std::filesystem;

/// NVRTC's own functions, by the names of its manual. Each gives 0 when all is well.
struct Nvrtc::Functions {
    using Program = void *;
    int (*version)(int *major, int *minor);
    int (*architectureCount)(int *count);
    int (*architectures)(int *list);
    int (*create)(Program *made, const char *text, const char *name, int headers, const char *const *contents,
                  const char *const *names);
    int (*destroy)(Program *program);
    int (*compile)(Program program, int count, const char *const *options);
    int (*logSize)(Program program, std::size_t *size);
    int (*log)(Program program, char *to);
    int (*ptxSize)(Program program, std::size_t *size);
    int (*ptx)(Program program, char *to);
    int (*cubinSize)(Program program, std::size_t *size);
    int (*cubin)(Program program, char *to);
};

namespace {

constexpr std::string_view libraryName = "libnvrtc.so";

/// The numbers behind the library's name: {13, 0} of "libnvrtc.so.13.0". Nothing where it has another name.
std::optional<std::vector<int>> versionOf(const std::string &file)
{
    if (!file.starts_with(libraryName))
        return std::nullopt;
    std::vector<int> numbers;
    const char *at = file.data() + libraryName.size(), *end = file.data() + file.size();
    while (at != end) {
        int number = 0;
        if (*at != '.')
            return std::nullopt;
        const auto [next, error] = std::from_chars(at + 1, end, number);
        if (error != std::errc())
            return std::nullopt;
        numbers.push_back(number);
        at = next;
    }
    return numbers;
}

support::Diagnostic notFound()
{
    return support::diagnostic(codes::noCudaCompiler, "NVIDIA's compiler library, NVRTC, was not found here")
        .withHint("install the CUDA toolkit, or do `" + installCommand("nvidia-cuda-nvrtc")
                  + "`, or name the library by NESTWRIGHT_NVRTC");
}

/// A file as the loader takes it, by what NESTWRIGHT_NVRTC says or by looking for it.
Result<std::string> find()
{
    if (const char *named = std::getenv("NESTWRIGHT_NVRTC"); named && *named) {
        std::error_code error;
        const fs::path file = fs::is_directory(named, error) ? nvrtcIn(named) : fs::path(named);
        if (file.empty() || !fs::exists(file, error))
            return fail(support::diagnostic(codes::noCudaCompiler, "there is no NVRTC at '"
                                                                       + std::string(named)
                                                                       + "', which NESTWRIGHT_NVRTC names")
                            .withHint("name libnvrtc.so, or the folder that it lies in"));
        return file.string();
    }
    for (const fs::path &folder : nvrtcFolders()) {
        if (const fs::path file = nvrtcIn(folder); !file.empty())
            return file.string();
    }
    return std::string();
}

template <class Size, class Get> std::string textOf(void *program, Size size, Get get)
{
    std::size_t bytes = 0;
    if (size(program, &bytes) != 0)
        return {};
    std::string text(bytes, '\0');
    return get(program, text.data()) == 0 ? text : std::string();
}

/// Without the NUL that the library counts in.
std::string withoutEnd(std::string text)
{
    while (text.ends_with('\0'))
        text.pop_back();
    return text;
}

} // namespace

fs::path nvrtcIn(const fs::path &folder)
{
    fs::path newest;
    std::vector<int> version;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        const auto found = versionOf(it->path().filename().string());
        if (found && (newest.empty() || *found > version)) {
            newest = it->path();
            version = *found;
        }
    }
    return newest;
}

std::vector<fs::path> nvrtcFolders() { return cudaFolders("lib64", "lib"); }

Result<Nvrtc> Nvrtc::load()
{
    const auto file = find();
    if (!file)
        return fail(file.error());
    // Where there is no file, the system's own.
    void *library = file->empty() ? support::openLibrary({"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"})
                                  : support::openLibrary({file->c_str()});
    if (!library && file->empty())
        return fail(notFound());
    if (!library) {
        const char *reason = dlerror();
        return fail(support::diagnostic("cuda.load", "NVRTC cannot be loaded: "
                                                         + std::string(reason ? reason : file->c_str()))
                        .withHint("install it again, or name another by NESTWRIGHT_NVRTC"));
    }
    support::LibraryFunctions found(library);
    Functions functions{};
    found.find(functions.version, "nvrtcVersion");
    found.find(functions.architectureCount, "nvrtcGetNumSupportedArchs");
    found.find(functions.architectures, "nvrtcGetSupportedArchs");
    found.find(functions.create, "nvrtcCreateProgram");
    found.find(functions.destroy, "nvrtcDestroyProgram");
    found.find(functions.compile, "nvrtcCompileProgram");
    found.find(functions.logSize, "nvrtcGetProgramLogSize");
    found.find(functions.log, "nvrtcGetProgramLog");
    found.find(functions.ptxSize, "nvrtcGetPTXSize");
    found.find(functions.ptx, "nvrtcGetPTX");
    found.find(functions.cubinSize, "nvrtcGetCUBINSize");
    found.find(functions.cubin, "nvrtcGetCUBIN");
    Nvrtc nvrtc;
    Dl_info place{};
    nvrtc.m_path = *file;
    if (found.isWhole() && dladdr(reinterpret_cast<void *>(functions.version), &place) != 0
        && place.dli_fname)
        nvrtc.m_path = place.dli_fname;
    if (!found.isWhole())
        return fail(support::diagnostic("cuda.load", "'" + nvrtc.m_path + "' is too old an NVRTC, or none")
                        .withHint("install the CUDA toolkit 11.2 or later"));
    nvrtc.m_functions = std::make_shared<const Functions>(functions);
    return nvrtc;
}

std::string Nvrtc::version() const
{
    int major = 0, minor = 0;
    m_functions->version(&major, &minor);
    return std::to_string(major) + '.' + std::to_string(minor);
}

std::vector<int> Nvrtc::architectures() const
{
    int count = 0;
    if (m_functions->architectureCount(&count) != 0 || count <= 0)
        return {};
    std::vector<int> list(static_cast<std::size_t>(count));
    m_functions->architectures(list.data());
    return list;
}

Result<Nvrtc::Output> Nvrtc::compile(const std::string &text, const std::string &architecture) const
{
    Functions::Program program = nullptr;
    if (m_functions->create(&program, text.c_str(), "kernels.cu", 0, nullptr, nullptr) != 0)
        return fail("backend.compiler", "NVRTC takes no program");
    const std::string arch = "--gpu-architecture=" + architecture;
    const std::array options{arch.c_str(), "--std=c++17", "--generate-line-info", "--ptxas-options=-v"};
    const int status = m_functions->compile(program, static_cast<int>(options.size()), options.data());
    Output output;
    output.log = withoutEnd(textOf(program, m_functions->logSize, m_functions->log));
    if (status == 0) {
        output.ptx = withoutEnd(textOf(program, m_functions->ptxSize, m_functions->ptx));
        output.cubin = textOf(program, m_functions->cubinSize, m_functions->cubin);
    }
    m_functions->destroy(&program);
    if (status != 0)
        return fail(codes::compilerFailed, "NVRTC failed for " + architecture + ":\n" + output.log);
    return output;
}

} // namespace nestwright::backend
