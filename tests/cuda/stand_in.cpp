// SPDX-License-Identifier: Apache-2.0
// Stands in for NVIDIA's compiler, driver and cuBLAS where there is no GPU: takes CUDA C++, has the system's
// compiler make code for this processor of it, and runs that. NESTWRIGHT_CUDA_FAULT says what goes wrong:
//   none      there is no GPU                         lost     it is gone at the third launch
//   mismatch  the driver was updated while in use     outside  a kernel reads outside of its arrays
//   memory    more than 1 KB cannot be had            endless  a kernel never ends
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int compilerFailed = 6, badValue = 1;
constexpr int mostSharedAtLaunch = 227 * 1024;
constexpr int outOfMemory = 2, noDevice = 100, outside = 700, mismatch = 803, failed = 719, lost = 999;

bool fault(const char *name)
{
    const char *set = std::getenv("NESTWRIGHT_CUDA_FAULT");
    return set && std::strcmp(set, name) == 0;
}

struct Program {
    std::string text, architecture, log, code;
    std::vector<std::string> kernels;
};

std::string contents(const std::filesystem::path &file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::filesystem::path newFolder()
{
    std::string name = (std::filesystem::temp_directory_path() / "stand_in_XXXXXX").string();
    return mkdtemp(name.data());
}

bool compile(Program &program)
{
    static const std::regex kernel(R"(__launch_bounds__\([^)]*\)\s*void (\w+)\(|__global__ void (\w+)\()");
    static const std::regex atLaunch(R"(extern (__shared__ .*)\[\];)");
    std::string text =
        contents(NESTWRIGHT_EMULATION)
        + std::regex_replace(program.text, atLaunch, "$1[" + std::to_string(mostSharedAtLaunch) + "];");
    for (std::sregex_iterator it(program.text.begin(), program.text.end(), kernel), end; it != end; ++it) {
        program.kernels.push_back((*it)[1].matched ? (*it)[1] : (*it)[2]);
        text += "\nNW_LAUNCH(" + program.kernels.back() + ")\n";
    }
    const std::filesystem::path folder = newFolder(), source = folder / "kernels.cpp",
                                object = folder / "kernels.so", messages = folder / "messages";
    std::ofstream(source) << text;
    const std::string command = "c++ -x c++ -std=c++17 -O1 -w -fPIC -shared -fno-strict-aliasing "
                                "-fno-exceptions -U_FORTIFY_SOURCE -o '"
                                + object.string() + "' '" + source.string() + "' -lm 2> '" + messages.string()
                                + '\'';
    const bool isMade = std::system(command.c_str()) == 0;
    program.code = contents(object);
    std::ostringstream log;
    for (const std::string &name : program.kernels)
        log << "ptxas info    : Compiling entry function '" << name << "' for '" << program.architecture
            << "'\nptxas info    : Used 32 registers, used 1 barriers, 0 bytes smem\n";
    program.log = isMade ? log.str() : contents(messages);
    std::filesystem::remove_all(folder);
    return isMade;
}

std::size_t sizeOfImage(const void *image)
{
    Elf64_Ehdr head;
    std::memcpy(&head, image, sizeof head);
    return head.e_shoff + std::size_t{head.e_shentsize} * head.e_shnum;
}

using Launch = int (*)(void **arguments, const std::int64_t *blocks, const std::int64_t *threads);
int failure = 0;                           ///< of a kernel, told when it is waited for
std::map<void *, unsigned> sharedAtLaunch; ///< bytes that a function may be given

int give(std::size_t *size, const std::string &text)
{
    *size = text.size() + 1;
    return 0;
}

int give(char *to, const std::string &text)
{
    std::memcpy(to, text.c_str(), text.size() + 1);
    return 0;
}

/// As BLAS defines it, by columns.
template <class T>
int product(bool isTransposedX, bool isTransposedY, int m, int n, int k, T alpha, const T *x, int strideX,
            const T *y, int strideY, T beta, T *z, int strideZ)
{
    if (strideX < (isTransposedX ? k : m) || strideY < (isTransposedY ? n : k) || strideZ < m)
        return 7; // an invalid value
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            T sum = 0;
            for (int l = 0; l < k; ++l)
                sum += x[isTransposedX ? l + i * strideX : i + l * strideX]
                       * y[isTransposedY ? j + l * strideY : l + j * strideY];
            z[i + j * strideZ] = alpha * sum + (beta == 0 ? 0 : beta * z[i + j * strideZ]);
        }
    }
    return 0;
}

} // namespace

