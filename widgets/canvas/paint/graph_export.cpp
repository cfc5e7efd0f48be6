// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/paint/graph_export.h"

#include "widgets/look/picture_file.h"
#include "widgets/look/tokens.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace nestwright::canvas {

namespace {
constexpr double pictureMargin = 24;
constexpr double mostDots = 64e6, mostAcross = 32'000; // of a PNG
} // namespace

support::Result<void> writeGraph(const GraphPicture &picture, const QString &path, bool dark)
{
    const Scene &scene = *picture.scene;
    if (scene.layout.boxes.empty())
        return support::fail("graph.empty", "there is no graph to export");
    const look::Tokens &t = dark ? look::darkTokens() : look::lightTokens();
    // Labels of edges stand beside them.
    const QRectF area =
        scene.layout.bounds.adjusted(-pictureMargin, -pictureMargin, pictureMargin + 60, pictureMargin);
    double scale = 1;
    double dots = 2;
    if (!path.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive)) {
        const double most = std::min(std::sqrt(mostDots / (area.width() * area.height())),
                                     mostAcross / std::max(area.width(), area.height()));
        dots = std::clamp(most, 1.0, 2.0);
        scale = std::min(1.0, most);
    }
    look::Picture file;
    file.size = (area.size() * scale).toSize();
    file.title = picture.title;
    file.ground = t.pane;
    file.dotsPerPixel = dots;
    file.paint = [&](QPainter &painter) {
        painter.scale(scale, scale);
        painter.translate(-area.topLeft());
        paintGraph(painter, scene, *picture.look, {area, scale}, t);
    };
    return look::writePicture(file, path);
}

} // namespace nestwright::canvas
