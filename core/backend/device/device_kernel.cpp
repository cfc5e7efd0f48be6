// SPDX-License-Identifier: Apache-2.0
#include "core/backend/device/device_kernel.h"

#include <algorithm>
#include <cstring>

namespace nestwright::backend {

namespace {

class DeviceCall final : public BoundCall {
public:
    DeviceCall(const DeviceProgram &program, const Entry &entry, Device &device, PackedArguments &arguments)
        : m_device(device)
        , m_arguments(arguments)
        , m_function(program, entry)
        , m_tellsErrors(std::ranges::any_of(program.kernels, &DeviceProgram::Kernel::tellsErrors))
        , m_status(device.allocate(sizeof(std::int32_t)))
    {
        for (std::size_t i = 0; i < entry.arguments.size(); ++i) {
            const std::span<std::byte> bytes = arguments.bytes(i);
            if (entry.arguments[i].kind != Argument::Kind::Buffer) {
                std::uint64_t word = 0;
                std::memcpy(&word, bytes.data(), sizeof word);
                m_words.push_back(word);
                continue;
            }
            m_arrays.push_back(i);
            m_memories.push_back(device.allocate(bytes.size()));
        }
        DeviceCall::update();
        for (const auto &memory : m_memories)
            m_buffers.push_back(memory.get());
        const std::int32_t fine = 0;
        device.upload(*m_status, std::as_bytes(std::span(&fine, 1)));
    }

    std::int32_t run() override
    {
        m_function.run(m_device, m_buffers, m_words, *m_status);
        m_device.finish();
        std::int32_t code = 0;
        if (m_tellsErrors)
            m_device.download(std::as_writable_bytes(std::span(&code, 1)), *m_status);
        return code;
    }

    void update() override
    {
        for (std::size_t i = 0; i < m_arrays.size(); ++i)
            m_device.upload(*m_memories[i], m_arguments.bytes(m_arrays[i]));
    }

    void fetch() override
    {
        for (std::size_t i = 0; i < m_arrays.size(); ++i)
            m_device.download(m_arguments.bytes(m_arrays[i]), *m_memories[i]);
    }

private:
    Device &m_device;
    PackedArguments &m_arguments;
    HostFunction m_function;
    bool m_tellsErrors;
    std::unique_ptr<DeviceMemory> m_status;
    std::vector<std::size_t> m_arrays; ///< the arguments that are arrays
    std::vector<std::unique_ptr<DeviceMemory>> m_memories;
    std::vector<DeviceMemory *> m_buffers;
    std::vector<std::uint64_t> m_words;
};

} // namespace

DeviceKernel::DeviceKernel(std::vector<Entry> entries, DeviceProgram program, std::unique_ptr<Device> device)
    : LoadedKernel(std::move(entries))
    , m_program(std::move(program))
    , m_device(std::move(device))
{
}

std::unique_ptr<BoundCall> DeviceKernel::bind(std::string_view name, PackedArguments &arguments) const
{
    const auto entry = std::ranges::find(entries(), name, &Entry::name);
    return entry == entries().end() ? nullptr
                                    : std::make_unique<DeviceCall>(m_program, *entry, *m_device, arguments);
}

} // namespace nestwright::backend
