// SPDX-License-Identifier: Apache-2.0
#include "core/backend/link/loaded_kernel.h"

#include "core/backend/codes.h"
#include "core/backend/link/runtime.h"
#include "core/backend/table/backend_table.h"
#include "core/support/errors/errors.h"

#include <bit>
#include <cstring>

namespace nestwright::backend {

using support::fail;
using support::Result;

namespace {

std::string shapeText(const std::vector<std::int64_t> &shape)
{
    std::string text = "(";
    for (const std::int64_t extent : shape)
        text += (text.size() > 1 ? ", " : "") + (extent < 0 ? std::string("any") : std::to_string(extent));
    return text + ')';
}

Result<void> checkBuffer(const Argument &argument, const ir::NdArray &array)
{
    bool fits = array.dtype() == argument.dtype.element() || array.dtype() == argument.dtype;
    fits = fits && array.shape().size() == argument.shape.size();
    for (std::size_t d = 0; fits && d < argument.shape.size(); ++d)
        fits = argument.shape[d] < 0 || argument.shape[d] == array.shape()[d];
    if (fits)
        return {};
    return fail("backend.arguments", "the buffer '" + argument.name + "' is " + argument.dtype.str() + ' '
                                         + shapeText(argument.shape) + ", but the array given for it is "
                                         + array.dtype().str() + ' ' + shapeText(array.shape()));
}

/// `value` (an integer, or the bits of a double) in the first bytes of a word, in the kernel's type.
std::uint64_t wordOf(std::int64_t value, ir::DataType dtype)
{
    if (!dtype.isFloating())
        return static_cast<std::uint64_t>(value); // the low bytes come first
    ir::NdArray one(dtype.element(), {});
    one.set(0, std::bit_cast<double>(value));
    std::uint64_t word = 0;
    std::memcpy(&word, one.bytes().data(), one.bytes().size());
    return word;
}

/// A function in this process's memory.
class HostCall final : public BoundCall {
public:
    HostCall(LoadedKernel::Packed function, void **arguments) : m_function(function), m_arguments(arguments)
    {
    }
    std::int32_t run() override { return m_function(m_arguments); }

private:
    LoadedKernel::Packed m_function;
    void **m_arguments;
};

Result<void> called(const LoadedKernel &kernel, std::string_view entry, PackedArguments &arguments)
try {
    const auto bound = kernel.bind(entry, arguments);
    if (const std::int32_t code = bound->run(); code != 0)
        return fail(codes::kernelError, describeKernelCode(code));
    bound->fetch();
    return {};
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
}

} // namespace

Result<std::unique_ptr<LoadedKernel>> load(const Artifact &artifact)
{
    for (const Backend *backend : backends()) {
        const auto loader = std::ranges::find(backend->loaders, artifact.format, &Loader::format);
        if (loader != backend->loaders.end())
            return loader->load(artifact);
    }
    return fail(codes::notBuilt, "this program was built without the loader for kernels of the target '"
                                     + artifact.target + '\'');
}

Result<PackedArguments> PackedArguments::make(const Entry &entry, std::span<ir::NdArray *const> buffers,
                                              std::span<const std::int64_t> scalars)
{
    PackedArguments packed;
    std::size_t buffer = 0, scalar = 0;
    std::vector<const ir::NdArray *> byArgument;
    for (const Argument &argument : entry.arguments) {
        byArgument.push_back(nullptr);
        std::int64_t value = 0;
        if (argument.kind == Argument::Kind::Buffer) {
            if (buffer == buffers.size())
                return fail("backend.arguments", "no array is given for the buffer '" + argument.name + '\'');
            ir::NdArray &array = *buffers[buffer++];
            if (auto fits = checkBuffer(argument, array); !fits)
                return std::unexpected(fits.error());
            byArgument.back() = &array;
            packed.m_pointers.push_back(array.bytes().data());
            packed.m_bytes.push_back(array.bytes());
            continue;
        }
        if (argument.kind == Argument::Kind::Scalar) {
            if (scalar == scalars.size())
                return fail("backend.arguments",
                            "no value is given for the parameter '" + argument.name + '\'');
            value = scalars[scalar++];
        } else {
            const ir::NdArray *array = byArgument[static_cast<std::size_t>(argument.buffer)];
            value = array->shape()[static_cast<std::size_t>(argument.dimension)];
        }
        packed.m_scalars.push_back(std::make_unique<std::uint64_t>(wordOf(value, argument.dtype)));
        packed.m_pointers.push_back(packed.m_scalars.back().get());
        packed.m_bytes.push_back(std::as_writable_bytes(std::span(packed.m_scalars.back().get(), 1)));
    }
    if (buffer != buffers.size() || scalar != scalars.size())
        return fail("backend.arguments", '\'' + entry.name + "' takes " + std::to_string(buffer)
                                             + " arrays and " + std::to_string(scalar) + " scalars, but "
                                             + std::to_string(buffers.size()) + " and "
                                             + std::to_string(scalars.size()) + " were given");
    return packed;
}

std::unique_ptr<BoundCall> LoadedKernel::bind(std::string_view name, PackedArguments &arguments) const
{
    const Packed function = find(name);
    return function ? std::make_unique<HostCall>(function, arguments.data()) : nullptr;
}

Result<void> call(const LoadedKernel &kernel, std::string_view entry, std::span<ir::NdArray *const> buffers,
                  std::span<const std::int64_t> scalars)
{
    for (const Entry &candidate : kernel.entries()) {
        if (candidate.name != entry)
            continue;
        auto packed = PackedArguments::make(candidate, buffers, scalars);
        if (!packed)
            return std::unexpected(packed.error());
        return called(kernel, entry, *packed);
    }
    return fail("backend.arguments", "the compiled module has no function '" + std::string(entry) + '\'');
}

} // namespace nestwright::backend
