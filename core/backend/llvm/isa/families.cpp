// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/isa/processor_family.h"

#include <llvm/TargetParser/Triple.h>

#include <array>

namespace nestwright::backend {

// The defaults hold for processors of which nothing but LLVM's own is known.

bool ProcessorFamily::isUsable(std::string_view) const { return true; }

support::Result<void> ProcessorFamily::check(const llvm::Triple &, const std::string &,
                                             const llvm::MCSubtargetInfo &) const
{
    return {};
}

int ProcessorFamily::vectorBits(const llvm::MCSubtargetInfo &) const { return 128; }

FloatUnit ProcessorFamily::floats(const llvm::MCSubtargetInfo &) const { return {}; }

std::string ProcessorFamily::multiplyAdd(int, const llvm::MCSubtargetInfo &) const { return {}; }

std::string ProcessorFamily::vectorLoad(int, const llvm::MCSubtargetInfo &) const { return {}; }

llvm::Value *ProcessorFamily::expanded(std::string_view, std::span<llvm::Value *const>, llvm::IRBuilderBase &,
                                       const llvm::MCSubtargetInfo &) const
{
    return nullptr;
}

void ProcessorFamily::orderStreamedStores(llvm::IRBuilderBase &) const {}

std::vector<const Extension *> ProcessorFamily::extensionsOf(const llvm::TargetMachine &) const { return {}; }

void ProcessorFamily::guard(llvm::Module &, const std::vector<const Extension *> &) const {}

bool ProcessorFamily::reads(const llvm::Triple &) const { return false; }

std::string_view ProcessorFamily::stackSlot(std::string_view) const { return {}; }

std::optional<Arithmetic> ProcessorFamily::arithmeticOf(std::string_view) const { return std::nullopt; }

int ProcessorFamily::vectorBitsOf(std::string_view) const { return 128; }

namespace {

class UnknownFamily final : public ProcessorFamily {
public:
    bool has(const llvm::Triple &) const override { return true; }
};

} // namespace

const ProcessorFamily &x86Family();
const ProcessorFamily &aarch64Family();

std::span<const ProcessorFamily *const> processorFamilies()
{
    static const std::array families{&x86Family(), &aarch64Family()};
    return families;
}

const ProcessorFamily &familyOf(const llvm::Triple &triple)
{
    static const UnknownFamily unknown;
    for (const ProcessorFamily *family : processorFamilies()) {
        if (family->has(triple))
            return *family;
    }
    return unknown;
}

} // namespace nestwright::backend
