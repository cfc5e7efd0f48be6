// SPDX-License-Identifier: GPL-3.0-or-later
/// The part of the look that a style sheet cannot express: time of movements, icon sizes, tool tips on
/// disabled controls, focus rings of rows.
#pragma once

#include <QProxyStyle>

namespace nestwright::look {

/// Fusion below, the style sheet of `styleSheet()` above.
class Style : public QProxyStyle {
    Q_OBJECT
public:
    Style();

    void setReducedMotion(bool reduced) { m_reducedMotion = reduced; }

    int styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                  QStyleHintReturn *data) const override;
    int pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const override;
    void drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                       const QWidget *widget) const override;

private:
    bool m_reducedMotion = false;
};

} // namespace nestwright::look
