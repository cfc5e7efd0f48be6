// SPDX-License-Identifier: GPL-3.0-or-later
/// Texts of the core, which knows no Qt, for the window.
#pragma once

#include "core/measure/measurement.h"

#include <QFileInfo>
#include <QString>
#include <QStringList>

#include <string_view>

namespace nestwright::document {

/// Of UTF-8.
inline QString toQt(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// "A = a.npy, B = b.npy"; empty where none is given.
inline QString inputsText(const measure::GivenInputs &inputs)
{
    QStringList texts;
    for (const auto &[name, input] : inputs)
        texts << toQt(name) + QStringLiteral(" = ") + QFileInfo(toQt(input.path)).fileName();
    return texts.join(QStringLiteral(", "));
}

} // namespace nestwright::document
