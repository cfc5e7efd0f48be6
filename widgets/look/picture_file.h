// SPDX-License-Identifier: GPL-3.0-or-later
/// Pictures as files: PNG or SVG.
#pragma once

#include "core/support/errors/result.h"

#include <QColor>
#include <QSize>
#include <QString>

#include <functional>

class QPainter;

namespace nestwright::look {

/// A painting and its size in pixels.
struct Picture {
    QSize size;
    QString title; ///< within an SVG
    QColor ground;
    double dotsPerPixel = 2; ///< of a PNG
    std::function<void(QPainter &)> paint;
};

/// Writes "….png" or "….svg"; needs no UI thread if `paint` needs none. Errors: "picture.unknown-form"
/// (another ending), "picture.cannot-draw", "file.write".
support::Result<void> writePicture(const Picture &picture, const QString &path);

/// Replaces a file in one go. Error: "file.write".
support::Result<void> writeBytes(const QString &path, const QByteArray &bytes);

} // namespace nestwright::look
