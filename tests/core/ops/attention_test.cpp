// SPDX-License-Identifier: Apache-2.0
// Attention and its relatives beside the same worked out number by number.
#include "tests/core/ops/calls.h"
#include "tests/support/random.h"

#include <cmath>
#include <functional>
#include <limits>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

using Ints = std::vector<std::int64_t>;

constexpr double infinity = std::numeric_limits<double>::infinity();

ir::NdArray random(Random &from, const Ints &shape, std::string_view type = "float32")
{
    ir::NdArray array(*ir::DataType::parse(type), shape);
    for (std::int64_t i = 0; i < array.size(); ++i)
        array.set(i, array.dtype().isBool() ? static_cast<double>(from.below(2))
                                            : static_cast<double>(from.between(-20, 20)) / 10);
    return array;
}

/// The element of an array that broadcasts to `at`.
double broadcast(const ir::NdArray &array, const Ints &at)
{
    std::int64_t place = 0;
    const Ints &shape = array.shape();
    for (std::size_t i = 0; i < shape.size(); ++i)
        place = place * shape[i] + (shape[i] == 1 ? 0 : at[at.size() - shape.size() + i]);
    return array.at(place);
}

struct Problem {
    std::int64_t batch = 0, heads = 0, groups = 0, queries = 0, keys = 0, depth = 0, width = 0;
    ops::Attributes attributes{};
    std::vector<ir::NdArray> inputs{};

    bool flag(const char *name) const
    {
        const auto found = attributes.find(name);
        return found != attributes.end() && std::get<bool>(found->second);
    }
    std::int64_t integer(const char *name) const
    {
        return std::get<std::int64_t>(attributes.find(name)->second);
    }
    bool isLast(const char *layout) const
    {
        return std::get<std::string>(attributes.find(layout)->second) == "BLHD";
    }
};

Problem randomProblem(Random &from)
{
    Problem p;
    p.batch = from.pick(Ints{1, 1, 2});
    p.groups = from.pick(Ints{1, 2});
    p.heads = p.groups * from.pick(Ints{1, 2, 3});
    p.queries = from.pick(Ints{1, 2, 5, 16, 17, 35});
    p.keys = from.pick(Ints{1, 4, 7, 20});
    p.depth = from.pick(Ints{1, 3, 4, 16});
    p.width = from.pick(Ints{1, 2, 5});
    p.attributes = {{"scale", 0.5},
                    {"softcap", from.chance(30) ? 1.5 : 0.0},
                    {"causal", from.chance(40)},
                    {"offset", from.pick(Ints{0, 0, 2, -3})},
                    {"left", from.pick(Ints{-1, -1, 0, 3})},
                    {"right", from.pick(Ints{-1, -1, 0, 2})},
                    {"layout", std::string(from.chance(50) ? "BLHD" : "BHLD")},
                    {"key_layout", std::string(from.chance(50) ? "BLHD" : "BHLD")}};
    const auto shape = [&](const char *layout, std::int64_t heads, std::int64_t places, std::int64_t size) {
        return p.isLast(layout) ? Ints{p.batch, places, heads, size} : Ints{p.batch, heads, places, size};
    };
    p.inputs = {random(from, shape("layout", p.heads, p.queries, p.depth)),
                random(from, shape("key_layout", p.groups, p.keys, p.depth)),
                random(from, shape("key_layout", p.groups, p.keys, p.width))};
    const auto anyShape = [&] {
        return from.pick(std::vector<Ints>{{p.queries, p.keys},
                                           {p.keys},
                                           {p.batch, 1, 1, p.keys},
                                           {p.heads, p.queries, p.keys},
                                           {1, p.heads, p.queries, 1}});
    };
    if (from.chance(40)) {
        p.attributes["bias"] = true;
        p.inputs.push_back(random(from, anyShape()));
        if (from.chance(50))
            p.inputs.back().set(0, -infinity);
    }
    if (from.chance(40)) {
        p.attributes["mask"] = true;
        p.inputs.push_back(random(from, anyShape(), "bool"));
    }
    if (from.chance(40)) {
        p.attributes["lengths"] = true;
        p.inputs.emplace_back(ir::DataType::int64(), Ints{p.batch});
        for (std::int64_t b = 0; b < p.batch; ++b)
            p.inputs.back().set(b, static_cast<double>(from.between(0, p.keys)));
    }
    return p;
}

