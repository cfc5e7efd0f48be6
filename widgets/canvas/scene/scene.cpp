// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/scene/scene.h"

namespace nestwright::canvas {

Scene makeScene(FoldedGraph folded, GraphLayout layout)
{
    Scene scene{std::move(folded), std::move(layout), {}, {}};
    scene.nodeIndex = SpatialIndex(scene.layout.boxes);
    std::vector<QRectF> routes;
    routes.reserve(scene.layout.routes.size());
    for (const QPolygonF &route : scene.layout.routes) {
        routes.push_back(route.isEmpty() ? QRectF() : route.boundingRect());
    }
    scene.edgeIndex = SpatialIndex(routes);
    return scene;
}

Scene withTexts(const Scene &scene, FoldedGraph folded)
{
    Scene other = scene;
    other.folded = std::move(folded);
    return other;
}

} // namespace nestwright::canvas
