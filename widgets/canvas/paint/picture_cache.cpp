// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/paint/picture_cache.h"

#include "widgets/look/tokens.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace nestwright::canvas {

namespace {

constexpr double around = 0.5;       // of the size of the view: painted beyond each side
constexpr double reserve = 0.15;     // nearer to the end of the picture the next one is begun
constexpr double beyondBounds = 240; // labels of edges reach out

// Milliseconds that things cost, near and far.
constexpr double nearNode = 0.035, plainNode = 0.012, farNode = 0.001;
constexpr double nearPoint = 0.008, farPoint = 0.0024;
constexpr double nearPixel = 0.00017; // of a curve's length
constexpr double quick = 6;

QRectF extended(const QRectF &area, double share)
{
    return area.adjusted(-area.width() * share, -area.height() * share, area.width() * share,
                         area.height() * share);
}

double curveCost(const QPolygonF &route, const GraphView &view)
{
    double cost = 0;
    for (qsizetype i = 1; i < route.size(); ++i) {
        const auto [left, right] = std::minmax({route[i - 1].x(), route[i].x()});
        const auto [top, bottom] = std::minmax({route[i - 1].y(), route[i].y()});
        const double wide = std::min(right, view.visible.right()) - std::max(left, view.visible.left());
        const double high = std::min(bottom, view.visible.bottom()) - std::max(top, view.visible.top());
        if (wide >= 0 && high >= 0)
            cost += nearPoint + (wide + high) * view.scale * nearPixel;
    }
    return cost;
}

QRectF paintable(const Scene &scene)
{
    return scene.layout.bounds.adjusted(-beyondBounds, -beyondBounds, beyondBounds, beyondBounds);
}

} // namespace

bool isQuick(const Scene &scene, const GraphView &view)
{
    const double perNode = view.scale >= textsFrom        ? nearNode
                           : view.scale >= boxesOnlyBelow ? plainNode
                                                          : farNode;
    double cost = static_cast<double>(scene.nodeIndex.within(view.visible).size()) * perNode;
    for (const int edge : scene.edgeIndex.within(view.visible)) {
        const QPolygonF &route = scene.layout.routes[static_cast<std::size_t>(edge)];
        cost += view.scale >= boxesOnlyBelow ? curveCost(route, view)
                                             : static_cast<double>(route.size()) * farPoint;
        if (cost > quick)
            return false;
    }
    return cost <= quick;
}

bool PictureCache::isFresh(const PictureWish &wish) const
{
    if (!m_made)
        return false;
    const PictureWish &made = m_made->wish;
    return made.scene == wish.scene && made.look == wish.look && made.tokens == wish.tokens
           && made.view.scale == wish.view.scale && made.dotsPerPixel == wish.dotsPerPixel
           && made.view.visible.contains(
               extended(wish.view.visible, reserve).intersected(paintable(*wish.scene)));
}

void PictureCache::paint(QPainter &painter, const PictureWish &wish)
{
    if (m_made && m_made->wish.scene == wish.scene) {
        const GraphView &made = m_made->wish.view;
        const double scale = wish.view.scale;
        const QPointF corner = (made.visible.topLeft() - wish.view.visible.topLeft()) * scale;
        if (made.scale == scale) { // on whole pixels: as sharp as it was painted
            painter.drawImage(corner.toPoint(), m_made->image);
        } else {
            const QRectF part = made.visible.intersected(wish.view.visible);
            const double dots = made.scale * m_made->wish.dotsPerPixel;
            const QRectF target((part.topLeft() - wish.view.visible.topLeft()) * scale, part.size() * scale);
            const QRectF source((part.topLeft() - made.visible.topLeft()) * dots, part.size() * dots);
            if (part.isValid())
                painter.drawImage(target, m_made->image, source);
        }
    }
    if (!m_busy && !isFresh(wish))
        make(wish);
}

void PictureCache::make(const PictureWish &wish)
{
    PictureWish whole = wish;
    whole.view.visible = extended(wish.view.visible, around).intersected(paintable(*wish.scene));
    if (!whole.view.visible.isValid())
        return;
    m_busy = true;
    m_jobs.run(
        QStringLiteral("picture"), this,
        [whole](const jobs::Job &) {
            const QRectF &area = whole.view.visible;
            Made made{whole, {}};
            const double dots = whole.view.scale * whole.dotsPerPixel;
            made.image = QImage(static_cast<int>(std::ceil(area.width() * dots)),
                                static_cast<int>(std::ceil(area.height() * dots)), QImage::Format_RGB32);
            made.image.setDevicePixelRatio(whole.dotsPerPixel);
            made.image.fill(whole.tokens->pane);
            QPainter painter(&made.image);
            painter.scale(whole.view.scale, whole.view.scale);
            painter.translate(-area.topLeft());
            paintGraph(painter, *whole.scene, *whole.look, whole.view, *whole.tokens);
            return made;
        },
        [this](const std::shared_ptr<const Made> &made) {
            m_busy = false;
            m_made = made;
            Q_EMIT ready();
        });
}

} // namespace nestwright::canvas