/// Attention by its attributes, in doubles.
ir::NdArray expected(const Problem &p)
{
    std::size_t next = 3;
    const auto input = [&](const char *name) { return p.flag(name) ? &p.inputs[next++] : nullptr; };
    const ir::NdArray *bias = input("bias"), *mask = input("mask"), *lengths = input("lengths");
    const auto at = [&](const ir::NdArray &x, const char *layout, std::int64_t b, std::int64_t h,
                        std::int64_t l, std::int64_t d) {
        const Ints &s = x.shape();
        return x.at(p.isLast(layout) ? ((b * s[1] + l) * s[2] + h) * s[3] + d
                                     : ((b * s[1] + h) * s[2] + l) * s[3] + d);
    };
    const double cap = std::get<double>(p.attributes.find("softcap")->second);
    ir::NdArray result(ir::DataType::float32(), p.isLast("layout")
                                                    ? Ints{p.batch, p.queries, p.heads, p.width}
                                                    : Ints{p.batch, p.heads, p.queries, p.width});
    for (std::int64_t b = 0; b < p.batch; ++b) {
        for (std::int64_t h = 0; h < p.heads; ++h) {
            const std::int64_t group = h / (p.heads / p.groups);
            for (std::int64_t i = 0; i < p.queries; ++i) {
                std::vector<double> scores;
                for (std::int64_t j = 0; j < p.keys; ++j) {
                    double score = 0;
                    for (std::int64_t d = 0; d < p.depth; ++d)
                        score += at(p.inputs[0], "layout", b, h, i, d)
                                 * at(p.inputs[1], "key_layout", b, group, j, d);
                    score *= 0.5;
                    if (cap > 0)
                        score = cap * std::tanh(score / cap);
                    if (bias)
                        score += broadcast(*bias, {b, h, i, j});
                    const auto length = lengths ? static_cast<std::int64_t>(lengths->at(b)) : p.keys;
                    const std::int64_t place = i + (lengths ? length - p.queries : p.integer("offset"));
                    const bool isSeen = j < length && (!p.flag("causal") || j <= place)
                                        && (p.integer("left") < 0 || j >= place - p.integer("left"))
                                        && (p.integer("right") < 0 || j <= place + p.integer("right"))
                                        && (!mask || broadcast(*mask, {b, h, i, j}) != 0);
                    scores.push_back(isSeen ? score : -infinity);
                }
                const double most = std::ranges::max(scores);
                double total = 0;
                for (double &score : scores)
                    total += score = most == -infinity ? 0 : std::exp(score - most);
                for (std::int64_t e = 0; e < p.width; ++e) {
                    double sum = 0;
                    for (std::int64_t j = 0; j < p.keys; ++j)
                        sum += scores[static_cast<std::size_t>(j)]
                               * at(p.inputs[2], "key_layout", b, group, j, e);
                    const std::int64_t row = p.isLast("layout") ? (b * p.queries + i) * p.heads + h
                                                                : (b * p.heads + h) * p.queries + i;
                    result.set(row * p.width + e, total == 0 ? 0 : sum / total);
                }
            }
        }
    }
    return result;
}

} // namespace

class AttentionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void randomProblems()
    {
        Random from(7);
        for (int i = 0; i < 150; ++i) {
            const Problem problem = randomProblem(from);
            const auto actual = called("nn.attention", problem.inputs, problem.attributes);
            QVERIFY2(actual, actual ? "" : actual.error().message.c_str());
            const ir::NdArray wanted = expected(problem);
            QCOMPARE(actual->size(), std::size_t(1));
            QCOMPARE(actual->front().shape(), wanted.shape());
            const ir::Deviation worst = ir::compare(wanted, actual->front(), 1e-4, 1e-5);
            QVERIFY2(worst.withinTolerance, std::format("problem {}: element {} is {} instead of {}", i,
                                                        worst.index, worst.actual, worst.expected)
                                                .c_str());
        }
    }

    void partsOfTheWay()
    {
        const ir::NdArray q = tensor("float32", {1, 1, 1, 1}, {2}),
                          k = tensor("float32", {1, 1, 2, 1}, {0, 1}),
                          v = tensor("float32", {1, 1, 2, 1}, {0, 9});
        const auto part = [&](const char *result) {
            return answer("nn.attention", {q, k, v},
                          {{"scale", 0.5},
                           {"softcap", 1.0},
                           {"offset", std::int64_t{0}},
                           {"causal", true},
                           {"result", std::string(result)}});
        };
        QCOMPARE(part("products"), "float32 (1, 1, 1, 2): 0 1");
        QCOMPARE(part("capped"), "float32 (1, 1, 1, 2): 0 0.761594");
        QCOMPARE(part("masked"), "float32 (1, 1, 1, 2): 0 -inf");
        QCOMPARE(part("weights"), "float32 (1, 1, 1, 2): 1 0");
        QCOMPARE(part("output"), "float32 (1, 1, 1, 1): 0");
        QCOMPARE(part("scores"), "\"nn.attention\": there is no result \"scores\"");
    }

    void halvesAreSummedInSingles()
    {
        const ir::NdArray q = tensor("float16", {1, 1, 1, 1}, {1}),
                          k = tensor("float16", {1, 1, 2, 1}, {0, 0}),
                          v = tensor("float16", {1, 1, 2, 1}, {60000, 60000});
        QCOMPARE(answer("nn.attention", {q, k, v}), "float16 (1, 1, 1, 1): 60000");
        QCOMPARE(answer("nn.attention", {q, k, v}, {{"precision", ir::DataType::float_(64)}}),
                 "float16 (1, 1, 1, 1): 60000");
    }

    void whatDoesNotFit()
    {
        const auto told = [](const std::vector<ir::NdArray> &inputs, ops::Attributes attributes = {}) {
            return answer("nn.attention", inputs, std::move(attributes)).replace("\"nn.attention\": ", "");
        };
        const auto t = [](const Sizes &shape, const char *type = "float32") { return counted(type, shape); };
        QCOMPARE(told({t({1, 2, 2}), t({1, 1, 2, 2}), t({1, 1, 2, 2})}),
                 "the queries must have 4 dimensions, not 3");
        QVERIFY(told({t({1, 3, 2, 2}), t({1, 2, 2, 2}), t({1, 2, 2, 2})}).contains("cannot share"));
        QVERIFY(told({t({1, 1, 2, 2}), t({1, 1, 2, 3}), t({1, 1, 2, 2})}).contains("size of a head"));
        QVERIFY(told({t({1, 1, 2, 2}), t({1, 1, 2, 2}), t({1, 1, 3, 2})}).contains("keys and values differ"));
        QVERIFY(told({t({1, 1, 2, 2}), t({1, 1, 2, 2}), t({1, 1, 2, 2})}, {{"bias", true}})
                    .contains("its attributes ask for 4"));
        QVERIFY(told({t({1, 1, 2, 2}), t({1, 1, 2, 2}), t({1, 1, 2, 2}), t({3})}, {{"bias", true}})
                    .contains("does not broadcast"));
        QCOMPARE(told({t({1, 1, 2, 2}), t({1, 1, 2, 2}), t({1, 1, 2, 2}), t({2})}, {{"mask", true}}),
                 "the mask must be of truth values");
        QCOMPARE(told({t({1, 1, 2, 2}), t({1, 1, 2, 2}), t({1, 1, 2, 2}), t({1})}, {{"lengths", true}}),
                 "the lengths must be integers");
        QVERIFY(
            told({t({1, 1, 2, 2}, "int32"), t({1, 1, 2, 2}), t({1, 1, 2, 2})}).contains("floating-point"));
        QVERIFY(told({t({1, 1, 2, 2}), t({1, 1, 2, 2}), t({1, 1, 2, 2})}, {{"layout", std::string("HBLD")}})
                    .contains("layout must be"));
    }

    void panelsGiveWhatTheMatrixGives()
    {
        Random from(3);
        for (const auto &[rows, multiple] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {5, 6}, {12, 6}}) {
            const ir::NdArray x = random(from, {rows, 3}), matrix = random(from, {3, 8});
            ir::NdArray panels(ir::DataType::float32(), {2, 3, 4});
            for (std::int64_t i = 0; i < panels.size(); ++i)
                panels.set(i, matrix.at(i / 4 % 3 * 8 + i / 12 * 4 + i % 4));
            const auto packed = called("nn.packed_matmul", {x, panels}, {{"row_multiple", multiple}});
            const auto plain = called("nn.matmul", {x, matrix}, {});
            QVERIFY(packed && plain);
            QCOMPARE(packed->front().shape(), plain->front().shape());
            QVERIFY(ir::compare(plain->front(), packed->front(), 1e-6, 1e-6).withinTolerance);
        }
        QCOMPARE(answer("nn.packed_matmul", {counted("float32", {2, 3}), counted("float32", {2, 4, 4})}),
                 "\"nn.packed_matmul\": Tensor[(2, 3), float32] and Tensor[(2, 4, 4), float32] cannot be "
                 "multiplied: "
                 "the sizes summed over differ");
        QCOMPARE(answer("nn.packed_matmul", {counted("float32", {2, 3}), counted("float32", {2, 3, 4})},
                        {{"row_multiple", std::int64_t{0}}}),
                 "\"nn.packed_matmul\": row_multiple must be above 0");
    }

    void weightsOfFourBits()
    {
        // Rows 0 to 15 of two columns hold 0 to 15, and 15 to 0; blocks of 8 rows.
        const ir::NdArray words =
            tensor("int32", {1, 2, 2},
                   {0x76543210, -1985229329.0 /* 0x89abcdef */, -19088744.0 /* 0xfedcba98 */, 0x01234567});
        const ir::NdArray scales = tensor("float32", {1, 2, 2}, {1, 2, 0.5, 1}),
                          offsets = tensor("float32", {1, 2, 2}, {0, 2, 4, 0});
        ir::NdArray x(ir::DataType::float32(), {1, 16});
        for (std::int64_t i = 0; i < 16; ++i)
            x.set(i, i == 3 ? 1 : i == 12 ? 10 : 0);
        // 3 + 10 (12 - 8) / 2, and 2 (12 - 1) + 10 · 3.
        QCOMPARE(answer("nn.matmul_4bit", {x, words, scales, offsets}), "float32 (1, 2): 23 52");
        QVERIFY(answer("nn.matmul_4bit", {counted("float32", {1, 8}), words, scales, offsets})
                    .contains("weights of 16 rows cannot be multiplied"));
        QVERIFY(answer("nn.matmul_4bit", {x, words, scales, counted("float32", {1, 1, 2})})
                    .contains("scales and offsets of one shape"));
    }
};

QTEST_GUILESS_MAIN(AttentionTest)
#include "attention_test.moc"
