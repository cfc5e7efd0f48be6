// SPDX-License-Identifier: GPL-3.0-or-later
/// The look of Qt's own controls in our colours.
#pragma once

#include <QString>

namespace nestwright::look {

struct Tokens;

/// A style sheet for the application. Labels take a role from their property "role": "title", "secondary",
/// "faint".
QString styleSheet(const Tokens &tokens);

} // namespace nestwright::look
