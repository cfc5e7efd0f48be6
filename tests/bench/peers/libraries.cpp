// SPDX-License-Identifier: Apache-2.0
/// Calls of OpenBLAS, oneDNN and exported kernels with a C interface, so that Python can time them one after
/// the other in one process: each function that makes a call gives a handle for peerSeconds.
#include "tests/bench/peers/calls.h"
#include <algorithm>
#include <cblas.h>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <dnnl.hpp>
#include <memory>
#include <omp.h>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

using peers::Call;
using peers::made;

namespace {

const dnnl::engine &engine()
{
    static const dnnl::engine made(dnnl::engine::kind::cpu, 0);
    return made;
}

dnnl::stream &stream()
{
    static dnnl::stream made(engine());
    return made;
}

dnnl::memory::dims dims(const std::int64_t *sizes, int count) { return {sizes, sizes + count}; }

dnnl::memory::format_tag plainTag(int count)
{
    using Tag = dnnl::memory::format_tag;
    constexpr Tag tags[] = {Tag::a, Tag::ab, Tag::abc, Tag::abcd, Tag::abcde};
    return tags[count - 1];
}

/// Memory of that layout that holds what the plain array does; the array itself where that is its layout.
dnnl::memory laidOut(const dnnl::memory::desc &plain, const dnnl::memory::desc &wanted, void *data)
{
    dnnl::memory given(plain, engine(), data);
    if (plain == wanted)
        return given;
    dnnl::memory result(wanted, engine());
    dnnl::reorder(given, result).execute(stream(), given, result);
    stream().wait();
    return result;
}

struct Operand {
    dnnl::memory::desc plain, any;
};

Operand operand(const std::int64_t *sizes, int count, dnnl::memory::data_type type, bool chosenLayout)
{
    const auto shape = dims(sizes, count);
    const dnnl::memory::desc plain(shape, type, plainTag(count));
    return {plain, chosenLayout ? dnnl::memory::desc(shape, type, dnnl::memory::format_tag::any) : plain};
}

using Arguments = std::unordered_map<int, dnnl::memory>;

Call runs(const dnnl::primitive &primitive, Arguments arguments)
{
    return [primitive, arguments = std::move(arguments)] {
        primitive.execute(stream(), arguments);
        stream().wait();
    };
}

} // namespace

extern "C" {

void peerSetThreads(int threads)
{
    openblas_set_num_threads(threads);
    omp_set_num_threads(threads);
}

/// The function of a shared library that `nestc export` wrote; `arguments` are addresses of arrays.
Call *kernelCall(const char *library, const char *function, void **arguments, int count, int threads)
{
    return made([&]() -> Call {
        void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
        if (!loaded)
            throw std::runtime_error(dlerror());
        const auto setThreads = reinterpret_cast<void (*)(int)>(dlsym(loaded, "nestwright_set_threads"));
        const auto kernel = reinterpret_cast<std::int32_t (*)(void **)>(dlsym(loaded, function));
        if (!kernel)
            throw std::runtime_error(dlerror());
        if (setThreads)
            setThreads(threads);
        return [kernel, given = std::vector<void *>(arguments, arguments + count)]() mutable {
            if (kernel(given.data()) != 0)
                throw std::runtime_error("the kernel refused its arguments");
        };
    });
}

/// C = A · B of rows, A m × k, B k × n.
Call *openblasProduct(std::int64_t m, std::int64_t n, std::int64_t k, const float *a, const float *b,
                      float *c)
{
    const auto rows = static_cast<blasint>(m), columns = static_cast<blasint>(n),
               depth = static_cast<blasint>(k);
    return new Call([=] {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, depth, 1, a, depth, b, columns,
                    0, c, columns);
    });
}

/// C = max(A · B + bias, 0): the product, then a pass over its rows in the calling thread.
Call *openblasFusedProduct(std::int64_t m, std::int64_t n, std::int64_t k, const float *a, const float *b,
                           const float *bias, float *c)
{
    const auto rows = static_cast<blasint>(m), columns = static_cast<blasint>(n),
               depth = static_cast<blasint>(k);
    return new Call([=] {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, depth, 1, a, depth, b, columns,
                    0, c, columns);
        for (std::int64_t i = 0; i < m; ++i) {
#pragma omp simd
            for (std::int64_t j = 0; j < n; ++j)
                c[i * n + j] = std::max(c[i * n + j] + bias[j], 0.0F);
        }
    });
}

Call *onednnProduct(std::int64_t m, std::int64_t n, std::int64_t k, const float *a, const float *b, float *c)
{
    return new Call([=] { dnnl_sgemm('N', 'N', m, n, k, 1, a, k, b, n, 0, c, n); });
}

