// SPDX-License-Identifier: Apache-2.0
/// The functions of a shared library that is loaded at run time.
#pragma once

#include <dlfcn.h>

namespace nestwright::support {

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
