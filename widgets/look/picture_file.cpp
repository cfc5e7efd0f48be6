// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/picture_file.h"

#include "core/support/files/atomic_file.h"

#include <QBuffer>
#include <QFileInfo>
#include <QImage>
#include <QPainter>
#include <QSvgGenerator>

namespace nestwright::look {

namespace {

support::Result<void> cannotDraw(const QString &path, const QString &reason)
{
    return support::fail(
        support::diagnostic("picture.cannot-draw",
                            QStringLiteral("'%1' cannot be drawn: %2").arg(path, reason).toStdString())
            .withHint("choose another form, such as .svg"));
}

support::Result<void> writeSvg(const Picture &picture, const QString &path)
{
    QSvgGenerator svg;
    QByteArray bytes;
    QBuffer buffer(&bytes);
    svg.setOutputDevice(&buffer);
    svg.setSize(picture.size);
    svg.setViewBox(QRect(QPoint(), picture.size));
    svg.setTitle(picture.title);
    QPainter painter(&svg);
    painter.fillRect(QRect(QPoint(), picture.size), picture.ground);
    picture.paint(painter);
    painter.end();
    return writeBytes(path, bytes);
}

support::Result<void> writePng(const Picture &picture, const QString &path)
{
    QImage image((QSizeF(picture.size) * picture.dotsPerPixel).toSize().expandedTo(QSize(1, 1)),
                 QImage::Format_RGB32);
    if (image.isNull())
        return cannotDraw(path, QStringLiteral("there is no memory for a picture of that size"));
    image.setDevicePixelRatio(picture.dotsPerPixel);
    image.fill(picture.ground);
    QPainter painter(&image);
    picture.paint(painter);
    painter.end();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    if (!image.save(&buffer, "PNG"))
        return cannotDraw(path, QStringLiteral("the picture could not be encoded"));
    return writeBytes(path, bytes);
}

} // namespace

support::Result<void> writeBytes(const QString &path, const QByteArray &bytes)
{
    const std::string_view view(bytes.constData(), static_cast<std::size_t>(bytes.size()));
    if (auto written = support::writeAtomically(path.toStdString(), view); !written)
        return support::fail(written.error());
    return {};
}

support::Result<void> writePicture(const Picture &picture, const QString &path)
{
    const QString ending = QFileInfo(path).suffix().toLower();
    if (ending == QLatin1String("svg"))
        return writeSvg(picture, path);
    if (ending == QLatin1String("png"))
        return writePng(picture, path);
    return support::fail(
        support::diagnostic("picture.unknown-form",
                            QStringLiteral("'%1' is no form of a picture").arg(path).toStdString())
            .withHint("end the name in .png or .svg"));
}

} // namespace nestwright::look