/// C = A · B of rows, uint8 and int8 in int32.
Call *onednnByteProduct(std::int64_t m, std::int64_t n, std::int64_t k, void *a, void *b, void *c)
{
    return made([=]() -> Call {
        using Type = dnnl::memory::data_type;
        const std::int64_t left[] = {m, k}, right[] = {k, n}, result[] = {m, n};
        const auto x = operand(left, 2, Type::u8, false).plain, w = operand(right, 2, Type::s8, false).plain,
                   y = operand(result, 2, Type::s32, false).plain;
        return runs(dnnl::matmul({engine(), x, w, y}), {{DNNL_ARG_SRC, dnnl::memory(x, engine(), a)},
                                                        {DNNL_ARG_WEIGHTS, dnnl::memory(w, engine(), b)},
                                                        {DNNL_ARG_DST, dnnl::memory(y, engine(), c)}});
    });
}

/// A model that `nestc export` wrote, its functions named STEM_create and so on; `inputs` are DLPack tensors.
/// Runs once, and copies the first output to `output`.
Call *modelCall(const char *library, const char *stem, void *const *inputs, int count, int threads,
                void *output, std::int64_t bytes)
{
    return made([&]() -> Call {
        void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
        if (!loaded)
            throw std::runtime_error(dlerror());
        const auto find = [&](const std::string &name) {
            void *found = dlsym(loaded, (stem + name).c_str());
            if (!found)
                throw std::runtime_error(dlerror());
            return found;
        };
        if (void *setThreads = dlsym(loaded, "nestwright_set_threads"))
            reinterpret_cast<void (*)(int)>(setThreads)(threads);
        void *model = reinterpret_cast<void *(*)()>(find("_create"))();
        const auto setInput =
            reinterpret_cast<std::int32_t (*)(void *, std::int32_t, const void *)>(find("_set_input"));
        const auto run = reinterpret_cast<std::int32_t (*)(void *)>(find("_run"));
        for (int i = 0; i < count; ++i) {
            if (setInput(model, i, inputs[i]) != 0)
                throw std::runtime_error("the model refused an input");
        }
        if (run(model) != 0)
            throw std::runtime_error("the model failed");
        peers::DLTensor tensor;
        reinterpret_cast<std::int32_t (*)(void *, std::int32_t, void *)>(find("_get_output"))(model, 0,
                                                                                              &tensor);
        std::memcpy(output, tensor.data, static_cast<std::size_t>(bytes));
        return [run, model] { run(model); };
    });
}

/// Softmax of each row.
Call *onednnSoftmax(std::int64_t rows, std::int64_t columns, void *x, void *y)
{
    return made([=]() -> Call {
        const std::int64_t sizes[] = {rows, columns};
        const auto plain = operand(sizes, 2, dnnl::memory::data_type::f32, false).plain;
        const dnnl::softmax_forward::primitive_desc wanted(
            engine(), dnnl::prop_kind::forward_inference, dnnl::algorithm::softmax_accurate, plain, plain, 1);
        return runs(dnnl::softmax_forward(wanted), {{DNNL_ARG_SRC, dnnl::memory(plain, engine(), x)},
                                                    {DNNL_ARG_DST, dnnl::memory(plain, engine(), y)}});
    });
}

/// Layer normalisation of each row, with a scale and a shift for each column.
Call *onednnLayerNorm(std::int64_t rows, std::int64_t columns, void *x, void *scale, void *shift, void *y)
{
    return made([=]() -> Call {
        const std::int64_t sizes[] = {rows, columns};
        const auto type = dnnl::memory::data_type::f32;
        const auto plain = operand(sizes, 2, type, false).plain,
                   row = operand(&sizes[1], 1, type, false).plain;
        const dnnl::layer_normalization_forward::primitive_desc wanted(
            engine(), dnnl::prop_kind::forward_inference, plain, plain, 1e-5F,
            dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift);
        return runs(dnnl::layer_normalization_forward(wanted),
                    {{DNNL_ARG_SRC, dnnl::memory(plain, engine(), x)},
                     {DNNL_ARG_SCALE, dnnl::memory(row, engine(), scale)},
                     {DNNL_ARG_SHIFT, dnnl::memory(row, engine(), shift)},
                     {DNNL_ARG_DST, dnnl::memory(plain, engine(), y)}});
    });
}

Call *onednnGelu(std::int64_t count, void *x, void *y)
{
    return made([=]() -> Call {
        const auto plain = operand(&count, 1, dnnl::memory::data_type::f32, false).plain;
        const dnnl::eltwise_forward::primitive_desc wanted(engine(), dnnl::prop_kind::forward_inference,
                                                           dnnl::algorithm::eltwise_gelu_erf, plain, plain);
        return runs(dnnl::eltwise_forward(wanted), {{DNNL_ARG_SRC, dnnl::memory(plain, engine(), x)},
                                                    {DNNL_ARG_DST, dnnl::memory(plain, engine(), y)}});
    });
}

