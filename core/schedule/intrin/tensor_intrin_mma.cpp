// SPDX-License-Identifier: Apache-2.0
/// Tiles of matrices on CUDA's tensor cores through PTX's mma: the 32 lanes of a warp hold a tile, each a few
/// elements of it.
#include "core/schedule/intrin/tensor_intrin_mma.h"

#include <format>

namespace nestwright::schedule {

namespace {

/// Elements of the factors.
struct Element {
    std::string_view type, name, ptx; ///< of TensorIR, in names of intrinsics, in PTX
    int depth;                        ///< how many of them one multiplication adds up
    bool inDynamicMemory = false;     ///< whether tiles also come from memory whose size the launch decides

    int perLane() const { return depth / 2; }
};
constexpr Element half{"float16", "f16", "fp16", 16, true}, bfloat{"bfloat16", "bf16", "bf16", 16, true},
    byte{"int8", "i8", "int8", 32}, e4m3{"float8_e4m3fn", "e4m3", "e4m3", 32},
    e5m2{"float8_e5m2", "e5m2", "e5m2", 32};

/// The type of the accumulators; each lane has eight of a tile of 16 × 16.
struct Sum {
    std::string_view type, name, ptx;
};
constexpr Sum single{"float32", "f32", "fp32"}, halfSum{"float16", "f16", "fp16"},
    word{"int32", "i32", "int32"};

/// A buffer of the intrinsic as it is written in the list of parameters.
std::string bufferParameter(std::string_view name, int rows, int columns, std::string_view type,
                            std::string_view options)
{
    return std::format(R"({}: T.Buffer(({}, {}), "{}"{}))", name, rows, columns, type, options);
}

std::string inWarp(std::string_view name, int perLane, std::string_view type, int offsetFactor)
{
    return bufferParameter(name, 32, perLane, type,
                           std::format(R"(, scope="warp", offset_factor={})", offsetFactor));
}

std::string mmaHead(std::string_view name, std::string_view parameters, std::string_view reads,
                    std::string_view writes)
{
    return std::format(R"(
@T.prim_func
def {}({}):
    with T.block("root"):
        T.reads({})
        T.writes({})
)",
                       name, parameters, reads, writes);
}

constexpr std::string_view lanes = "        for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n";

/// Lane and position of the element at a row and column. A lane holds `together` adjacent elements of a row.
std::string placeByRows(std::string_view row, std::string_view column, int together)
{
    return std::format("4 * ({0} % 8) + {1} % {2} // {3}, {4} * ({1} // {2}) + {0} // 8 * {3} + {1} % {3}",
                       row, column, 4 * together, together, 2 * together);
}

/// Like `placeByRows`, for tiles of 32 × 16 whose columns belong to lanes.
std::string placeByColumns(std::string_view row, std::string_view column)
{
    return std::format("{0} % 16 // 4 + 4 * ({1} % 8), 8 * ({1} // 8) + {0} // 16 * 4 + {0} % 4", row,
                       column);
}

/// A tile of a factor: from shared memory into the warp.
struct FactorTile {
    Element element;
    char factor = 0;
    bool transposed = false;

