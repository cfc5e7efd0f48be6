// SPDX-License-Identifier: Apache-2.0
/// Random expressions of integers and truth values.
#pragma once

#include "tests/core/arith/index_algebra.h"

#include <random>
#include <vector>

namespace nestwright::arith::testing {

using ir::BinaryOp;

class RandomExpr {
public:
    RandomExpr(unsigned seed, std::vector<Var> vars) : m_random(seed), m_vars(std::move(vars)) {}

    int number(int low, int high) { return std::uniform_int_distribution(low, high)(m_random); }

    Expr integer(int depth)
    {
        // Repeated parts give the rules more to find.
        if (!m_made.empty() && number(0, 4) == 0)
            return m_made[static_cast<std::size_t>(number(0, static_cast<int>(m_made.size()) - 1))];
        Expr made = fresh(depth);
        if (made.as<ir::Binary>())
            m_made.push_back(made);
        return made;
    }

    /// Forgets the parts made so far.
    void restart() { m_made.clear(); }

    Expr fresh(int depth)
    {
        if (depth == 0 || number(0, 9) == 0)
            return number(0, 3) == 0 ? Expr(number(-6, 12))
                                     : Expr(m_vars[static_cast<std::size_t>(
                                           number(0, static_cast<int>(m_vars.size()) - 1))]);
        switch (number(0, 13)) {
        case 0:
        case 1:
        case 2: return integer(depth - 1) + integer(depth - 1);
        case 3:
        case 4: return integer(depth - 1) - integer(depth - 1);
        case 5:
        case 6: return integer(depth - 1) * Expr(number(-5, 8));
        case 7: return number(0, 3) == 0 ? integer(depth - 1) * integer(depth - 1) : integer(depth - 1) * 4;
        case 8: return integer(depth - 1) / Expr(divisor());
        case 9: return integer(depth - 1) % Expr(divisor());
        case 10: return ir::min(integer(depth - 1), integer(depth - 1));
        case 11: return ir::max(integer(depth - 1), integer(depth - 1));
        case 12: return ir::select(boolean(depth - 1), integer(depth - 1), integer(depth - 1));
        default: {
            const Expr a = integer(depth - 1);
            const Expr b = divisor();
            return number(0, 1) ? ir::truncDiv(a, b) : ir::truncMod(a, b);
        }
        }
    }

    Expr boolean(int depth)
    {
        if (depth > 1 && number(0, 3) == 0) {
            const Expr a = boolean(depth - 1), b = boolean(depth - 1);
            const int choice = number(0, 2);
            return choice == 0 ? a && b : choice == 1 ? a || b : !a;
        }
        const auto op =
            static_cast<BinaryOp>(number(static_cast<int>(BinaryOp::EQ), static_cast<int>(BinaryOp::GE)));
        return ir::binary(op, integer(std::max(depth - 1, 0)), integer(std::max(depth - 1, 0)));
    }

    /// A sum of digits of one variable, in a base or another, as splitting and fusing of loops makes.
    Expr digits()
    {
        constexpr int places[] = {1, 2, 3, 4, 6, 8, 12}, bases[] = {2, 3, 4, 6};
        const bool truncates = number(0, 3) == 0;
        const auto any = [this](const auto &choices) {
            const int choice = choices[number(0, static_cast<int>(std::size(choices)) - 1)];
            return number(0, 7) == 0 ? -choice : choice;
        };
        const auto quotient = [&](const Expr &e) {
            return truncates ? ir::truncDiv(e, Expr(any(places))) : e / Expr(any(places));
        };
        const auto remainder = [&](const Expr &e, int divisor) {
            return truncates ? ir::truncMod(e, Expr(divisor)) : e % Expr(divisor);
        };
        const Expr whole = m_vars[static_cast<std::size_t>(number(0, static_cast<int>(m_vars.size()) - 1))]
                           + number(0, 2) / 2 * number(-3, 9);
        Expr sum = number(0, 1) * number(-4, 9);
        for (int terms = number(1, 3); terms > 0; --terms) {
            const Expr place = quotient(whole);
            sum = sum + (number(0, 3) == 0 ? place : remainder(place, any(bases))) * number(-4, 8);
        }
        switch (number(0, 4)) {
        case 0: return remainder(sum, any(places));
        case 1: return quotient(sum);
        case 2: return quotient(remainder(sum, any(places)));
        case 3: return remainder(quotient(sum), any(bases));
        default: return sum;
        }
    }

private:
    int divisor()
    {
        constexpr int choices[] = {1, 2, 2, 3, 4, 4, 5, 6, 8, 8, 16, -2, -3};
        return choices[number(0, static_cast<int>(std::size(choices)) - 1)];
    }

    std::mt19937 m_random;
    std::vector<Var> m_vars;
    std::vector<Expr> m_made;
};

} // namespace nestwright::arith::testing
