// SPDX-License-Identifier: Apache-2.0
/// Shared libraries that are loaded at run time, and their functions.
#pragma once

#include <dlfcn.h>

#include <initializer_list>

namespace nestwright::support {

/// The first library of those names that is there, by dlopen; null where none is.
inline void *openLibrary(std::initializer_list<const char *> names)
{
    for (const char *name : names) {
        if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
            return library;
    }
    return nullptr;
}

/// Finds functions by their names, and tells whether all were there.
class LibraryFunctions {
public:
    /// `library`: of dlopen, or null, which has none.
    explicit LibraryFunctions(void *library) : m_library(library), m_isWhole(library != nullptr) {}

    /// Sets `function`, to null where the library has none of that name.
    template <class F> void find(F &function, const char *name)
    {
        function = m_library ? reinterpret_cast<F>(dlsym(m_library, name)) : nullptr;
        m_isWhole = m_isWhole && function;
    }
    bool isWhole() const { return m_isWhole; }

private:
    void *m_library;
    bool m_isWhole;
};

} // namespace nestwright::support
