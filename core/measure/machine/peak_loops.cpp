// SPDX-License-Identifier: Apache-2.0
#include "core/measure/machine/peak_loops.h"

#include <cstddef>
#include <cstring>

namespace nestwright::measure {

namespace {

// Enough chains to hide the latency of a multiply-add on every current CPU, few enough to stay in 16
// registers.
constexpr int chains = 12;
constexpr int rounds = 4096;

/// A value of run time, so that nothing folds. With it all sums are whole numbers, which floats hold exactly.
volatile double seedValue = 1;

template <class T, int Bytes> struct VectorOf {
    typedef T type __attribute__((vector_size(Bytes))); // NOLINT(modernize-use-using): the attribute needs it
};

template <class T, int Bytes> [[gnu::always_inline]] inline Work multiplyAdd()
{
    using Vector = typename VectorOf<T, Bytes>::type;
    constexpr int lanes = Bytes / sizeof(T);
    const Vector factor = Vector{} + static_cast<T>(seedValue);
    const Vector term = factor * static_cast<T>(seedValue);
    // Twelve names, not an array: arrays of vectors end up in memory, and the loop would measure memory.
    Vector s0 = term, s1 = s0 + 1, s2 = s1 + 1, s3 = s2 + 1, s4 = s3 + 1, s5 = s4 + 1;
    Vector s6 = s5 + 1, s7 = s6 + 1, s8 = s7 + 1, s9 = s8 + 1, s10 = s9 + 1, s11 = s10 + 1;
    for (int round = 0; round < rounds; ++round) {
        s0 = s0 * factor + term;
        s1 = s1 * factor + term;
        s2 = s2 * factor + term;
        s3 = s3 * factor + term;
        s4 = s4 * factor + term;
        s5 = s5 * factor + term;
        s6 = s6 * factor + term;
        s7 = s7 * factor + term;
        s8 = s8 * factor + term;
        s9 = s9 * factor + term;
        s10 = s10 * factor + term;
        s11 = s11 * factor + term;
    }
    const Vector total = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7)) + ((s8 + s9) + (s10 + s11));
    return {2.0 * lanes * chains * rounds, static_cast<double>(total[0])};
}

template <int Bytes> [[gnu::always_inline]] inline Work readInStreams(const float *data, std::size_t count)
{
    using Vector = typename VectorOf<float, Bytes>::type;
    constexpr std::size_t lanes = Bytes / sizeof(float);
    constexpr std::size_t streams = 8;
    constexpr std::size_t block = streams * lanes;
    // Small data is read several times, so that calls and clocks do not count.
    const std::size_t passes = 1 + (std::size_t{1} << 18) / count;
    Vector s0{}, s1{}, s2{}, s3{}, s4{}, s5{}, s6{}, s7{};
    for (std::size_t pass = 0; pass < passes; ++pass) {
        for (std::size_t i = 0; i + block <= count; i += block) {
            Vector parts[streams];
            std::memcpy(parts, data + i, sizeof parts);
            s0 += parts[0];
            s1 += parts[1];
            s2 += parts[2];
            s3 += parts[3];
            s4 += parts[4];
            s5 += parts[5];
            s6 += parts[6];
            s7 += parts[7];
        }
    }
    const Vector total = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7));
    double sum = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane)
        sum += static_cast<double>(total[lane]);
    const std::size_t blocks = passes * (count / block);
    return {static_cast<double>(blocks * sizeof(Vector) * streams), sum};
}

#if defined(__x86_64__)
[[gnu::target("avx512f,avx512vl,fma")]] Work float32Widest() { return multiplyAdd<float, 64>(); }
[[gnu::target("avx512f,avx512vl,fma")]] Work float64Widest() { return multiplyAdd<double, 64>(); }
[[gnu::target("avx512f,avx512vl,fma")]] Work readWidest(const float *data, std::size_t count)
{
    return readInStreams<64>(data, count);
}
[[gnu::target("avx2,fma")]] Work float32Wide() { return multiplyAdd<float, 32>(); }
[[gnu::target("avx2,fma")]] Work float64Wide() { return multiplyAdd<double, 32>(); }
[[gnu::target("avx2,fma")]] Work readWide(const float *data, std::size_t count)
{
    return readInStreams<32>(data, count);
}

enum class Width { Basic, Wide, Widest };
Width width()
{
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
        return Width::Widest;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? Width::Wide : Width::Basic;
}
#endif

} // namespace

Work multiplyAddFloat32()
{
#if defined(__x86_64__)
    if (width() == Width::Widest)
        return float32Widest();
    if (width() == Width::Wide)
        return float32Wide();
#endif
    return multiplyAdd<float, 16>();
}

Work multiplyAddFloat64()
{
#if defined(__x86_64__)
    if (width() == Width::Widest)
        return float64Widest();
    if (width() == Width::Wide)
        return float64Wide();
#endif
    return multiplyAdd<double, 16>();
}

Work readAll(const std::vector<float> &data)
{
#if defined(__x86_64__)
    if (width() == Width::Widest)
        return readWidest(data.data(), data.size());
    if (width() == Width::Wide)
        return readWide(data.data(), data.size());
#endif
    return readInStreams<16>(data.data(), data.size());
}

int widestVector()
{
#if defined(__x86_64__)
    if (width() == Width::Widest)
        return 512;
    if (width() == Width::Wide)
        return 256;
#endif
    return 128;
}

} // namespace nestwright::measure
