// SPDX-License-Identifier: Apache-2.0
#include "core/ops/region_align.h"

#include "core/ir/builder.h"
#include "core/ir/intrinsics.h"
#include "core/ops/shapes.h"
#include "core/ops/tensor_op_tables.h"

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

/// One side of a region: where its parts begin and how they are sampled.
struct Side {
    Expr begin; ///< in elements of the image
    Expr part;  ///< length of one part of the region
    te::IterVar axis;
};

class RegionAlign {
public:
    RegionAlign(const CallSite &site, const Tensors &inputs)
        : m_site(site)
        , m_inputs(inputs)
        , m_type(site.input().dtype.bits == 64 ? site.input().dtype : ir::DataType::float32())
    {
    }

    /// Side 0 is the height.
    Side side(const Expr &region, std::size_t i) const
    {
        const auto edge = [&](int k) {
            const Expr given = ir::cast(m_type, m_inputs[1](region, Expr(k)));
            return given * real(m_site.real("spatial_scale")) - real(m_site.flag("half_pixel") ? 0.5 : 0);
        };
        const Expr begin = edge(i == 0 ? 1 : 0);
        Expr length = edge(i == 0 ? 3 : 2) - begin;
        if (!m_site.flag("half_pixel"))
            length = ir::max(length, real(1));
        const Expr part = ir::truncDiv(length, real(static_cast<double>(m_site.integers("size")[i])));
        return {begin, part, te::reduceAxis(dimension(m_site.integer("samples")), std::format("rs{}", i))};
    }

    /// Samples of one part of a region combined.
    te::Reduction of(const std::vector<Expr> &i) const
    {
        const std::array sides{side(i[0], 0), side(i[0], 1)};
        const bool average = m_site.text("mode") == "avg";
        const auto samples = static_cast<double>(m_site.integer("samples"));
        std::vector<Expr> taps{real(1)}, inside;
        const Expr image =
            ir::max(Expr(0), ir::min(index(m_inputs[2](i[0])), m_site.input().shape[0] - Expr(1)));
        std::vector<std::vector<Expr>> places{{image, i[1]}};
        for (std::size_t d = 0; d < 2; ++d) {
            const Side &s = sides[d];
            const Expr within = (ir::cast(m_type, s.axis.var) + real(0.5)) * s.part;
            const Expr place =
                s.begin + ir::cast(m_type, i[d + 2]) * s.part + ir::truncDiv(within, real(samples));
            addTaps(taps, places, inside, place, m_site.input().shape[d + 2]);
        }
        Expr value;
        for (std::size_t k = 0; k < taps.size(); ++k) {
            const Expr term = taps[k] * ir::cast(m_type, m_inputs[0].at(places[k]));
            value = k == 0 ? term : average ? value + term : ir::max(value, term);
        }
        const std::vector<te::IterVar> axes{sides[0].axis, sides[1].axis};
        if (!average)
            return te::max(te::ifThenElse(te::all(inside), value, real(0)), axes);
        const Expr count = real(samples * samples);
        return te::sum(te::ifThenElse(te::all(inside), ir::truncDiv(value, count), real(0)), axes);
    }

private:
    Expr real(double value) const { return ir::constant(value, m_type); }

    /// Each of `places` goes on with the two elements around `place`. Points up to one element outside take
    /// the border's value; further out they count nothing.
    void addTaps(std::vector<Expr> &taps, std::vector<std::vector<Expr>> &places, std::vector<Expr> &inside,
                 const Expr &place, const Expr &size) const
    {
        inside.push_back(ir::ge(place, real(-1)));
        inside.push_back(ir::le(place, ir::cast(m_type, size)));
        const Expr last = ir::cast(m_type, dimension(size - Expr(1)));
        const Expr at = ir::max(real(0), ir::min(place, last));
        const Expr low = index(ir::callIntrinsic(ir::intrinsics::floor, {at}));
        const Expr high = ir::min(low + Expr(1), size - Expr(1)), beyond = at - ir::cast(m_type, low);
        std::vector<Expr> weights;
        std::vector<std::vector<Expr>> all;
        for (std::size_t k = 0; k < taps.size(); ++k) {
            for (const auto &[element, weight] :
                 {std::pair(low, real(1) - beyond), std::pair(high, beyond)}) {
                weights.push_back(taps[k] * weight);
                all.push_back(places[k]);
                all.back().push_back(element);
            }
        }
        taps = std::move(weights);
        places = std::move(all);
    }

    const CallSite &m_site;
    const Tensors &m_inputs;
    ir::DataType m_type;
};

Tensors computeRegionAlign(te::Builder &builder, const CallSite &site, const Tensors &inputs)
{
    const Shape shape = inferRegionAlign(site)[0].shape;
    const RegionAlign align(site, inputs);
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
