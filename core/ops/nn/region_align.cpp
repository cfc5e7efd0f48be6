// SPDX-License-Identifier: Apache-2.0
#include "core/ops/nn/region_align.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ops/table/shapes.h"
#include "core/ops/table/tensor_op_tables.h"

#include <array>
#include <format>

namespace nestwright::ops {

using ir::Expr;

std::vector<TensorType> inferRegions(const CallSite &site)
{
    requireFloat(site);
    const TensorType &x = site.input(), &regions = site.input(1), &images = site.input(2);
    requireRank(x, 4, "the images");
    requireRank(regions, 2, "the regions");
    requireRank(images, 1, "the numbers of the images");
    const auto &size = site.integers("size");
    if (size.size() != 2 || size[0] < 1 || size[1] < 1)
        typeError("the result needs a height and a width above 0");
    if (regions.dtype != x.dtype || !images.dtype.isIntegral())
        typeError("the regions must have the type of the images, and the numbers of the images be integers");
    if (!ir::isConstInt(regions.shape[1], 4) || !sameSize(regions.shape[0], images.shape[0]))
        typeError(std::format("{} and {} do not name regions of images", regions.str(), images.str()));
    return {{{regions.shape[0], x.shape[1], dimension(size[0]), dimension(size[1])}, x.dtype}};
}

std::vector<AttributeField> regionAttributes()
{
    return {{"size", std::vector<std::int64_t>{1, 1}, "height and width of the result"},
            {"spatial_scale", 1.0, "elements of the image per unit of the regions"},
            {"half_pixel", true, "the middle of the first element lies at 0.5"},
            {"mode", std::string("avg"), "\"avg\" of the samples, or \"max\" of their weighted elements"}};
}

namespace {

std::vector<TensorType> inferRegionAlign(const CallSite &site)
{
    if (site.integer("samples") < 1)
        typeError("there must be 1 sample or more");
    return inferRegions(site);
}

/// The places of samples along one side of the regions: side 0 is the height.
class Side {
public:
    Side(const CallSite &site, const te::Tensor &regions, ir::DataType type, std::size_t which)
        : m_site(site)
        , m_regions(regions)
        , m_type(type)
        , m_which(which)
    {
    }

    /// Coordinate in the image, in elements, of a sample of a part of a region. Points up to one element
    /// outside take the border's coordinate; further out, where they do not count, it is -1.
    Expr place(const Expr &region, const Expr &part, const Expr &sample) const
    {
        const bool isHalf = m_site.flag("half_pixel");
        const auto edge = [&](std::size_t k) {
            const Expr given = ir::cast(m_type, m_regions(region, Expr(static_cast<int>(k))));
            return given * real(m_site.real("spatial_scale")) - real(isHalf ? 0.5 : 0);
        };
        const Expr begin = edge(1 - m_which);
        Expr length = edge(3 - m_which) - begin;
        if (!isHalf)
            length = ir::max(length, real(1));
        const Expr step = ir::truncDiv(length, real(static_cast<double>(m_site.integers("size")[m_which])));
        const Expr within = (ir::cast(m_type, sample) + real(0.5)) * step;
        const Expr at = begin + ir::cast(m_type, part) * step
                        + ir::truncDiv(within, real(static_cast<double>(m_site.integer("samples"))));
        const Expr size = m_site.input().shape[m_which + 2];
        const Expr last = ir::cast(m_type, dimension(size - Expr(1)));
        const Expr inside = te::all({ir::ge(at, real(-1)), ir::le(at, ir::cast(m_type, size))});
        return ir::select(inside, ir::max(real(0), ir::min(at, last)), real(-1));
    }

    te::Tensor places(te::Builder &builder) const
    {
        const Shape shape{m_regions.shape()[0], dimension(m_site.integers("size")[m_which]),
                          dimension(m_site.integer("samples"))};
        return builder.compute(
            shape, axisNames(shape.size()),
            [&](const std::vector<Expr> &i) { return te::Body(place(i[0], i[1], i[2])); },
            m_which == 0 ? "roi_rows" : "roi_columns");
    }

private:
    Expr real(double value) const { return ir::constant(value, m_type); }

    const CallSite &m_site;
    const te::Tensor &m_regions;
    ir::DataType m_type;
    std::size_t m_which;
};

class RegionAlign {
public:
    /// `places`: of the samples along both sides.
    RegionAlign(const CallSite &site, const Tensors &inputs, const Tensors &places)
        : m_site(site)
        , m_inputs(inputs)
        , m_places(places)
    {
    }

