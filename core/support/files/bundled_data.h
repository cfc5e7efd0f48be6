// SPDX-License-Identifier: Apache-2.0
/// Data files that the relocatable bundle brings for its libraries: fonts, keyboard layouts.
#pragma once

namespace nestwright::support {

/// Names the bundle's files to the libraries by their variables, where this program lies in a bundle. A
/// variable that is set stays as it is, and so does the system's own where it has the files. Call it before
/// any thread is started.
void useBundledData();

} // namespace nestwright::support
