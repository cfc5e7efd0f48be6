// SPDX-License-Identifier: Apache-2.0
/// Kernels of Halide, compiled in the process, with schedules by hand for processors with 32 registers of 16
/// floats: tiles in registers, panels of the operand that is used again, rows over threads. A library of its
/// own, so that Halide's LLVM meets no other.
#include "tests/bench/peers/calls.h"
#include <Halide.h>
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace Halide;
using Inputs = std::vector<ImageParam>; // whose bounds are constants

constexpr int lanes = 16; // floats in a register

Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi"), c("c"), ci("ci"), co("co"), u("u");

/// The buffer of a tensor; Halide's first axis is the innermost, DLPack's last.
Buffer<float> bufferOf(const peers::DLTensor &tensor)
{
    std::vector<int> extents(tensor.shape, tensor.shape + tensor.ndim);
    std::reverse(extents.begin(), extents.end());
    return Buffer<float>(static_cast<float *>(tensor.data), extents);
}

/// The extents as constants, and the alignment that every contender's arrays have.
void fixed(OutputImageParam parameter, const Buffer<float> &buffer)
{
    parameter.set_host_alignment(64);
    for (int axis = 0, stride = 1; axis < buffer.dimensions(); ++axis) {
        parameter.dim(axis).set_bounds(0, buffer.dim(axis).extent()).set_stride(stride);
        stride *= buffer.dim(axis).extent();
    }
}

int extent(const ImageParam &input, int axis)
{
    return static_cast<int>(*Internal::as_const_int(input.parameter().extent_constraint(axis)));
}

/// C = A · B, or max(A · B + bias, 0): tiles of 6 × 64 in registers over the whole depth, B packed by panels
/// of 64 columns that stay in the second cache while the rows of A pass; panels over threads.
Func product(const Inputs &in)
{
    constexpr int columns = 4 * lanes, rows = 6;
    const ImageParam &a = in[0], &b = in[1];
    RDom k(0, extent(a, 0), "k");
    Func sum("sum"), out("out"), panel("panel");
    panel(x, y) = b(x, y);
    sum(x, y) += a(k, y) * panel(x, k);
    out(x, y) = in.size() > 2 ? max(sum(x, y) + in[2](x), 0.0F) : sum(x, y);
    out.tile(x, y, xo, yo, xi, yi, columns, rows).reorder(xi, yi, yo, xo).parallel(xo);
    out.vectorize(xi, lanes).unroll(xi).unroll(yi);
    panel.compute_at(out, xo).vectorize(x, lanes).unroll(x);
    sum.compute_at(out, yo).vectorize(x, lanes).unroll(x).unroll(y);
    sum.update().reorder(x, y, k).vectorize(x, lanes).unroll(x).unroll(y);
    return out;
}

/// A convolution of k × k at stride 1 with zeros around and a bias, channels innermost in image, filter (k,
/// k, channels, filters) and result: tiles of 14 places × 32 filters in registers over all channels and taps.
Func convolution(const Inputs &in)
{
    constexpr int filters = 2 * lanes, places = 14;
    const ImageParam &image = in[0], &weights = in[1], &bias = in[2];
    const int channels = extent(image, 0), width = extent(image, 1), height = extent(image, 2),
              taps = extent(weights, 2), around = taps / 2;
    RDom r({{0, channels}, {0, taps}, {0, taps}}, "r");
    Func padded("padded"), sum("sum"), out("out");
    padded(c, x, y) = BoundaryConditions::constant_exterior(
        image, 0.0F, {{Expr(), Expr()}, {0, width}, {0, height}, {Expr(), Expr()}})(c, x, y, 0);
    sum(c, x, y) = bias(c);
    sum(c, x, y) += weights(c, r.x, r.y, r.z) * padded(r.x, x + r.y - around, y + r.z - around);
    Var images("images");
    out(c, x, y, images) = sum(c, x, y);
    out.tile(c, x, co, xo, ci, xi, filters, places).reorder(ci, xi, xo, co, y).parallel(y);
    out.vectorize(ci, lanes).unroll(ci).unroll(xi);
    sum.compute_at(out, xo).vectorize(c, lanes).unroll(c).unroll(x);
    sum.update().reorder(c, x, r.x, r.y, r.z, y).vectorize(c, lanes).unroll(c).unroll(x).unroll(r.x, 2);
    padded.compute_root().vectorize(c, lanes).parallel(y);
    return out;
}