    /// B of bytes is 32 × 16 as it stands in memory.
    bool isByColumns() const { return element.depth == 32 && factor == 'b' && !transposed; }
    int rows() const { return isByColumns() ? 32 : 16; }
    int columns() const { return isByColumns() ? 16 : element.depth; }
    int offsetFactor() const { return isByColumns() ? 16 : element.depth; }
    std::string place(std::string_view row, std::string_view column) const
    {
        return isByColumns() ? placeByColumns(row, column)
                             : placeByRows(row, column, element.depth == 32 ? 4 : 2);
    }
    bool turnsOnLoading() const { return (factor == 'b') != transposed; }
    /// Offset in shared memory of the row that the lane reads for ldmatrix.
    std::string rowOfLane() const
    {
        if (isByColumns())
            return "shared.strides[0]";
        if (!transposed)
            return std::format("shared.strides[0] * (tx % 16) + {} * (tx // 16)", element.perLane());
        return std::format("shared.strides[0] * 8 * (tx // 16) + {} + {} * (tx % 16 // 8)",
                           element.depth == 32 ? "tx % 8 * shared.strides[0]"
                                               : "shared.strides[0] * (tx % 8)",
                           element.perLane());
    }
};

IntrinText mmaLoad(const FactorTile &tile, bool fromDynamic)
{
    const Element &e = tile.element;
    const std::string_view scope = fromDynamic ? "shared.dyn" : "shared";
    const auto shared = [&](std::string_view strides) {
        return bufferParameter(
            "shared", tile.rows(), tile.columns(), e.type,
            std::format(R"({}, scope="{}", offset_factor={})", strides, scope, tile.offsetFactor()));
    };
    const std::string warp = inWarp("warp", e.perLane(), e.type, tile.offsetFactor());
    const std::string reads = std::format("shared[0:{}, 0:{}]", tile.rows(), tile.columns()),
                      writes = std::format("warp[0:32, 0:{}]", e.perLane());
    return {
        std::format("mma_ldmatrix_{}_{}{}{}", e.name, tile.factor, tile.transposed ? "_trans" : "",
                    fromDynamic ? "_dyn" : ""),
        mmaHead("description", warp + ", " + shared(""), reads, writes)
            + std::format(R"(        for ax0, ax1 in T.grid({}, {}):
            with T.block("shared_warp"):
                v0, v1 = T.axis.remap("SS", [ax0, ax1])
                warp[{}] = shared[v0, v1]
)",
                          tile.rows(), tile.columns(), tile.place("v0", "v1"))
            + mmaHead("implementation", warp + ", " + shared(", strides=(\"s0\", \"s1\")"), reads, writes)
            + std::string(lanes)
            + std::format("            T.ptx_ldmatrix(\"{0}\", {1}, 4, \".b16\", warp.data, warp.elem_offset "
                          "+ {2} * tx, T.tvm_access_ptr(T.type_annotation(\"{0}\"), shared.data, "
                          "shared.elem_offset, shared.strides[0] * {3}, 1), {4})\n",
                          e.type, tile.turnsOnLoading() ? "True" : "False", e.perLane(), tile.rows(),
                          tile.rowOfLane())};
}

/// The accumulators plus the product of one tile of A and one of B; each factor may be given transposed.
IntrinText mmaMultiply(const Element &e, const Sum &sum, bool transposedA, bool transposedB)
{
    const FactorTile a{e, 'a', transposedA}, b{e, 'b', transposedB};
    const std::string parameters = inWarp("A", e.perLane(), e.type, a.offsetFactor()) + ", "
                                   + inWarp("B", e.perLane(), e.type, b.offsetFactor()) + ", "
                                   + inWarp("C", 8, sum.type, 16);
    const std::string reads = std::format("C[0:32, 0:8], A[0:32, 0:{0}], B[0:32, 0:{0}]", e.perLane());
    const auto factor = [&](char name, const std::string &place) {
        const std::string element = std::format("{}[{}]", name, place);
        return e.type == sum.type ? element : std::format("T.Cast(\"{}\", {})", sum.type, element);
    };
    const std::string result = std::format("C[{}]", placeByRows("vi", "vj", 2));
    std::string calls;
    // The instruction makes eight columns: two of them make the tile.
    for (const bool right : {false, true})
        calls +=
            std::format("            T.ptx_mma(\"{0}\", \"m16n8k{1}\", \"row\", \"col\", \"{2}\", \"{2}\", "
                        "\"{3}\", A.data, A.elem_offset + tx * {4}, B.data, B.elem_offset + tx * {4}{5}, "
                        "C.data, C.elem_offset + tx * 8{6}, False)\n",
                        sum.type, e.depth, e.ptx, sum.ptx, e.perLane(),
                        right ? std::format(" + {}", e.perLane() / 2) : "", right ? " + 4" : "");
    return {std::format("mma_{0}{0}{1}{2}{3}", e.name, sum.name, transposedA ? "_trans_a" : "",
                        transposedB ? "_trans_b" : ""),
            mmaHead("description", parameters, reads, "C[0:32, 0:8]")
                + std::format(R"(        for i, j, k in T.grid(16, 16, {0}):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                {1} = {1} + {2} * {3}
)",
                              e.depth, result,
                              factor('A', transposedA ? a.place("vk", "vi") : a.place("vi", "vk")),
                              factor('B', transposedB ? b.place("vj", "vk") : b.place("vk", "vj")))
                + mmaHead("implementation", parameters, reads, "C[0:32, 0:8]") + std::string(lanes) + calls};
}

