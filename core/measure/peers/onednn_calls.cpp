// SPDX-License-Identifier: Apache-2.0
#include "core/measure/peers/onednn_calls.h"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <memory>
#include <random>
#include <span>
#include <vector>

namespace nestwright::measure {

using support::fail;
using support::Result;

namespace {

// The numbers of oneDNN's C interface, version 3.
constexpr int processor = 1, inOrder = 1, success = 0;
constexpr int float32 = 3, anyLayout = 1, plainRows = 3;
constexpr int forwardInference = 96, anyAlgorithm = 3, accurateSoftmax = 0x30000;
constexpr int layoutOfSource = 129, layoutOfWeights = 131, layoutOfResult = 133;
constexpr int source = 1, result = 17, weights = 33;
constexpr std::size_t mostDimensions = 12;

using PerAxis = std::array<std::int64_t, mostDimensions>;
using Object = void *; ///< a handle of the library's

struct ExecArgument {
    int kind = 0;
    Object memory = nullptr;
};

/// The functions that are called here, by the library's own names.
struct Functions {
    explicit Functions(void *library)
    {
        const auto find = [&](auto &function, const char *name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
            isWhole = isWhole && function;
        };
        find(version, "dnnl_version");
        find(createEngine, "dnnl_engine_create");
        find(destroyEngine, "dnnl_engine_destroy");
        find(createStream, "dnnl_stream_create");
        find(destroyStream, "dnnl_stream_destroy");
        find(wait, "dnnl_stream_wait");
        find(createLayout, "dnnl_memory_desc_create_with_tag");
        find(destroyLayout, "dnnl_memory_desc_destroy");
        find(bytesOf, "dnnl_memory_desc_get_size");
        find(describeConvolution, "dnnl_convolution_forward_primitive_desc_create");
        find(describeSoftmax, "dnnl_softmax_forward_primitive_desc_create");
        find(destroyDescription, "dnnl_primitive_desc_destroy");
        find(layoutOf, "dnnl_primitive_desc_query_md");
        find(createPrimitive, "dnnl_primitive_create");
        find(destroyPrimitive, "dnnl_primitive_destroy");
        find(createMemory, "dnnl_memory_create");
        find(destroyMemory, "dnnl_memory_destroy");
        find(execute, "dnnl_primitive_execute");
    }

    const int *(*version)() = nullptr;
    int (*createEngine)(Object *, int kind, std::size_t index) = nullptr;
    int (*createStream)(Object *, Object engine, unsigned flags) = nullptr;
    int (*wait)(Object stream) = nullptr;
    int (*createLayout)(Object *, int dimensions, const std::int64_t *sizes, int type, int layout) = nullptr;
    std::size_t (*bytesOf)(const void *layout) = nullptr;
    int (*describeConvolution)(Object *, Object engine, int use, int algorithm, const void *source,
                               const void *weights, const void *bias, const void *result,
                               const std::int64_t *strides, const std::int64_t *gaps,
                               const std::int64_t *before, const std::int64_t *behind,
                               const void *attributes) = nullptr;
    int (*describeSoftmax)(Object *, Object engine, int use, int algorithm, const void *source,
                           const void *result, int axis, const void *attributes) = nullptr;
    const void *(*layoutOf)(const void *description, int what, int index) = nullptr;
    int (*createPrimitive)(Object *, const void *description) = nullptr;
    int (*createMemory)(Object *, const void *layout, Object engine, void *data) = nullptr;
    int (*execute)(const void *primitive, Object stream, int count, const ExecArgument *arguments) = nullptr;
    int (*destroyEngine)(Object) = nullptr, (*destroyStream)(Object) = nullptr,
        (*destroyLayout)(Object) = nullptr, (*destroyDescription)(Object) = nullptr,
        (*destroyPrimitive)(Object) = nullptr, (*destroyMemory)(Object) = nullptr;
    bool isWhole = true;
};

std::unexpected<support::Diagnostic> hasNone()
{
    return fail("peer.none", "oneDNN has no function for this computation");
}

using Owned = std::unique_ptr<void, int (*)(Object)>;

/// A primitive with its arrays, and all that it needs.
class OneDnnCall {
public:
    explicit OneDnnCall(const Functions &functions) : m_functions(functions)
    {
        m_engine = made(functions.destroyEngine,
                        [&](Object *made) { return functions.createEngine(made, processor, 0); });
        m_stream = made(functions.destroyStream,
                        [&](Object *made) { return functions.createStream(made, m_engine.get(), inOrder); });
    }

    const Functions &functions() const { return m_functions; }