Call *onednnRowSum(std::int64_t rows, std::int64_t columns, void *x, void *y)
{
    return made([=]() -> Call {
        const std::int64_t sizes[] = {rows, columns}, sums[] = {rows, 1};
        const auto type = dnnl::memory::data_type::f32;
        const auto from = operand(sizes, 2, type, false).plain, to = operand(sums, 2, type, false).plain;
        const dnnl::reduction::primitive_desc wanted(engine(), dnnl::algorithm::reduction_sum, from, to, 0,
                                                     0);
        return runs(dnnl::reduction(wanted), {{DNNL_ARG_SRC, dnnl::memory(from, engine(), x)},
                                              {DNNL_ARG_DST, dnnl::memory(to, engine(), y)}});
    });
}

Call *onednnTranspose(std::int64_t rows, std::int64_t columns, void *x, void *y)
{
    return made([=]() -> Call {
        using Tag = dnnl::memory::format_tag;
        const auto type = dnnl::memory::data_type::f32;
        const dnnl::memory from({{rows, columns}, type, Tag::ab}, engine(), x),
            to({{rows, columns}, type, Tag::ba}, engine(), y);
        return runs(dnnl::reorder(from, to), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
    });
}

/// Y = X ∗ W of uint8 and int8 in int32, on the layouts that the library chooses. `sizes`: channels, height
/// and width, channels of Y, height and width of the filter, padding. X is of ones.
Call *onednnByteConvolution(const std::int64_t *sizes, void *weights)
{
    return made([=]() -> Call {
        using Type = dnnl::memory::data_type;
        const std::int64_t c = sizes[0], h = sizes[1], o = sizes[2], k = sizes[3], pad = sizes[4];
        const std::int64_t x[] = {1, c, h, h}, y[] = {1, o, h + 2 * pad - k + 1, h + 2 * pad - k + 1},
                           w[] = {o, c, k, k};
        const Operand in = operand(x, 4, Type::u8, true), filter = operand(w, 4, Type::s8, true),
                      out = operand(y, 4, Type::s32, true);
        const dnnl::convolution_forward::primitive_desc wanted(
            engine(), dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, in.any,
            filter.any, out.any, {1, 1}, {pad, pad}, {pad, pad});
        const dnnl::memory source(wanted.src_desc(), engine()), result(wanted.dst_desc(), engine());
        std::fill_n(static_cast<std::uint8_t *>(source.get_data_handle()), wanted.src_desc().get_size(), 1);
        return runs(dnnl::convolution_forward(wanted),
                    {{DNNL_ARG_SRC, source},
                     {DNNL_ARG_WEIGHTS, laidOut(filter.plain, wanted.weights_desc(), weights)},
                     {DNNL_ARG_DST, result}});
    });
}

/// Y = X ∗ W + bias, on the layouts that the library chooses for all of them: its kernel alone. `sizes`:
/// images, channels, height, width, channels of Y, height and width of the filter, stride, padding, dilation
/// (0: none), groups. X is of ones.
Call *onednnConvolution(const std::int64_t *sizes, void *weights, void *bias)
{
    return made([=]() -> Call {
        const std::int64_t n = sizes[0], c = sizes[1], h = sizes[2], w = sizes[3], o = sizes[4],
                           kh = sizes[5], kw = sizes[6], stride = sizes[7], pad = sizes[8],
                           dilation = sizes[9], groups = sizes[10];
        const auto outOf = [&](std::int64_t size, std::int64_t kernel) {
            return (size + 2 * pad - ((kernel - 1) * (dilation + 1) + 1)) / stride + 1;
        };
        const std::int64_t x[] = {n, c, h, w}, y[] = {n, o, outOf(h, kh), outOf(w, kw)},
                           wide[] = {o, c, kh, kw}, grouped[] = {groups, o / groups, c / groups, kh, kw};
        const auto type = dnnl::memory::data_type::f32;
        const Operand in = operand(x, 4, type, true), out = operand(y, 4, type, true),
                      filter = groups == 1 ? operand(wide, 4, type, true) : operand(grouped, 5, type, true),
                      shift = operand(&o, 1, type, false);
        const dnnl::convolution_forward::primitive_desc wanted(
            engine(), dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_auto, in.any,
            filter.any, shift.plain, out.any, {stride, stride}, {dilation, dilation}, {pad, pad}, {pad, pad});
        const dnnl::memory source(wanted.src_desc(), engine()), result(wanted.dst_desc(), engine());
        std::fill_n(static_cast<float *>(source.get_data_handle()),
                    wanted.src_desc().get_size() / sizeof(float), 1.0F);
        return runs(dnnl::convolution_forward(wanted),
                    {{DNNL_ARG_SRC, source},
                     {DNNL_ARG_WEIGHTS, laidOut(filter.plain, wanted.weights_desc(), weights)},
                     {DNNL_ARG_BIAS, dnnl::memory(shift.plain, engine(), bias)},
                     {DNNL_ARG_DST, result}});
    });
}

} // extern "C"
