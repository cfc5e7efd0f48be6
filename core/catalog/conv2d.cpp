// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/declarations.h"
#include "core/catalog/element_type.h"
#include "core/ir/build/builder.h"

#include <format>

namespace nestwright::catalog {

namespace {

const Parameter conv2dParameters[] = {
    {"N", 1, 1, "images"},
    {"C", 3, 1, "input channels"},
    {"H", 224, 1, "height of the input"},
    {"W", 224, 1, "width of the input"},
    {"F", 64, 1, "output channels (filters)"},
    {"KH", 3, 1, "height of the kernel"},
    {"KW", 3, 1, "width of the kernel"},
    {"stride", 1, 1, "step of the kernel, both ways"},
    {"padding", 1, 0, "zeros added on each side"},
    {"dtype", ir::DataType::float32(), 0, "type of all elements"},
};

std::int64_t outputSize(std::int64_t size, std::int64_t kernel, const Values &values)
{
    return (size + 2 * values.size("padding") - kernel) / values.size("stride") + 1;
}

std::string checkConv2d(const Values &values)
{
    const std::int64_t padding = values.size("padding");
    const std::int64_t height = values.size("H") + 2 * padding, width = values.size("W") + 2 * padding;
    if (values.size("KH") > height || values.size("KW") > width) {
        return std::format("the kernel of {}×{} is larger than the padded image of {}×{}", values.size("KH"),
                           values.size("KW"), height, width);
    }
    return anyNumber(values);
}

te::Tensor paddedInput(te::Builder &builder, const Values &values, const te::Tensor &x)
{
    const std::int64_t h = values.size("H"), w = values.size("W"), p = values.size("padding");
    return builder.compute(
        {values.size("N"), values.size("C"), h + 2 * p, w + 2 * p}, {"n", "c", "h", "w"},
        [&](const std::vector<te::Expr> &i) {
            const te::Expr inside =
                te::all({ir::ge(i[2], p), ir::lt(i[2], h + p), ir::ge(i[3], p), ir::lt(i[3], w + p)});
            return te::Body(
                te::ifThenElse(inside, x(i[0], i[1], i[2] - p, i[3] - p), ir::constant(0, x.dtype())));
        },
        "pad");
}

std::vector<te::Argument> buildConv2d(te::Builder &builder, const Values &values)
{
    const std::int64_t n = values.size("N"), c = values.size("C"), f = values.size("F");
    const std::int64_t kh = values.size("KH"), kw = values.size("KW"), stride = values.size("stride");
    const te::Tensor x = builder.placeholder({n, c, values.size("H"), values.size("W")}, values.dtype(), "X");
    const te::Tensor w = builder.placeholder({f, c, kh, kw}, values.dtype(), "W");
    const te::Tensor image = values.size("padding") == 0 ? x : paddedInput(builder, values, x);
    const te::IterVar rc = te::reduceAxis(c, "rc"), rh = te::reduceAxis(kh, "rh"),
                      rw = te::reduceAxis(kw, "rw");
    const te::Tensor y = builder.compute(
        {n, f, outputSize(values.size("H"), kh, values), outputSize(values.size("W"), kw, values)},
        {"n", "f", "h", "w"},
        [&](const std::vector<te::Expr> &i) {
            return te::sum(image(i[0], rc.var, i[2] * stride + rh.var, i[3] * stride + rw.var)
                               * w(i[1], rc.var, rh.var, rw.var),
                           {rc, rh, rw});
        },
        "Y");
    return {x, w, y};
}

/// One output element, or the sum of the elements under the kernel there.
double convolveAt(const Values &values, const ir::NdArray &x, const ir::NdArray &w,
                  const std::int64_t (&at)[4])
{
    const std::int64_t c = values.size("C"), height = values.size("H"), width = values.size("W");
    const std::int64_t kh = values.size("KH"), kw = values.size("KW");
    const std::int64_t top = at[2] * values.size("stride") - values.size("padding");
    const std::int64_t left = at[3] * values.size("stride") - values.size("padding");
    double sum = 0;
    for (std::int64_t channel = 0; channel < c; ++channel) {
        for (std::int64_t i = 0; i < kh; ++i) {
            for (std::int64_t j = 0; j < kw; ++j) {
                const std::int64_t row = top + i, column = left + j;
                if (row < 0 || row >= height || column < 0 || column >= width)
                    continue;
                sum += x.at(((at[0] * c + channel) * height + row) * width + column)
                       * w.at(((at[1] * c + channel) * kh + i) * kw + j);
            }
        }
    }
    return sum;
}

void conv2dReference(const Values &values, std::span<ir::NdArray *const> arguments)
{
    const std::int64_t height = outputSize(values.size("H"), values.size("KH"), values);
    const std::int64_t width = outputSize(values.size("W"), values.size("KW"), values);
    const std::int64_t f = values.size("F");
    for (std::int64_t flat = 0; flat < arguments[2]->size(); ++flat) {
        const std::int64_t at[4] = {flat / (f * height * width), flat / (height * width) % f,
                                    flat / width % height, flat % width};
        arguments[2]->set(flat, convolveAt(values, *arguments[0], *arguments[1], at));
    }
}

} // namespace

const Preset conv2dPreset{
    .name = "conv2d",
    .title = "Convolution 2-D (NCHW)",
    .summary = "Y = X * W, zero-padded, channels first; without padding there is no padding stage",
    .parameters = conv2dParameters,
    .check = &checkConv2d,
    .build = &buildConv2d,
    .reference = &conv2dReference,
};

} // namespace nestwright::catalog
