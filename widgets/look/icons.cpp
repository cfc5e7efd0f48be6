// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/icons.h"

#include "widgets/look/tokens.h"

#include <QFile>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmap>
#include <QSvgRenderer>

namespace nestwright::look {

namespace {

class IconEngine : public QIconEngine {
public:
    IconEngine(QByteArray svg, QColor color) : m_svg(std::move(svg)), m_color(std::move(color)) {}

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State) override
    {
        QByteArray colored = m_svg;
        colored.replace("currentColor", colorFor(mode).name().toLatin1());
        QSvgRenderer(colored).render(painter, rect);
    }

    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap pixmap(size); // in device pixels: QIcon has scaled the size already
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, pixmap.rect(), mode, state);
        return pixmap;
    }

    QIconEngine *clone() const override { return new IconEngine(m_svg, m_color); }
    bool isNull() override { return m_svg.isEmpty(); }

private:
    QColor colorFor(QIcon::Mode mode) const
    {
        const QPalette palette = QGuiApplication::palette();
        const Tokens &t = tokens(palette);
        if (mode == QIcon::Disabled)
            return t.faint;
        return m_color.isValid() ? m_color : t.text;
    }

    QByteArray m_svg;
    QColor m_color;
};

} // namespace

QIcon icon(const QString &name, const QColor &color)
{
    QFile file(QStringLiteral(":/nestwright/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return QIcon(new IconEngine(file.readAll(), color));
}

QIcon icon(const QString &name) { return icon(name, QColor()); }

} // namespace nestwright::look
