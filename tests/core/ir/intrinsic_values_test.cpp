// SPDX-License-Identifier: Apache-2.0
// Values of LLVM's intrinsics, in the meaning they have here, against plain C++.
#include "core/interp/interpreter.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/exact_integers.h"
#include "core/ir/intrinsic_meaning.h"
#include "tests/support/random.h"

#include <QtTest>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

using namespace nestwright;
using ir::Buffer;
using ir::DataType;
using ir::Expr;
using ir::NdArray;

namespace {

using Bytes = std::vector<std::byte>;

/// Values in a row as they lie in memory.
template <class T> std::vector<T> viewed(const NdArray &array)
{
    std::vector<T> values(array.bytes().size() / sizeof(T));
    std::memcpy(values.data(), array.bytes().data(), values.size() * sizeof(T));
    return values;
}

/// Bytes of all kinds, with the ends of their range among them.
NdArray randomOf(DataType type, tests::Random &random)
{
    NdArray array(type, {});
    for (std::byte &each : array.bytes()) {
        constexpr std::array<int, 6> ends{0, 1, 0x7f, 0x80, 0xff, 0x81};
        each = static_cast<std::byte>(random.chance(50) ? random.below(256)
                                                        : ends[static_cast<std::size_t>(random.below(6))]);
    }
    return array;
}

/// The result of `name` for arguments that are read from `arrays`.
NdArray computed(const std::string &name, DataType type, std::vector<NdArray> &arrays,
                 std::vector<Expr> more = {})
{
    std::vector<Expr> args{ir::stringImm("llvm." + name)};
    ir::PrimFunc function;
    std::vector<NdArray *> buffers;
    for (NdArray &array : arrays) {
        const Buffer buffer("in" + std::to_string(buffers.size()), {}, array.dtype());
        function.params.push_back({ir::Var(buffer.name(), DataType::handle()), buffer});
        buffers.push_back(&array);
        args.push_back(load(buffer, {}));
    }
    args.insert(args.end(), more.begin(), more.end());
    const Expr call = ir::callIntrinsic("call_llvm_pure_intrin", args, type);
    const Expr meaning = ir::meaningOf(*call.as<ir::Call>());
    if (!meaning || meaning.dtype() != type)
        qFatal("%s has no meaning of its type", name.c_str());
    const Buffer out("out", {}, type);
    function.params.push_back({ir::Var("out", DataType::handle()), out});
    function.body = store(out, meaning, {});
    NdArray result(type, {});
    buffers.push_back(&result);
    if (const auto done = interp::run(function, buffers); !done)
        qFatal("%s: %s", name.c_str(), done.error().render().c_str());
    return result;
}

constexpr int rounds = 40;

/// `expected(lane, a, b)` for each lane of two arguments of the result's own type.
template <class T, class F> void checkPairs(const std::string &name, DataType type, F expected)
{
    tests::Random random(1);
    for (int round = 0; round < rounds; ++round) {
        std::vector<NdArray> args{randomOf(type, random), randomOf(type, random)};
        const auto actual = viewed<T>(computed(name, type, args));
        const auto a = viewed<T>(args[0]), b = viewed<T>(args[1]);
        for (std::size_t i = 0; i < actual.size(); ++i)
            QCOMPARE(actual[i], static_cast<T>(expected(a[i], b[i])));
    }
}

template <class T> std::int64_t clamped(std::int64_t value)
{
    return std::clamp<std::int64_t>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
}

/// Sums and differences of numbers of `bits` bits, which S and U hold.
template <class S, class U> void saturation(int bits)
{
    for (const DataType type : {DataType::int_(bits, 4), DataType::uint(bits, 4)}) {
        checkPairs<S>("sadd.sat", type, [](std::int64_t a, std::int64_t b) { return clamped<S>(a + b); });
        checkPairs<S>("ssub.sat", type, [](std::int64_t a, std::int64_t b) { return clamped<S>(a - b); });
        checkPairs<U>("uadd.sat", type, [](std::int64_t a, std::int64_t b) { return clamped<U>(a + b); });
        checkPairs<U>("usub.sat", type, [](std::int64_t a, std::int64_t b) { return clamped<U>(a - b); });
    }
}

/// Sums of `Parts` products for each lane of int32: of values of types A and B.
template <class A, class B> void checkDots(const std::string &name, DataType type, DataType of)
{
    constexpr std::size_t parts = 4 / sizeof(A);
    tests::Random random(2);
    for (int round = 0; round < rounds; ++round) {
        std::vector<NdArray> args{randomOf(type, random), randomOf(of, random), randomOf(of, random)};
        const auto actual = viewed<std::uint32_t>(computed(name, type, args));
        const auto sums = viewed<std::uint32_t>(args[0]);
        const auto a = viewed<A>(args[1]);
        const auto b = viewed<B>(args[2]);
        for (std::size_t i = 0; i < actual.size(); ++i) {
            std::int64_t sum = sums[i];
            for (std::size_t p = 0; p < parts; ++p)
                sum += std::int64_t{a[i * parts + p]} * b[i * parts + p];
            QCOMPARE(actual[i], static_cast<std::uint32_t>(sum));
        }
    }
}

} // namespace

class IntrinsicValuesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void extrema()
    {
        using Signed = std::int32_t;
        using Unsigned = std::uint32_t;
        for (const DataType type : {DataType::int_(32, 4), DataType::uint(32, 4)}) {
            checkPairs<Signed>("smin", type, [](Signed a, Signed b) { return std::min(a, b); });
            checkPairs<Signed>("smax", type, [](Signed a, Signed b) { return std::max(a, b); });
            checkPairs<Unsigned>("umin", type, [](Unsigned a, Unsigned b) { return std::min(a, b); });
            checkPairs<Unsigned>("umax", type, [](Unsigned a, Unsigned b) { return std::max(a, b); });
        }
        checkPairs<std::int64_t>("smin", DataType::int_(64, 2),
                                 [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
        checkPairs<std::uint8_t>("umax", DataType::int_(8, 16),
                                 [](std::uint8_t a, std::uint8_t b) { return std::max(a, b); });
    }

    void sumsThatStayInTheirRange()
    {
        saturation<std::int8_t, std::uint8_t>(8);
        saturation<std::int16_t, std::uint16_t>(16);
        saturation<std::int32_t, std::uint32_t>(32);
    }

    void countsAndMagnitudes()
    {
        tests::Random random(3);
        for (int round = 0; round < rounds; ++round) {
            std::vector<NdArray> args{randomOf(DataType::int32(), random)};
            const auto value = viewed<std::uint32_t>(args[0]).front();
            const auto of = [&](const char *name, std::vector<Expr> more = {}) {
                return viewed<std::int32_t>(computed(name, DataType::int32(), args, std::move(more))).front();
            };
            QCOMPARE(of("ctpop"), std::popcount(value));
            QCOMPARE(of("ctlz", {ir::boolImm(false)}), std::countl_zero(value));
            if (value != 0x80000000)
                QCOMPARE(of("abs", {ir::boolImm(false)}), std::abs(static_cast<std::int32_t>(value)));
        }
    }

    void dotProducts()
    {
        using std::int16_t, std::int8_t, std::uint8_t;
        for (const int lanes : {4, 8, 16}) {
            const DataType type = DataType::int_(32, lanes);
            const std::string width = std::to_string(lanes * 32);
            checkDots<uint8_t, int8_t>("x86.avx512.vpdpbusd." + width, type, type);
            checkDots<int16_t, int16_t>("x86.avx512.vpdpwssd." + width, type, type);
        }
        const DataType sums = DataType::int_(32, 4);
        checkDots<int8_t, int8_t>("aarch64.neon.sdot", sums, DataType::int_(8, 16));
        checkDots<uint8_t, uint8_t>("aarch64.neon.udot", sums, DataType::uint(8, 16));
    }

    void pairs()
    {
        tests::Random random(4);
        for (int round = 0; round < rounds; ++round) {
            std::vector<NdArray> bytes{randomOf(DataType::uint(8, 16), random),
                                       randomOf(DataType::int_(8, 16), random)};
            const auto u = viewed<std::uint8_t>(bytes[0]);
            const auto s = viewed<std::int8_t>(bytes[1]);
            const auto sums =
                viewed<std::int16_t>(computed("x86.ssse3.pmadd.ub.sw.128", DataType::int_(16, 8), bytes));
            for (std::size_t i = 0; i < 8; ++i)
                QCOMPARE(sums[i], clamped<std::int16_t>(u[2 * i] * s[2 * i] + u[2 * i + 1] * s[2 * i + 1]));
            std::vector<NdArray> words{randomOf(DataType::int_(16, 8), random),
                                       randomOf(DataType::int_(16, 8), random)};
            const auto a = viewed<std::int16_t>(words[0]), b = viewed<std::int16_t>(words[1]);
            const auto products =
                viewed<std::int32_t>(computed("x86.sse2.pmadd.wd", DataType::int_(32, 4), words));
            for (std::size_t i = 0; i < 4; ++i)
                QCOMPARE(products[i], static_cast<std::int32_t>(std::int64_t{a[2 * i]} * b[2 * i]
                                                                + std::int64_t{a[2 * i + 1]} * b[2 * i + 1]));
            std::vector<NdArray> one{words[0]};
            const auto signedSums =
                viewed<std::int32_t>(computed("aarch64.neon.saddlp", DataType::int_(32, 4), one));
            const auto unsignedSums =
                viewed<std::int32_t>(computed("aarch64.neon.uaddlp", DataType::int_(32, 4), one));
            for (std::size_t i = 0; i < 4; ++i) {
                QCOMPARE(signedSums[i], a[2 * i] + a[2 * i + 1]);
                QCOMPARE(unsignedSums[i], std::uint16_t(a[2 * i]) + std::uint16_t(a[2 * i + 1]));
            }
        }
    }

    void longProducts()
    {
        tests::Random random(5);
        for (int round = 0; round < rounds; ++round) {
            std::vector<NdArray> args{randomOf(DataType::int_(8, 8), random),
                                      randomOf(DataType::int_(8, 8), random)};
            const auto a = viewed<std::int8_t>(args[0]), b = viewed<std::int8_t>(args[1]);
            const auto signedOnes =
                viewed<std::int16_t>(computed("aarch64.neon.smull", DataType::int_(16, 8), args));
            std::vector<NdArray> bytes{randomOf(DataType::uint(8, 8), random),
                                       randomOf(DataType::uint(8, 8), random)};
            const auto c = viewed<std::uint8_t>(bytes[0]), d = viewed<std::uint8_t>(bytes[1]);
            const auto plain =
                viewed<std::uint16_t>(computed("aarch64.neon.umull", DataType::uint(16, 8), bytes));
            for (std::size_t i = 0; i < 8; ++i) {
                QCOMPARE(signedOnes[i], a[i] * b[i]);
                QCOMPARE(plain[i], c[i] * d[i]);
            }
        }
    }

    void floats()
    {
        const double nan = std::nan("");
        const auto of = [](const char *name, double a, double b) {
            std::vector<NdArray> args(2, NdArray(DataType::float32(), {}));
            args[0].set(0, a);
            args[1].set(0, b);
            return computed(name, DataType::float32(), args).at(0);
        };
        for (const auto &[number, other] : {std::pair{"minnum", "minimum"}, {"maxnum", "maximum"}}) {
            const bool isMin = std::string_view(number) == "minnum";
            for (const char *name : {number, other}) {
                QCOMPARE(of(name, 1, 2), isMin ? 1.0 : 2.0);
                QCOMPARE(of(name, 2, 1), isMin ? 1.0 : 2.0);
            }
            QCOMPARE(of(number, nan, 2), 2.0);
            QCOMPARE(of(number, 2, nan), 2.0);
            QVERIFY(std::isnan(of(other, nan, 2)) && std::isnan(of(other, 2, nan)));
            QVERIFY(std::isnan(of(number, nan, nan)));
        }
        std::vector<NdArray> args{NdArray(DataType::float32(), {}), NdArray(DataType::int32(), {})};
        args[0].set(0, 1.5);
        args[1].set(0, 3);
        QCOMPARE(computed("powi", DataType::float32(), args).at(0), 3.375);
        QCOMPARE(computed("ldexp", DataType::float32(), args).at(0), 12.0);
    }

    /// (x * y) / 2^bits, halves up.
    void roundedProducts()
    {
        tests::Random random(6);
        const auto of = [](const char *name, std::vector<Expr> args) {
            const Expr meaning = ir::meaningOf(*ir::callIntrinsic(name, std::move(args)).as<ir::Call>());
            const Buffer out("out", {}, DataType::int32());
            ir::PrimFunc function;
            function.params.push_back({ir::Var("out", DataType::handle()), out});
            function.body = store(out, meaning, {});
            NdArray result(DataType::int32(), {});
            const std::array<NdArray *, 1> buffers{&result};
            if (const auto done = interp::run(function, buffers); !done)
                qFatal("%s", done.error().render().c_str());
            return ir::integerAt(result, 0);
        };
        const auto hidden = [](std::int64_t value) { // not folded
            return ir::call(DataType::int32(), "likely", {ir::intImm(value)});
        };
        const auto expected = [](std::int64_t product, int right) {
            if (right <= 0)
                return static_cast<std::int64_t>(static_cast<std::int32_t>(product << -right));
            return static_cast<std::int64_t>(
                static_cast<std::int32_t>((product + (std::int64_t{1} << (right - 1))) >> right));
        };
        QCOMPARE(of("q_multiply_shift", {hidden(3), hidden(5), Expr(2), Expr(2)}), 15);
        for (int round = 0; round < 200; ++round) {
            const std::int64_t x = random.between(-100000, 100000), y = random.between(-100000, 100000);
            const int q = static_cast<int>(random.between(0, 31)),
                      s = static_cast<int>(random.between(-31, 3));
            const int left = static_cast<int>(random.between(0, 5)),
                      right = static_cast<int>(random.between(0, 5));
            QCOMPARE(of("q_multiply_shift", {hidden(x), hidden(y), Expr(q), Expr(s)}),
                     expected(x * y, q - s));
            QCOMPARE(of("q_multiply_shift", {hidden(x), hidden(y), hidden(q), hidden(s)}),
                     expected(x * y, q - s));
            const bool isLeft = random.chance(50), isRight = random.chance(50);
            QCOMPARE(of("q_multiply_shift_per_axis", {hidden(x), hidden(y), hidden(left), hidden(right),
                                                      hidden(q), ir::boolImm(isLeft), ir::boolImm(isRight)}),
                     expected(x * y, q + (isRight ? right : 0) - (isLeft ? left : 0)));
        }
    }
};

QTEST_APPLESS_MAIN(IntrinsicValuesTest)
#include "intrinsic_values_test.moc"
