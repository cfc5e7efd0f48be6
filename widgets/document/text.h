// SPDX-License-Identifier: GPL-3.0-or-later
/// Texts of the core, which knows no Qt, for the window.
#pragma once

#include <QString>

#include <string_view>

namespace nestwright::document {

/// Of UTF-8.
inline QString toQt(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace nestwright::document