IntrinText mmaFill(const Sum &sum)
{
    const auto parameters = [&](std::string_view options) {
        return bufferParameter("C_warp", 32, 8, sum.type, options);
    };
    return {
        std::format("mma_fill_16x16_{}", sum.name),
        mmaHead("description", parameters(", scope=\"warp\""), "", "C_warp[0:32, 0:8]")
            + std::format(R"(        for i0, i1 in T.grid(16, 16):
            with T.block("C_warp"):
                i, j = T.axis.remap("SS", [i0, i1])
                C_warp[{}] = T.{}(0)
)",
                          placeByRows("i", "j", 2), sum.type)
            + mmaHead("implementation", parameters(", scope=\"warp\", offset_factor=1"), "",
                      "C_warp[0:32, 0:8]")
            + std::string(lanes)
            + std::format("            T.mma_fill(\"{}\", 8, C_warp.data, C_warp.elem_offset)\n", sum.type)};
}

/// Stores a tile of sums; `simple` stores element by element, which needs no code of its own on the device.
IntrinText mmaStore(const Sum &sum, std::string_view scope, std::string_view scopeName, bool simple)
{
    const auto parameters = [&](std::string_view ofWarp, std::string_view ofC) {
        return bufferParameter("C_warp", 32, 8, sum.type, std::format(", scope=\"warp\"{}", ofWarp)) + ", "
               + bufferParameter("C", 16, 16, sum.type,
                                 std::format("{1}, scope=\"{0}\"{2}", scope, ofC, ofWarp));
    };
    constexpr std::string_view reads = "C_warp[0:32, 0:8]", writes = "C[0:16, 0:16]";
    const std::string body =
        simple
            ? std::string("            for local_id in range(8):\n                C[8 * (local_id % 4 // 2) "
                          "+ tx // 4, 8 * (local_id // 4) + tx % 4 * 2 + local_id % 2] = C_warp[tx, "
                          "local_id]\n")
            : std::format(
                  "            T.mma_store(\"{0}\", 16, 16, T.tvm_access_ptr(T.type_annotation(\"{0}\"), "
                  "C.data, C.elem_offset, C.strides[0] * 16, 2), C_warp.data, C_warp.elem_offset, "
                  "C.strides[0])\n",
                  sum.type);
    return {std::format("mma_store_16x16_{}_{}{}_", sum.name, scopeName, simple ? "_simple" : ""),
            mmaHead("description", parameters("", ""), reads, writes)
                + std::format(R"(        for i0, i1 in T.grid(16, 16):
            with T.block("C_warp"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                C[v0, v1] = C_warp[{}]
)",
                              placeByRows("v0", "v1", 2))
                + mmaHead("implementation", parameters(", offset_factor=1", ", strides=(\"s0\", \"s1\")"),
                          reads, writes)
                + std::string(lanes) + body};
}

} // namespace

std::vector<IntrinText> mmaIntrins()
{
    std::vector<IntrinText> intrins;
    for (const Element &e : {half, bfloat, byte, e4m3, e5m2}) {
        for (const char factor : {'a', 'b'}) {
            for (const bool transposed : {false, true}) {
                if (factor == 'a' && transposed && e.depth == 32)
                    continue; // bytes of A are loaded as they stand only
                intrins.push_back(mmaLoad({e, factor, transposed}, false));
                if (e.inDynamicMemory)
                    intrins.push_back(mmaLoad({e, factor, transposed}, true));
            }
        }
    }
    const std::pair<Element, Sum> products[] = {{half, single}, {half, halfSum}, {bfloat, single},
                                                {byte, word},   {e4m3, single},  {e5m2, single}};
    for (const auto &[element, sum] : products) {
        for (const bool transposedA : {false, true}) {
            for (const bool transposedB : {false, true}) {
                if (!transposedA || element.depth == 16)
                    intrins.push_back(mmaMultiply(element, sum, transposedA, transposedB));
            }
        }
    }
    for (const Sum &sum : {single, halfSum, word}) {
        intrins.push_back(mmaFill(sum));
        intrins.push_back(mmaStore(sum, "global", "global", false));
        intrins.push_back(mmaStore(sum, "shared.dyn", "shared_dyn", false));
        intrins.push_back(mmaStore(sum, "shared.dyn", "shared_dyn", true));
    }
    return intrins;
}

} // namespace nestwright::schedule
