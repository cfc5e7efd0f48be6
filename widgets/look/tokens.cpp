// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/tokens.h"

#include <QPalette>
#include <QWidget>

#include <algorithm>
#include <cmath>

namespace nestwright::look {

namespace {

QColor rgb(unsigned value) { return QColor::fromRgb(value); }

Tokens makeLight()
{
    Tokens t;
    t.ground = rgb(0xF6F7F9);
    t.pane = rgb(0xFFFFFF);
    t.hairline = rgb(0xDDE1E7);
    t.text = rgb(0x1D2433);
    t.secondary = rgb(0x6B7688);
    t.faint = rgb(0x98A2B3);
    t.selectionFill = rgb(0xE7F0FF);
    t.accent = t.selectionBorder = rgb(0x2F6FED);
    t.accentHover = rgb(0x2563DB);
    t.accentPressed = rgb(0x1D54C2);
    t.onAccent = rgb(0xFFFFFF);
    t.keyBadge = rgb(0x5B8DF2);
    t.hover = rgb(0xF1F3F7);
    t.good = rgb(0x18794E);
    t.warn = rgb(0xB7791F);
    t.bad = rgb(0xC4314B);
    t.chip = rgb(0xEEF1F6);
    t.chipText = rgb(0x5A6578);
    t.goodFill = rgb(0xDDF3E7);
    t.infoFill = rgb(0xE6F0FB);
    t.goodChipText = rgb(0x18794E);
    t.infoChipText = rgb(0x285FD0);
    t.warnChipFill = rgb(0xFBF0DC);
    t.warnChipText = rgb(0x8A5A10);
    t.badFill = rgb(0xFFF6F6);
    t.badBorder = rgb(0xF3CCD3);
    t.warnFill = rgb(0xFFFBEB);
    t.warnBorder = rgb(0xF2DFA8);
    t.goodBorder = rgb(0xB9E3CC);
    t.infoBorder = rgb(0xC7DBF7);
    t.bar = rgb(0x9DB9F5);
    t.reference = rgb(0x9A6412);
    t.grid = rgb(0xE6E9EE);
    t.nodeBorder = rgb(0xC5CCD8);
    t.nodeBar = rgb(0x94A3B8);
    t.edge = rgb(0x9AA5B8);
    t.minimapNode = rgb(0xC5CCD8);
    t.link = rgb(0x2A64DA);
    t.keyword = rgb(0x7C3AED);
    t.builtin = rgb(0x0F766E);
    t.number = rgb(0xB45309);
    t.string = rgb(0x18794E);
    t.comment = rgb(0x6B7688);
    t.preprocessor = rgb(0x9A3B76);
    t.axes = {rgb(0x0072B2), rgb(0xC2410C), rgb(0x047857), rgb(0x8A6100),
              rgb(0xBE185D), rgb(0x4653C4), rgb(0x0E7C8C), rgb(0x6F5240)};
    t.block = rgb(0x9D4EDD);
    t.mixedAxis = rgb(0x5B6472);
    return t;
}

Tokens makeDark()
{
    Tokens t;
    t.dark = true;
    t.ground = rgb(0x14171C);
    t.pane = rgb(0x1B1F26);
    t.hairline = rgb(0x2C323C);
    t.text = rgb(0xE6EAF0);
    t.secondary = rgb(0x98A3B3);
    t.faint = rgb(0x6C7788);
    t.selectionFill = rgb(0x1E3050);
    t.accent = t.selectionBorder = rgb(0x5B8DF2);
    t.accentHover = rgb(0x6E9BF5);
    t.accentPressed = rgb(0x4A7DE3);
    t.onAccent = rgb(0x0C1424); // white on this blue has 3.2:1 only
    t.keyBadge = rgb(0x86ABF6);
    t.hover = rgb(0x242A33);
    t.good = rgb(0x5CC99A);
    t.warn = rgb(0xE3B341);
    t.bad = rgb(0xF07A8C);
    t.chip = rgb(0x2A313C);
    t.chipText = rgb(0xA9B3C1);
    t.goodFill = rgb(0x173A2B);
    t.infoFill = rgb(0x1E3050);
    t.goodChipText = rgb(0x5CC99A);
    t.infoChipText = rgb(0x7BA4F6);
    t.warnChipFill = rgb(0x3A3118);
    t.warnChipText = rgb(0xE3B341);
    t.badFill = rgb(0x2A1C20);
    t.badBorder = rgb(0x55303A);
    t.warnFill = rgb(0x2A2618);
    t.warnBorder = rgb(0x4F4423);
    t.goodBorder = rgb(0x235A42);
    t.infoBorder = rgb(0x2C4778);
    t.bar = rgb(0x3A5A9E);
    t.reference = rgb(0xE3B341);
    t.grid = rgb(0x272D36);
    t.nodeBorder = rgb(0x3E4755);
    t.nodeBar = rgb(0x94A3B8);
    t.edge = rgb(0x7A8494);
    t.minimapNode = rgb(0x4A5464);
    t.link = rgb(0x7BA4F6);
    t.keyword = rgb(0xC79BF2);
    t.builtin = rgb(0x5CC9C0);
    t.number = rgb(0xDBA057);
    t.string = rgb(0x8CCF9E);
    t.comment = rgb(0x8490A2);
    t.preprocessor = rgb(0xE38DBE);
    t.axes = {rgb(0x56B4E9), rgb(0xF28C5A), rgb(0x3CCB9A), rgb(0xE0C04C),
              rgb(0xF58FB8), rgb(0xA3ACFA), rgb(0x62D2E2), rgb(0xCDAA90)};
    t.block = rgb(0xC79BF2);
    t.mixedAxis = rgb(0xA9B3C1);
    return t;
}

double luminance(const QColor &color)
{
    const auto linear = [](double channel) {
        return channel <= 0.03928 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

} // namespace

const Tokens &lightTokens()
{
    static const Tokens light = makeLight();
    return light;
}

const Tokens &darkTokens()
{
    static const Tokens dark = makeDark();
    return dark;
}

const Tokens &tokens(const QPalette &palette)
{
    return palette.color(QPalette::Window).lightnessF() < 0.5F ? darkTokens() : lightTokens();
}

const Tokens &tokens(const QWidget *widget) { return tokens(widget->palette()); }

double contrast(const QColor &a, const QColor &b)
{
    const auto [darker, lighter] = std::minmax({luminance(a), luminance(b)});
    return (lighter + 0.05) / (darker + 0.05);
}

QColor mixed(const QColor &a, const QColor &b, double share)
{
    const auto mix = [share](float x, float y) { return static_cast<float>(x + (y - x) * share); };
    return QColor::fromRgbF(mix(a.redF(), b.redF()), mix(a.greenF(), b.greenF()), mix(a.blueF(), b.blueF()),
                            mix(a.alphaF(), b.alphaF()));
}

} // namespace nestwright::look
