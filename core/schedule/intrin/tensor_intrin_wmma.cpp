// SPDX-License-Identifier: Apache-2.0
/// Tiles of matrices on CUDA's tensor cores, through wmma fragments.
#include "core/schedule/intrin/tensor_intrin.h"

#include <format>

namespace nestwright::schedule {

namespace {

/// The tile of one instruction: C is m × n, A m × k, B k × n.
struct Shape {
    int m, n, k;
    std::string str() const { return std::format("{}x{}x{}", m, n, k); }
};

/// A tile of a matrix as a parameter.
struct TileBuffer {
    std::string_view name, type, scope;
    int rows, columns, offsetFactor;
};

/// Implementations need the strides, which only views of larger buffers have.
std::string tileParameter(const TileBuffer &tile, bool withStrides)
{
    const std::string strides =
        withStrides ? std::format("strides=(\"{0}_rows\", \"{0}_columns\"), ", tile.name) : "";
    return std::format(R"({}: T.Buffer(({}, {}), "{}", {}scope="{}", offset_factor={}))", tile.name,
                       tile.rows, tile.columns, tile.type, strides, tile.scope, tile.offsetFactor);
}

std::string wmmaHead(std::string_view name, const std::vector<TileBuffer> &tiles, bool withStrides,
                     std::string_view reads)
{
    std::string parameters;
    for (const TileBuffer &tile : tiles)
        parameters += (parameters.empty() ? "" : ", ") + tileParameter(tile, withStrides);
    const TileBuffer &written = tiles.back();
    return std::format(R"(
@T.prim_func
def {}({}):
    with T.block("root"):
        T.reads({})
        T.writes({}[0:{}, 0:{}])
)",
                       name, parameters, reads, written.name, written.rows, written.columns);
}

std::string whole(const TileBuffer &tile)
{
    return std::format("{}[0:{}, 0:{}]", tile.name, tile.rows, tile.columns);
}

/// The tile's index in the array of fragments.
std::string fragmentIndex(const TileBuffer &tile)
{
    return std::format(
        "{0}.elem_offset // {0}.strides[0] // {1} * ({0}.strides[0] // {2}) + {0}.elem_offset % "
        "{0}.strides[0] // {2}",
        tile.name, tile.rows, tile.columns);
}

std::string elementwise(const TileBuffer &tile, std::string_view block, std::string_view statement)
{
    return std::format(R"(        for i, j in T.grid({}, {}):
            with T.block("{}"):
                vi, vj = T.axis.remap("SS", [i, j])
                {}
)",
                       tile.rows, tile.columns, block, statement);
}

IntrinText wmmaFill(const Shape &shape, std::string_view type, std::string_view shortType)
{
    const TileBuffer c{"C", type, "wmma.accumulator", shape.m, shape.n, shape.m};
    return {std::format("wmma_fill_{}_{}", shape.str(), shortType),
            wmmaHead("description", {c}, false, "")
                + elementwise(c, "init", std::format("C[vi, vj] = T.{}(0)", type))
                + wmmaHead("implementation", {c}, true, "")
                + std::format("        T.tvm_fill_fragment(C.data, {}, {}, {}, {}, T.float32(0))\n", shape.m,
                              shape.n, shape.k, fragmentIndex(c))};
}

/// A tile of one of the factors, or of its transpose, from shared memory.
IntrinText wmmaLoad(const Shape &shape, std::string_view type, std::string_view shortType, char factor,
                    bool transposed, std::string_view scope, std::string_view scopeName)
{
    int rows = factor == 'a' ? shape.m : shape.k, columns = factor == 'a' ? shape.k : shape.n;
    if (transposed)
        std::swap(rows, columns);
    const std::string fragment = std::format("wmma.matrix_{}", factor);
    const TileBuffer a{"A", type, scope, rows, columns, columns},
        c{"C", type, fragment, rows, columns, columns};
    return {
        std::format("wmma_load_{}_{}_{}{}_{}", shape.str(), shortType, factor, transposed ? "_trans" : "",
                    scopeName),
        wmmaHead("description", {a, c}, false, whole(a)) + elementwise(c, "load", "C[vi, vj] = A[vi, vj]")
            + wmmaHead("implementation", {a, c}, true, whole(a))
            + std::format(
                "        T.tvm_load_matrix_sync(C.data, {}, {}, {}, {}, "
                "T.tvm_access_ptr(T.type_annotation(\"{}\"), A.data, A.elem_offset, A.strides[0] * {}, 1), "
                "A.strides[0], \"{}\")\n",
                shape.m, shape.n, shape.k, fragmentIndex(c), type, rows,
                transposed ? "col_major" : "row_major")};
}