    /// Samples of one part of a region combined.
    te::Reduction of(const std::vector<Expr> &i) const
    {
        const bool average = m_site.text("mode") == "avg";
        const auto samples = static_cast<double>(m_site.integer("samples"));
        const Expr image =
            ir::max(Expr(0), ir::min(index(m_inputs[2](i[0])), m_site.input().shape[0] - Expr(1)));
        std::vector<Expr> taps{real(1)}, inside;
        std::vector<std::vector<Expr>> elements{{image, i[1]}};
        std::vector<te::IterVar> axes;
        for (std::size_t d = 0; d < 2; ++d) {
            axes.push_back(te::reduceAxis(dimension(m_site.integer("samples")), std::format("rs{}", d)));
            const Expr place = m_places[d](i[0], i[d + 2], axes[d].var);
            inside.push_back(ir::ge(place, real(0)));
            addTaps(taps, elements, ir::max(place, real(0)), m_site.input().shape[d + 2]);
        }
        Expr value;
        for (std::size_t k = 0; k < taps.size(); ++k) {
            const Expr term = taps[k] * ir::cast(type(), m_inputs[0].at(elements[k]));
            value = k == 0 ? term : average ? value + term : ir::max(value, term);
        }
        if (!average)
            return te::max(te::ifThenElse(te::all(inside), value, real(0)), axes);
        const Expr count = real(samples * samples);
        return te::sum(te::ifThenElse(te::all(inside), ir::truncDiv(value, count), real(0)), axes);
    }

private:
    ir::DataType type() const { return m_places[0].dtype(); }
    Expr real(double value) const { return ir::constant(value, type()); }

    /// Each of `elements` goes on with the two around `place`.
    void addTaps(std::vector<Expr> &taps, std::vector<std::vector<Expr>> &elements, const Expr &place,
                 const Expr &size) const
    {
        const Expr low = index(ir::callIntrinsic(ir::intrinsics::floor, {place}));
        const Expr high = ir::min(low + Expr(1), size - Expr(1)), beyond = place - ir::cast(type(), low);
        std::vector<Expr> weights;
        std::vector<std::vector<Expr>> all;
        for (std::size_t k = 0; k < taps.size(); ++k) {
            for (const auto &[element, weight] :
                 {std::pair(low, real(1) - beyond), std::pair(high, beyond)}) {
                weights.push_back(taps[k] * weight);
                all.push_back(elements[k]);
                all.back().push_back(element);
            }
        }
        taps = std::move(weights);
        elements = std::move(all);
    }

    const CallSite &m_site;
    const Tensors &m_inputs;
    const Tensors &m_places;
};

Tensors computeRegionAlign(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const Shape shape = inferRegionAlign(site)[0].shape;
    const ir::DataType type = site.input().dtype.bits == 64 ? site.input().dtype : ir::DataType::float32();
    Tensors places; // by themselves: in the sum each element would compute them anew
    for (const std::size_t which : {0U, 1U})
        places.push_back(Side(site, inputs[1], type, which).places(builder));
    const RegionAlign align(site, inputs, places);
    const te::Tensor combined = builder.compute(
        shape, axisNames(shape.size()), [&](const std::vector<Expr> &i) { return te::Body(align.of(i)); },
        "roi_align");
    if (combined.dtype() == site.input().dtype)
        return {combined};
    return {builder.compute(
        shape, axisNames(shape.size()),
        [&](const std::vector<Expr> &i) { return te::Body(ir::cast(site.input().dtype, combined.at(i))); },
        "roi_align_cast")};
}

} // namespace

void addRegionAlign(TensorOps &table)
{
    std::vector<AttributeField> fields = regionAttributes();
    fields.push_back({"samples", std::int64_t{1}, "places along each side of a part that are sampled"});
    table.push_back(
        {.name = "image.roi_align",
         .summary = "regions of images N×C×H×W brought to one size; the second input has left, top, right "
                    "and bottom "
                    "of each, the third its image",
         .fusion = FusionKind::OutFusable,
         .minInputs = 3,
         .maxInputs = 3,
         .attributes = std::move(fields),
         .infer = &inferRegionAlign,
         .compute = &computeRegionAlign});
}

} // namespace nestwright::ops
