// SPDX-License-Identifier: Apache-2.0
/// Faults that scripts/mutants.py writes into a copy of the core, all in one program, and the one that is
/// active (mutant schemata: R. Untch, A. J. Offutt, M. J. Harrold, "Mutation analysis using mutant schemata",
/// ISSTA 1993). `a < b` becomes `a < mutant::LT{7} < b`, which binds as tightly.
#pragma once

#include "core/ir/build/builder.h"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <vector>

namespace nestwright::mutant {

inline int active = 0;                     ///< 0: none
inline std::vector<std::uint8_t> *reached; ///< by number; null: not recorded

inline bool isActive(int number)
{
    if (reached)
        (*reached)[static_cast<std::size_t>(number)] = 1;
    return number == active;
}

/// Replacements of `+ 1` and `- 1`.
inline int one(int number) { return isActive(number) ? 0 : 1; }
inline bool flipped(int number, bool value) { return isActive(number) ? !value : value; }
/// A number in the place of 0 and 1.
inline int other(int number, int value) { return isActive(number) ? 1 - value : value; }

// A function for another.
#define NESTWRIGHT_MUTANT(NAME, FUNCTION, OTHER)                                                             \
    template <class A, class B> auto NAME(int number, const A &a, const B &b)                                \
    {                                                                                                        \
        return isActive(number) ? OTHER(a, b) : FUNCTION(a, b);                                              \
    }

NESTWRIGHT_MUTANT(ir_floorDiv, ir::floorDiv, ir::floorMod)
NESTWRIGHT_MUTANT(ir_floorMod, ir::floorMod, ir::floorDiv)
NESTWRIGHT_MUTANT(ir_lt, ir::lt, ir::le)
NESTWRIGHT_MUTANT(ir_le, ir::le, ir::lt)
NESTWRIGHT_MUTANT(ir_ge, ir::ge, ir::gt)
NESTWRIGHT_MUTANT(ir_min, ir::min, ir::max)
NESTWRIGHT_MUTANT(ir_max, ir::max, ir::min)
NESTWRIGHT_MUTANT(std_min, std::min, std::max)
NESTWRIGHT_MUTANT(std_max, std::max, std::min)

#undef NESTWRIGHT_MUTANT

// An operator whose right side is yet to come. Texts have sums and no differences: they stay.
#define NESTWRIGHT_MUTANT(NAME, OPERATOR, OTHER)                                                             \
    struct NAME {                                                                                            \
        int number;                                                                                          \
    };                                                                                                       \
    template <class T> struct NAME##Left {                                                                   \
        const T &left;                                                                                       \
        int number;                                                                                          \
        template <class U> friend auto operator OPERATOR(NAME##Left a, const U &b)                           \
        {                                                                                                    \
            if constexpr (requires {                                                                         \
                              { a.left OTHER b } -> std::same_as<decltype(a.left OPERATOR b)>;               \
                          }) {                                                                               \
                if (isActive(a.number))                                                                      \
                    return a.left OTHER b;                                                                   \
            }                                                                                                \
            return a.left OPERATOR b;                                                                        \
        }                                                                                                    \
    };                                                                                                       \
    template <class T> NAME##Left<T> operator OPERATOR(const T & left, NAME place)                           \
    {                                                                                                        \
        return {left, place.number};                                                                         \
    }

NESTWRIGHT_MUTANT(LT, <, <=)
NESTWRIGHT_MUTANT(LE, <=, <)
NESTWRIGHT_MUTANT(GT, >, >=)
NESTWRIGHT_MUTANT(GE, >=, >)
NESTWRIGHT_MUTANT(EQ, ==, !=)
NESTWRIGHT_MUTANT(NE, !=, ==)
NESTWRIGHT_MUTANT(Add, +, -)
NESTWRIGHT_MUTANT(Sub, -, +)

#undef NESTWRIGHT_MUTANT

} // namespace nestwright::mutant
