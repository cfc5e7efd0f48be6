// SPDX-License-Identifier: Apache-2.0
#include "core/measure/machine/peak_loops.h"

#include <cstddef>

namespace nestwright::measure {

namespace {

// Enough chains to hide the latency of a multiply-add on every current CPU, few enough to stay in 16
// registers.
constexpr int chains = 12;
constexpr int rounds = 4096;

/// A value of run time, so that nothing folds. With it all sums are whole numbers, which floats hold exactly.
volatile double seedValue = 1;

template <class T, int Bytes> struct VectorOf {
    typedef T type // NOLINT(modernize-use-using): the attributes need it
        __attribute__((vector_size(Bytes), may_alias));
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

/// Each vector is named and read where it lies: copies of them may go through memory, whatever the compiler
/// was told.
template <int Bytes> [[gnu::always_inline]] inline Work readInStreams(const std::vector<Line> &data)
{
    using Vector = typename VectorOf<float, Bytes>::type;
    constexpr std::size_t streams = 8;
    const std::size_t count = data.size() * sizeof(Line) / Bytes;
    // Small data is read several times, so that calls and clocks do not count.
    const std::size_t passes = 1 + (std::size_t{1} << 20) / (data.size() * sizeof(Line));
    const auto *vectors = reinterpret_cast<const Vector *>(data.data());
    Vector s0{}, s1{}, s2{}, s3{}, s4{}, s5{}, s6{}, s7{};
    for (std::size_t pass = 0; pass < passes; ++pass) {
        for (std::size_t i = 0; i + streams <= count; i += streams) {
            s0 += vectors[i];
            s1 += vectors[i + 1];
            s2 += vectors[i + 2];
            s3 += vectors[i + 3];
            s4 += vectors[i + 4];
            s5 += vectors[i + 5];
            s6 += vectors[i + 6];
            s7 += vectors[i + 7];
        }
    }
    const Vector total = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7));
    double sum = 0;
    for (std::size_t lane = 0; lane < Bytes / sizeof(float); ++lane)
        sum += static_cast<double>(total[lane]);
    const std::size_t blocks = passes * (count / streams);
    return {static_cast<double>(blocks * streams * Bytes), sum};
}

#if defined(__x86_64__)
[[gnu::target("avx512f,avx512vl,fma")]] Work float32Widest() { return multiplyAdd<float, 64>(); }
[[gnu::target("avx512f,avx512vl,fma")]] Work float64Widest() { return multiplyAdd<double, 64>(); }
[[gnu::target("avx512f,avx512vl,fma")]] Work readWidest(const std::vector<Line> &data)
{
    return readInStreams<64>(data);
}
[[gnu::target("avx2,fma")]] Work float32Wide() { return multiplyAdd<float, 32>(); }
[[gnu::target("avx2,fma")]] Work float64Wide() { return multiplyAdd<double, 32>(); }
[[gnu::target("avx2,fma")]] Work readWide(const std::vector<Line> &data) { return readInStreams<32>(data); }

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

Work readAll(const std::vector<Line> &data)
{
#if defined(__x86_64__)
    if (width() == Width::Widest)
        return readWidest(data);
    if (width() == Width::Wide)
        return readWide(data);
#endif
    return readInStreams<16>(data);
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
