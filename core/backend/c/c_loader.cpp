// SPDX-License-Identifier: Apache-2.0
#include "core/backend/c/c_loader.h"

#include "core/backend/link/compiler.h"
#include "core/support/errors/errors.h"

#include <dlfcn.h>

namespace nestwright::backend {

using support::fail;
using support::Result;

namespace {

/// Stays loaded to the end of the process: threads of OpenMP's pool may still be in its code.
class SharedKernel : public LoadedKernel {
public:
    SharedKernel(std::vector<Entry> entries, void *library)
        : LoadedKernel(std::move(entries))
        , m_library(library)
    {
    }
    Packed find(std::string_view name) const override
    {
        for (const Entry &entry : entries()) {
            if (entry.name == name)
                return reinterpret_cast<Packed>(dlsym(m_library, (entry.symbol + "__packed").c_str()));
        }
        return nullptr;
    }

private:
    void *m_library;
};

/// The system's linker takes the first function of a name that it meets, which must be the library's.
Result<void> openLibraries(const Artifact &artifact)
{
    const auto found = findInLibraries(artifact.libraries, artifact.externs);
    if (!found)
        return std::unexpected(found.error());
    for (std::size_t i = 0; i < found->size(); ++i) {
        if (dlsym(RTLD_DEFAULT, artifact.externs[i].c_str()) != (*found)[i])
            return fail(
                support::diagnostic("extern.library", "the function '" + artifact.externs[i]
                                                          + "' of the named library has the name of "
                                                            "a function of this program or the system")
                    .withHint("give it another name, or use the target llvm"));
    }
    return {};
}

Result<std::unique_ptr<LoadedKernel>> opened(const Artifact &artifact, const std::filesystem::path &file)
{
    void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return fail("backend.load", std::string("the kernel cannot be loaded: ") + dlerror());
    return std::make_unique<SharedKernel>(artifact.entries, library);
}

} // namespace

Result<std::unique_ptr<LoadedKernel>> loadSharedObject(const Artifact &artifact)
try {
    if (const auto opened = openLibraries(artifact); !opened)
        return std::unexpected(opened.error());
    if (!artifact.file.empty())
        return opened(artifact, artifact.file);
    const TemporaryFolder folder; // the file may go once it is mapped
    const std::filesystem::path file = folder.path() / "kernel.so";
    writeFile(file, artifact.bytes);
    return opened(artifact, file);
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
}

} // namespace nestwright::backend