/// Schedules the reduction of rows `all`, which goes over `over`: eight registers side by side, which are
/// reduced together at the end of the row.
void schedule(Func all, const RVar &over, Func at, const Var &where)
{
    constexpr int width = 8 * lanes;
    RVar outer("outer"), inner("inner");
    all.update().split(over, outer, inner, width);
    Func parts = all.update().rfactor(inner, u);
    parts.compute_at(at, where).vectorize(u, lanes).unroll(u);
    parts.update().reorder(u, outer).vectorize(u, lanes).unroll(u);
    all.compute_at(at, where).update().atomic().vectorize(inner);
}

/// Softmax of rows of whole registers, rows over threads.
Func softmax(const Inputs &in)
{
    const int columns = extent(in[0], 0);
    RDom r(0, columns, "r");
    Func most("most"), power("power"), sum("sum"), factor("factor"), out("out");
    most(y) = Float(32).min();
    most(y) = max(most(y), in[0](r, y));
    power(x, y) = exp(in[0](x, y) - most(y));
    sum(y) += power(r, y);
    factor(y) = 1.0F / sum(y);
    out(x, y) = power(x, y) * factor(y);
    out.split(y, yo, yi, 8).parallel(yo).vectorize(x, lanes).unroll(x, 4);
    schedule(most, r, out, yi);
    power.compute_at(out, yi).vectorize(x, lanes).unroll(x, 4);
    schedule(sum, r, out, yi);
    factor.compute_at(out, yi);
    return out;
}

Func rowSum(const Inputs &in)
{
    RDom r(0, extent(in[0], 0), "r");
    Func sum("sum"), out("out");
    sum(y) += in[0](r, y);
    out(y) = sum(y);
    out.split(y, yo, yi, 64).parallel(yo);
    schedule(sum, r, out, yi);
    return out;
}

/// Blocks of 16 × 16 in registers within tiles of 64 × 64, rows of tiles over threads.
Func transpose(const Inputs &in)
{
    Func block("block"), turned("turned"), out("out");
    block(x, y) = in[0](x, y);
    turned(x, y) = block(y, x);
    out(x, y) = turned(x, y);
    Var xb("xb"), yb("yb");
    out.tile(x, y, xo, yo, xi, yi, 64, 64).parallel(yo);
    out.tile(xi, yi, xb, yb, xi, yi, lanes, lanes).vectorize(xi).unroll(yi);
    block.compute_at(out, xb).vectorize(x).unroll(y);
    turned.compute_at(out, xb).vectorize(x).vectorize(y);
    return out;
}

template <std::size_t... each>
peers::Call callOf(Callable kernel, std::vector<Buffer<float>> inputs, Buffer<float> output,
                   std::index_sequence<each...>)
{
    return [=]() mutable {
        if (kernel(inputs[each]..., output) != 0)
            throw std::runtime_error("Halide's kernel failed");
    };
}

} // namespace

/// The kernel of that name on those tensors; nothing where its compilation fails. `threads` holds for the
/// whole process.
extern "C" peers::Call *halideCall(const char *name, const peers::DLTensor *const *inputs, int count,
                                   const peers::DLTensor *output, int threads)
{
    return peers::made([&]() -> peers::Call {
        static const std::map<std::string, Func (*)(const Inputs &)> kernels = {
            {"product", product}, {"fused product", product}, {"convolution", convolution},
            {"softmax", softmax}, {"row sum", rowSum},        {"transpose", transpose}};
        setenv("HL_NUM_THREADS", std::to_string(threads).c_str(), 1);
        Inputs parameters;
        std::vector<Argument> arguments;
        std::vector<Buffer<float>> buffers;
        for (int i = 0; i < count; ++i) {
            buffers.push_back(bufferOf(*inputs[i]));
            parameters.emplace_back(Float(32), buffers[i].dimensions(), "in" + std::to_string(i));
            fixed(parameters[i], buffers[i]);
            arguments.emplace_back(parameters[i]);
        }
        const Buffer<float> result = bufferOf(*output);
        Func kernel = kernels.at(name)(parameters);
        fixed(kernel.output_buffer(), result);
        const Callable compiled = kernel.compile_to_callable(arguments, get_host_target());
        switch (count) {
        case 1: return callOf(compiled, buffers, result, std::make_index_sequence<1>());
        case 2: return callOf(compiled, buffers, result, std::make_index_sequence<2>());
        default: return callOf(compiled, buffers, result, std::make_index_sequence<3>());
        }
    });
}
