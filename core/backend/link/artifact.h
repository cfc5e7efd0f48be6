// SPDX-License-Identifier: Apache-2.0
/// Compiled kernels as bytes, to be sent to the worker, loaded, or exported.
#pragma once

#include "core/backend/link/externs.h"
#include "core/ir/node/function.h"
#include "core/support/errors/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright::backend {

/// One argument of a kernel. Kernels take, in this order: the parameters, then the symbolic sizes that no
/// parameter gives.
struct Argument {
    enum class Kind : std::uint8_t {
        Buffer, ///< a pointer to the data
        Scalar, ///< a scalar parameter
        Size,   ///< a symbolic size, known from the shape of buffer argument `buffer`, dimension `dimension`
    };
    Kind kind = Kind::Buffer;
    std::string name;
    ir::DataType dtype;              ///< of the elements, or of the scalar
    std::vector<std::int64_t> shape; ///< Buffer: −1 where symbolic
    int buffer = -1;                 ///< Size: index into the arguments
    int dimension = -1;              ///< Size

    bool operator==(const Argument &) const = default;
};

/// A function of the object. Called naturally it is `int32_t NAME(args…)`; packed it is `int32_t
/// NAME__packed(void **args)`, each element pointing to the buffer's data or to the scalar. Both return 0 or
/// a code of runtime.h.
struct Entry {
    std::string name;   ///< of the function in the module
    std::string symbol; ///< its natural C name; the packed one is `symbol + "__packed"`
    std::vector<Argument> arguments;

    bool operator==(const Entry &) const = default;
};

enum class Format : std::uint8_t {
    Object,         ///< relocatable ELF (loaded by LLVM's linker)
    SharedObject,   ///< loaded by the system's
    OpenClDevice,   ///< a DeviceProgram whose source is OpenCL C
    CudaDevice,     ///< a DeviceProgram whose source is machine code of a GPU
    EmulatedDevice, ///< a DeviceProgram whose source is a shared object for this processor
};

/// Whether a driver runs the kernels, on a device.
constexpr bool hasDriver(Format format)
{
    return format == Format::OpenClDevice || format == Format::CudaDevice;
}

struct Artifact {
    Format format = Format::Object;
    std::string bytes;
    std::vector<Entry> entries;
    std::string target;               ///< target::Target::str()
    std::vector<std::string> externs; ///< functions that `libraries` must have
    ExternLibraries libraries;
    bool isEdited = false; ///< a person wrote its text: not even its loading is left to itself
    std::string file{};    ///< where `bytes` lie already, for a linker that loads files; empty: nowhere

    const Entry *find(std::string_view name) const;
    /// The entry `find`s, or the only one when `name` is empty.
    const Entry *mainEntry() const;
};

/// How a function is called: its arguments, and the variable that each of them sets.
struct Signature {
    std::vector<Argument> arguments;
    std::vector<ir::Var> variables; ///< Buffer: the handle parameter; Size: the free variable of the shapes
};

/// The signature of `function`, taken before lowering (flat buffers no longer tell their dimensions). Errors:
/// "backend.symbolic-size": a size that is no dimension of any buffer.
support::Result<Signature> signatureOf(const ir::PrimFunc &function);

/// A lowered module with the signature of each of its functions, in order: the input of a backend. Kernels
/// that functions launch come after them.
struct Unit {
    ir::Module flat;
    std::vector<Signature> signatures;

    /// Names, symbols and arguments as an artifact states them.
    std::vector<Entry> entries() const;
};

/// The C name of a function: its "global_symbol", or else its name, made an identifier that is no C keyword.
std::string symbolOf(const ir::Module::Entry &entry);

} // namespace nestwright::backend
