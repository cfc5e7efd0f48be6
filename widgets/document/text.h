// SPDX-License-Identifier: GPL-3.0-or-later
/// Texts of the core, which knows no Qt, for the window.
#pragma once

#include "core/measure/measurement.h"

#include <QFileInfo>
#include <QString>
#include <QStringList>

#include <string_view>

namespace nestwright::document {

/// Converts UTF-8.
inline QString toQt(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// "1 thread", "2 threads".
QString counted(int count, const QString &noun);

/// "a, b, 3 more": at most so many names, and how many there are beyond them.
QString firstOf(const QStringList &names, int most);

/// A sentence for people: a capital at the beginning, a full stop at the end.
QString sentence(std::string_view text);

/// The fault and the remedy: two sentences, or one where there is no remedy.
QString explanation(const support::Diagnostic &diagnostic);

/// "matmul.py — ~/kernels": a file with its folder, which is cut in the middle where it is long.
QString fileInFolder(const QString &path);

/// "A = a.npy, B = b.npy"; empty where none is given.
inline QString inputsText(const measure::GivenInputs &inputs)
{
    QStringList texts;
    for (const auto &[name, input] : inputs)
        texts << toQt(name) + QStringLiteral(" = ") + QFileInfo(toQt(input.path)).fileName();
    return texts.join(QStringLiteral(", "));
}

} // namespace nestwright::document