IntrinText wmmaStore(const Shape &shape, std::string_view type, std::string_view shortType,
                     std::string_view scope, std::string_view scopeName)
{
    const TileBuffer a{"A", type, "wmma.accumulator", shape.m, shape.n, shape.m},
        c{"C", type, scope, shape.m, shape.n, shape.m};
    return {
        std::format("wmma_store_{}_{}_{}", shape.str(), shortType, scopeName),
        wmmaHead("description", {a, c}, false, whole(a)) + elementwise(c, "store", "C[vi, vj] = A[vi, vj]")
            + wmmaHead("implementation", {a, c}, true, whole(a))
            + std::format(
                "        T.tvm_store_matrix_sync(A.data, {}, {}, {}, {}, "
                "T.tvm_access_ptr(T.type_annotation(\"{}\"), C.data, C.elem_offset, C.strides[0] * {}, 2), "
                "C.strides[0], \"row_major\")\n",
                shape.m, shape.n, shape.k, fragmentIndex(a), type, shape.m)};
}

/// C += A B, or A Bᵀ.
IntrinText wmmaMultiply(const Shape &shape, std::string_view type, std::string_view sumType,
                        std::string_view shortTypes, bool transposed)
{
    const int rows = transposed ? shape.n : shape.k, columns = transposed ? shape.k : shape.n;
    const TileBuffer a{"A", type, "wmma.matrix_a", shape.m, shape.k, shape.k},
        b{"B", type, "wmma.matrix_b", rows, columns, columns},
        c{"C", sumType, "wmma.accumulator", shape.m, shape.n, shape.n};
    const std::string reads = whole(c) + ", " + whole(a) + ", " + whole(b);
    const auto factor = [&](std::string_view load) {
        return type == sumType ? std::string(load) : std::format("T.Cast(\"{}\", {})", sumType, load);
    };
    return {std::format("wmma_sync_{}_{}{}", shape.str(), shortTypes, transposed ? "_trans" : ""),
            wmmaHead("description", {a, b, c}, false, reads)
                + std::format(R"(        for i, j, k in T.grid({}, {}, {}):
            with T.block("update"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                C[vi, vj] = C[vi, vj] + {} * {}
)",
                              shape.m, shape.n, shape.k, factor("A[vi, vk]"),
                              factor(transposed ? "B[vj, vk]" : "B[vk, vj]"))
                + wmmaHead("implementation", {a, b, c}, true, reads)
                + std::format("        T.tvm_mma_sync(C.data, {0}, A.data, {1}, B.data, {2}, C.data, {0})\n",
                              fragmentIndex(c), fragmentIndex(a), fragmentIndex(b))};
}

} // namespace

std::vector<IntrinText> wmmaIntrins()
{
    constexpr Shape square{16, 16, 16}, flat{8, 8, 32};
    std::vector<IntrinText> intrins{wmmaFill(flat, "int32", "s32")};
    for (const auto &[type, name] :
         {std::pair{"float32", "f32"}, std::pair{"float16", "f16"}, std::pair{"int32", "s32"}}) {
        intrins.push_back(wmmaFill(square, type, name));
        for (const auto &[scope, scopeName] : {std::pair{"global", "global"}, std::pair{"shared", "shared"},
                                               std::pair{"shared.dyn", "shared_dyn"}})
            intrins.push_back(wmmaStore(square, type, name, scope, scopeName));
    }
    for (const auto &[scope, scopeName] :
         {std::pair{"shared", "shared"}, std::pair{"shared.dyn", "shared_dyn"}}) {
        for (const auto &[type, name] : {std::pair{"float16", "f16"}, std::pair{"int8", "s8"}}) {
            for (const char factor : {'a', 'b'}) {
                for (const bool transposed : {false, true})
                    intrins.push_back(wmmaLoad(square, type, name, factor, transposed, scope, scopeName));
            }
        }
    }
    for (const auto &[scope, scopeName] : {std::pair{"global", "global"}, std::pair{"shared", "shared"},
                                           std::pair{"shared.dyn", "shared_dyn"}})
        intrins.push_back(wmmaStore(flat, "int32", "s32", scope, scopeName));
    for (const bool transposed : {false, true}) {
        intrins.push_back(wmmaMultiply(square, "float16", "float32", "f16f16f32", transposed));
        intrins.push_back(wmmaMultiply(square, "float16", "float16", "f16f16f16", transposed));
        intrins.push_back(wmmaMultiply(square, "int8", "int32", "s8s8s32", transposed));
    }
    return intrins;
}

} // namespace nestwright::schedule
