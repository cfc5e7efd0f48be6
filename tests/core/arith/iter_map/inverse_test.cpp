// SPDX-License-Identifier: Apache-2.0
/// Inverses of affine maps, checked at every point.
#include "core/arith/iter_map/inverse.h"
#include "tests/core/arith/index_algebra.h"

#include <QTest>

using namespace nestwright;
using namespace nestwright::arith::testing;
using arith::Domains;
using ir::Range;

namespace {

const Var a("a"), b("b"), p("p"), q("q");

/// Whether the inverse of `indices` over `domains` gives back every point of them.
bool comesBack(const std::vector<Expr> &indices, const Domains &domains)
{
    arith::Analyzer analyzer;
    const auto map = arith::detectIterMap(indices, domains, {}, arith::IterMapLevel::Bijective, analyzer);
    if (!map)
        return false;
    const std::vector<Expr> outputs = indices.size() == 1 ? std::vector<Expr>{p} : std::vector<Expr>{p, q};
    const auto inverse = arith::inverseOf(*map, outputs);
    const auto first = [](const arith::VarRange &d) { return *ir::asInt(d.range.min); };
    const auto end = [](const arith::VarRange &d) {
        return *ir::asInt(d.range.min) + *ir::asInt(d.range.extent);
    };
    for (std::int64_t i = first(domains[0]); i < end(domains[0]); ++i) {
        for (std::int64_t j = first(domains[1]); j < end(domains[1]); ++j) {
            const ir::VarMap<std::int64_t> point{{a, i}, {b, j}};
            ir::VarMap<std::int64_t> values{{p, valueOf(indices[0], point)},
                                            {q, valueOf(indices.back(), point)}};
            if (valueOf(inverse.at(a), values) != i || valueOf(inverse.at(b), values) != j)
                return false;
        }
    }
    return true;
}

} // namespace

class IterInverseTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void loopsFromZero()
    {
        const Domains domains{{a, Range{0, 6}}, {b, Range{0, 8}}};
        QVERIFY(comesBack({a, b}, domains));
        QVERIFY(comesBack({b, a + 3}, domains));
        QVERIFY(comesBack({a * 8 + b}, domains));
        QVERIFY(comesBack({a / 2 * 4 + b / 2, a % 2 * 2 + b % 2}, domains));
        QVERIFY(comesBack({(a * 8 + b) / 16, (a * 8 + b) % 16}, domains));
        QVERIFY(!comesBack({a, a}, domains));
    }

    void loopsFromElsewhere()
    {
        const Domains domains{{a, Range{2, 6}}, {b, Range{-3, 8}}};
        QVERIFY(comesBack({a, b}, domains));
        QVERIFY(comesBack({b + 3, a - 2}, domains));
        QVERIFY(comesBack({(a - 2) * 8 + (b + 3)}, domains));
        QVERIFY(comesBack({a * 8 + b}, domains));
        QVERIFY(comesBack({(a - 2) / 2, (a - 2) % 2 * 8 + b}, domains));
    }
};

QTEST_GUILESS_MAIN(IterInverseTest)
#include "inverse_test.moc"