    Owned layout(std::span<const std::int64_t> sizes, int order) const
    {
        return made(m_functions.destroyLayout, [&](Object *made) {
            return m_functions.createLayout(made, static_cast<int>(sizes.size()), sizes.data(), float32,
                                            order);
        });
    }

    /// `describe(made, engine)` makes the description. False where the library has none.
    bool prepare(const auto &describe, std::initializer_list<std::pair<int, int>> arrays)
    {
        if (!m_engine || !m_stream)
            return false;
        const Owned description = made(m_functions.destroyDescription,
                                       [&](Object *made) { return describe(made, m_engine.get()); });
        if (!description)
            return false;
        m_primitive = made(m_functions.destroyPrimitive, [&](Object *made) {
            return m_functions.createPrimitive(made, description.get());
        });
        for (const auto &[kind, what] : arrays)
            addArray(kind, m_functions.layoutOf(description.get(), what, 0));
        return m_primitive
               && std::ranges::all_of(m_arguments, [](const ExecArgument &each) { return each.memory; });
    }

    void run() const
    {
        m_functions.execute(m_primitive.get(), m_stream.get(), static_cast<int>(m_arguments.size()),
                            m_arguments.data());
        m_functions.wait(m_stream.get());
    }

private:
    static Owned made(int (*destroy)(Object), const auto &create)
    {
        Object object = nullptr;
        return {create(&object) == success ? object : nullptr, destroy};
    }

    void addArray(int kind, const void *layout)
    {
        std::vector<float> &data = m_data.emplace_back(m_functions.bytesOf(layout) / sizeof(float));
        std::ranges::generate(data, [this] { return m_numbers(m_generator); });
        m_memories.push_back(made(m_functions.destroyMemory, [&](Object *made) {
            return m_functions.createMemory(made, layout, m_engine.get(), data.data());
        }));
        m_arguments.push_back({kind, m_memories.back().get()});
    }

    Functions m_functions;
    std::mt19937 m_generator{1};
    std::uniform_real_distribution<float> m_numbers{-1, 1};
    Owned m_engine{nullptr, nullptr}, m_stream{nullptr, nullptr}, m_primitive{nullptr, nullptr};
    std::vector<std::vector<float>> m_data;
    std::vector<Owned> m_memories;
    std::vector<ExecArgument> m_arguments;
};

/// Null where the library is of another version or lacks a function.
std::shared_ptr<OneDnnCall> callOf(void *library)
{
    constexpr int knownVersion = 3;
    const Functions functions(library);
    if (!functions.isWhole || functions.version()[0] != knownVersion)
        return nullptr;
    return std::make_shared<OneDnnCall>(functions);
}

} // namespace

Result<std::function<void()>> oneDnnCall(void *library, const analysis::Convolution &convolution)
{
    const auto call = callOf(library);
    if (!call)
        return hasNone();
    const auto &[batch, channels, filters, input, kernel, output, stride, dilation, padding] = convolution;
    const Owned x = call->layout(std::array{batch, channels, input[0], input[1]}, anyLayout),
                w = call->layout(std::array{filters, channels, kernel[0], kernel[1]}, anyLayout),
                y = call->layout(std::array{batch, filters, output[0], output[1]}, anyLayout);
    PerAxis strides{}, gaps{}, before{}, behind{};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        strides[axis] = stride[axis];
        gaps[axis] = dilation[axis] - 1;
        before[axis] = padding[axis];
        behind[axis] = (output[axis] - 1) * stride[axis] + (kernel[axis] - 1) * dilation[axis] + 1
                       - input[axis] - padding[axis];
    }
    const auto describe = [&](Object *made, Object engine) {
        return call->functions().describeConvolution(made, engine, forwardInference, anyAlgorithm, x.get(),
                                                     w.get(), nullptr, y.get(), strides.data(), gaps.data(),
                                                     before.data(), behind.data(), nullptr);
    };
    if (!x || !w || !y
        || !call->prepare(describe,
                          {{source, layoutOfSource}, {weights, layoutOfWeights}, {result, layoutOfResult}}))
        return hasNone();
    return [call] { call->run(); };
}

Result<std::function<void()>> oneDnnCall(void *library, const analysis::Softmax &softmax)
{
    const auto call = callOf(library);
    if (!call)
        return hasNone();
    const Owned rows = call->layout(std::array{softmax.rows, softmax.columns}, plainRows);
    const auto describe = [&](Object *made, Object engine) {
        return call->functions().describeSoftmax(made, engine, forwardInference, accurateSoftmax, rows.get(),
                                                 rows.get(), 1, nullptr);
    };
    if (!rows || !call->prepare(describe, {{source, layoutOfSource}, {result, layoutOfResult}}))
        return hasNone();
    return [call] { call->run(); };
}

} // namespace nestwright::measure