extern "C" {

int nvrtcVersion(int *major, int *minor)
{
    *major = 13;
    *minor = 0;
    return 0;
}
int nvrtcGetNumSupportedArchs(int *count)
{
    *count = 2;
    return 0;
}
int nvrtcGetSupportedArchs(int *list)
{
    list[0] = 80;
    list[1] = 90;
    return 0;
}
int nvrtcCreateProgram(Program **made, const char *text, const char *, int, const char *const *,
                       const char *const *)
{
    *made = new Program{text, {}, {}, {}, {}};
    return 0;
}
int nvrtcDestroyProgram(Program **program)
{
    delete *program;
    return 0;
}
int nvrtcCompileProgram(Program *program, int count, const char *const *options)
{
    const std::string_view wanted = "--gpu-architecture=";
    for (int i = 0; i < count; ++i) {
        if (std::string_view(options[i]).starts_with(wanted))
            program->architecture = options[i] + wanted.size();
    }
    return compile(*program) ? 0 : compilerFailed;
}
int nvrtcGetProgramLogSize(Program *program, std::size_t *size) { return give(size, program->log); }
int nvrtcGetProgramLog(Program *program, char *to) { return give(to, program->log); }
int nvrtcGetPTXSize(Program *program, std::size_t *size) { return give(size, program->architecture); }
int nvrtcGetPTX(Program *program, char *to) { return give(to, program->architecture); }
int nvrtcGetCUBINSize(Program *program, std::size_t *size)
{
    *size = program->code.size();
    return 0;
}
int nvrtcGetCUBIN(Program *program, char *to)
{
    std::memcpy(to, program->code.data(), program->code.size());
    return 0;
}

int cuInit(unsigned) { return fault("none") ? noDevice : fault("mismatch") ? mismatch : 0; }
int cuDriverGetVersion(int *version)
{
    *version = 13000;
    return 0;
}
int cuGetErrorString(int code, const char **text)
{
    *text = code == mismatch ? "system has unsupported display driver / cuda driver combination" : nullptr;
    return *text ? 0 : 1;
}
int cuDeviceGetCount(int *count)
{
    *count = 1;
    return 0;
}
int cuDeviceGet(int *device, int)
{
    *device = 0;
    return 0;
}
int cuDeviceGetName(char *name, int length, int)
{
    std::strncpy(name, "Stand-in GPU", static_cast<std::size_t>(length));
    return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int)
{
    switch (attribute) {
    case 1: *value = 1024; return 0;      // threads of a block
    case 8: *value = 48 * 1024; return 0; // shared memory of a block
    case 16: *value = 2; return 0;        // multiprocessors
    case 38: *value = 1 << 20; return 0;  // bytes of the last cache
    case 75: *value = 9; return 0;        // architecture
    case 76: *value = 0; return 0;
    default: return 1;
    }
}
int cuDeviceTotalMem_v2(std::size_t *bytes, int)
{
    *bytes = std::size_t{1} << 30;
    return 0;
}
int cuCtxCreate_v2(void **context, unsigned, int)
{
    static int only;
    *context = &only;
    return 0;
}
int cuCtxDestroy_v2(void *) { return 0; }
int cuCtxSynchronize() { return fault("outside") ? outside : failure; }
int cuModuleLoadData(void **module, const void *image)
{
    const std::filesystem::path folder = newFolder(), file = folder / "kernels.so";
    std::ofstream(file, std::ios::binary)
        .write(static_cast<const char *>(image), static_cast<std::streamsize>(sizeOfImage(image)));
    *module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    std::filesystem::remove_all(folder);
    return *module ? 0 : 200;
}
int cuModuleUnload(void *module) { return dlclose(module); }
int cuModuleGetFunction(void **function, void *module, const char *name)
{
    *function = dlsym(module, (std::string("nw_launch_") + name).c_str());
    return *function ? 0 : 500;
}
int cuFuncSetAttribute(void *function, int attribute, int value)
{
    if (!function || attribute != 8 || value > mostSharedAtLaunch)
        return badValue;
    sharedAtLaunch[function] = static_cast<unsigned>(value);
    return 0;
}
int cuMemAlloc_v2(unsigned long long *memory, std::size_t bytes)
{
    if (fault("memory") && bytes > 1024)
        return outOfMemory;
    constexpr std::size_t alignment = 256;
    void *made = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    *memory = reinterpret_cast<std::uintptr_t>(made);
    return made ? 0 : outOfMemory;
}
int cuMemFree_v2(unsigned long long memory)
{
    std::free(reinterpret_cast<void *>(memory));
    return 0;
}
int cuMemcpyHtoD_v2(unsigned long long to, const void *from, std::size_t bytes)
{
    std::memcpy(reinterpret_cast<void *>(to), from, bytes);
    return 0;
}
int cuMemcpyDtoH_v2(void *to, unsigned long long from, std::size_t bytes)
{
    std::memcpy(to, reinterpret_cast<void *>(from), bytes);
    return 0;
}
int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                   unsigned blockY, unsigned blockZ, unsigned sharedBytes, void *, void **arguments, void **)
{
    if (sharedBytes > std::max(48U * 1024, sharedAtLaunch[function]))
        return badValue;
    static int launches = 0;
    if (fault("lost") && ++launches > 2)
        return lost;
    while (fault("endless")) {
    }
    const std::int64_t blocks[] = {gridX, gridY, gridZ}, threads[] = {blockX, blockY, blockZ};
    if (reinterpret_cast<Launch>(function)(arguments, blocks, threads) != 0)
        failure = failed;
    return 0;
}

int cublasCreate_v2(void **handle)
{
    static int only;
    *handle = &only;
    return 0;
}
int cublasDestroy_v2(void *) { return 0; }
int cublasGetVersion_v2(void *, int *version)
{
    *version = 130200;
    return 0;
}
int cublasSgemm_v2(void *, int a, int b, int m, int n, int k, const float *alpha, const float *x, int strideX,
                   const float *y, int strideY, const float *beta, float *z, int strideZ)
{
    return product(a != 0, b != 0, m, n, k, *alpha, x, strideX, y, strideY, *beta, z, strideZ);
}
int cublasDgemm_v2(void *, int a, int b, int m, int n, int k, const double *alpha, const double *x,
                   int strideX, const double *y, int strideY, const double *beta, double *z, int strideZ)
{
    return product(a != 0, b != 0, m, n, k, *alpha, x, strideX, y, strideY, *beta, z, strideZ);
}

} // extern "C"
