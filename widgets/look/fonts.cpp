// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/fonts.h"

#include <QFontDatabase>

namespace nestwright::look {

namespace {

constexpr double pointsPerPixel = 0.75; // at 96 dots per inch

double &scale()
{
    static double value = 1;
    return value;
}

/// The first installed family, or the system's own.
QString chosen(std::initializer_list<const char *> families, QFontDatabase::SystemFont fallback)
{
    for (const char *family : families) {
        if (QFontDatabase::hasFamily(QLatin1String(family)))
            return QLatin1String(family);
    }
    return QFontDatabase::systemFont(fallback).family();
}

const QString &interfaceFamily()
{
    static const QString family = chosen({"Inter", "Inter Variable"}, QFontDatabase::GeneralFont);
    return family;
}

const QString &codeFamily()
{
    static const QString family = chosen({"JetBrains Mono", "DejaVu Sans Mono"}, QFontDatabase::FixedFont);
    return family;
}

} // namespace

QFont interfaceFont(double px, QFont::Weight weight)
{
    QFont font(interfaceFamily());
    font.setPointSizeF(px * pointsPerPixel * scale());
    font.setWeight(weight);
    font.setFeature(QFont::Tag("tnum"), 1);
    return font;
}

QFont codeFont(double px, QFont::Weight weight)
{
    QFont font(codeFamily());
    font.setPointSizeF(px * pointsPerPixel * scale());
    font.setWeight(weight);
    font.setStyleHint(QFont::Monospace);
    font.setFixedPitch(true);
    font.setFeature(QFont::Tag("calt"), 0); // a ligature would hide how many characters there are
    return font;
}

double textScale() { return scale(); }

void setTextScale(double value) { scale() = value; }

bool hasIntendedFonts()
{
    return interfaceFamily().startsWith(QLatin1String("Inter"))
           && codeFamily() == QLatin1String("JetBrains Mono");
}

} // namespace nestwright::look
