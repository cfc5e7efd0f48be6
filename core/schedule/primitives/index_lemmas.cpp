// SPDX-License-Identifier: Apache-2.0
/// The theorems as text; scripts/prove.sh proves what stands here, and the help shows it.
#include "core/schedule/primitives/index_lemmas.h"

namespace nestwright::schedule {

std::span<const IndexLemma> splitLemmas()
{
    static constexpr IndexLemma lemmas[] = {
        {.says = "Every iteration of the loop is one of the new ones.",
         .given = "0 <= i < n and n <= e * f and f > 0",
         .then = "0 <= i // f < e\n"
                 "0 <= i % f < f\n"
                 "i // f * f + i % f == i"},
        {.says = "No two of the new ones are the same iteration, and the order stays.",
         .given = "0 <= i_1 < f and 0 <= j_1 < f",
         .then = "(i_0 * f + i_1) // f == i_0\n"
                 "(i_0 * f + i_1) % f == i_1\n"
                 "(i_0 * f + i_1 < j_0 * f + j_1) == (i_0 < j_0 or i_0 == j_0 and i_1 < j_1)"},
        {.says = "Those that the predicate lets through are iterations of the loop.",
         .given = "0 <= i_0 < e and 0 <= i_1 < f and i_0 * f + i_1 < n",
         .then = "0 <= i_0 * f + i_1 < n"},
        {.says = "The factor left open is the smallest that covers the loop.",
         .given = "n > 0 and f > 0",
         .then = "n <= (n + f - 1) // f * f\n"
                 "((n + f - 1) // f - 1) * f < n"},
        {.says = "Three loops are two splits.",
         .given = "f > 0 and g > 0",
         .then = "i // (f * g) == i // g // f\n"
                 "(i // (f * g) * f + i // g % f) * g + i % g == i"},
    };
    return lemmas;
}

std::span<const IndexLemma> fuseLemmas()
{
    static constexpr IndexLemma lemmas[] = {
        {.says = "Every pair of iterations is one of the fused loop.",
         .given = "0 <= i < n and 0 <= j < m",
         .then = "0 <= i * m + j < n * m\n"
                 "(i * m + j) // m == i\n"
                 "(i * m + j) % m == j"},
        {.says = "Every iteration of the fused loop is a pair.",
         .given = "0 <= k < n * m and m > 0",
         .then = "0 <= k // m < n\n"
                 "0 <= k % m < m\n"
                 "k // m * m + k % m == k"},
        {.says = "The order stays.",
         .given = "0 <= i and 0 <= j < m and 0 <= p and 0 <= q < m",
         .then = "(i * m + j < p * m + q) == (i < p or i == p and j < q)"},
        {.says = "Three loops are fused as two and one.",
         .given = "n > 0 and m > 0",
         .then = "k // (n * m) == k // m // n\n"
                 "k % (n * m) // m == k // m % n"},
    };
    return lemmas;
}

std::span<const IndexLemma> reorderLemmas()
{
    static constexpr IndexLemma lemmas[] = {
        {.says = "Every iteration runs once, at another time: k becomes t, and of t comes k.",
         .given = "0 <= k < n * m and m > 0 and t == k % m * n + k // m",
         .then = "0 <= t < n * m\n"
                 "t % n * m + t // n == k"},
        {.says = "No two iterations come to the same time.",
         .given = "0 <= i < n and 0 <= j < m and 0 <= p < n and 0 <= q < m and j * n + i == q * n + p",
         .then = "i == p\n"
                 "j == q"},
    };
    return lemmas;
}

std::span<const IndexLemma> tileLemmas()
{
    static constexpr IndexLemma lemmas[] = {
        {.says = "Every point of the plane lies in a tile, at a place of it.",
         .given = "0 <= x < n and 0 <= y < m and f > 0 and g > 0",
         .then = "0 <= x // f < (n + f - 1) // f\n"
                 "0 <= y // g < (m + g - 1) // g\n"
                 "x // f * f + x % f == x\n"
                 "y // g * g + y % g == y"},
        {.says = "No two places of tiles are one point.",
         .given = "0 <= x_1 < f and 0 <= y_1 < g",
         .then = "(x_0 * f + x_1) // f == x_0\n"
                 "(x_0 * f + x_1) % f == x_1\n"
                 "(y_0 * g + y_1) // g == y_0\n"
                 "(y_0 * g + y_1) % g == y_1"},
    };
    return lemmas;
}

std::span<const IndexLemma> loopPartitionLemmas()
{
    static constexpr IndexLemma lemmas[] = {
        {.says = "Every iteration lies in one of the parts.",
         .given = "0 <= i < n and 0 <= a <= b <= n",
         .then = "0 <= i < a or a <= i < b or b <= i < n\n"
                 "not (i < a and a <= i)\n"
                 "not (i < b and b <= i)"},
    };
    return lemmas;
}

std::span<const IndexLemma> transformLayoutLemmas()
{
    static constexpr IndexLemma lemmas[] = {
        {.says = "Quotient and remainder together keep elements apart.",
         .given = "f > 0 and i // f == j // f and i % f == j % f",
         .then = "i == j"},
        {.says = "A sum of an index and multiples of its extent keeps elements apart, within the extents.",
         .given = "0 <= i < n and 0 <= p < n and 0 <= j < m and 0 <= q < m",
         .then = "0 <= i * m + j < n * m\n"
                 "(i * m + j == p * m + q) == (i == p and j == q)"},
        {.says = "With its padding an extent is a multiple of the factor, as small as can be.",
         .given = "f > 0 and 0 <= left and n > 0",
         .then = "(n + left + -(n + left) % f) % f == 0\n"
                 "0 <= -(n + left) % f < f"},
        {.says = "The padding is all that lies before and behind the elements.",
         .given = "f > 0 and 0 <= left < f and n > 0 and edge == n + left and right == -edge % f and 0 <= v "
                  "< edge + right",
         .then = "(v < left) == (left != 0 and v // f == 0 and v % f < left)\n"
                 "(v >= edge) == (right != 0 and v // f == edge // f and v % f >= edge % f)"},
    };
    return lemmas;
}

std::span<const IndexLemma> transformBlockLayoutLemmas()
{
    static constexpr IndexLemma lemmas[] = {
        {.says = "Quotient and remainder together keep elements apart.",
         .given = "f > 0 and i // f == j // f and i % f == j % f",
         .then = "i == j"},
        {.says = "A sum of an index and multiples of its extent keeps elements apart, within the extents.",
         .given = "0 <= i < n and 0 <= p < n and 0 <= j < m and 0 <= q < m",
         .then = "0 <= i * m + j < n * m\n"
                 "(i * m + j == p * m + q) == (i == p and j == q)"},
    };
    return lemmas;
}

std::span<const IndexLemma> reindexLemmas()
{
    static constexpr IndexLemma lemmas[] = {
        {.says = "An element of the copy stands for one element of the buffer.",
         .given = "i == p and j == q",
         .then = "a * i + b * j + c == a * p + b * q + c"},
        {.says = "The variables lie within the copy.",
         .given = "low >= 0 and low <= v < low + n",
         .then = "0 <= v < low + n"},
    };
    return lemmas;
}

std::span<const IndexLemma> padEinsumLemmas()
{
    static constexpr IndexLemma lemmas[] = {
        {.says = "The extent becomes the next multiple.",
         .given = "n > 0 and p > 0",
         .then = "n <= (n + p - 1) // p * p < n + p\n"
                 "(n + p - 1) // p * p % p == 0"},
        {.says = "Terms beyond the end add nothing, the others what they did.",
         .given = "0 <= i",
         .then = "s + (a if i < n else 0) * b == (s + a * b if i < n else s)"},
        {.says = "What counts lies within the larger buffer.",
         .given = "0 <= i < n and p > 0",
         .then = "0 <= i < (n + p - 1) // p * p"},
    };
    return lemmas;
}

std::span<const IndexLemma> decomposePaddingLemmas()
{
    static constexpr IndexLemma lemmas[] = {
        {.says = "The second block writes the elements for which the condition holds, and no others.",
         .given = "low <= i < low + n",
         .then = "0 <= i - low < n\n"
                 "i - low + low == i"},
        {.says = "It writes none twice.",
         .given = "0 <= i < n and 0 <= j < n and i + low == j + low",
         .then = "i == j"},
    };
    return lemmas;
}

} // namespace nestwright::schedule
