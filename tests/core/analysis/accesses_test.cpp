// SPDX-License-Identifier: Apache-2.0
// Blocks that only hold others together are seen through, and buffers that share memory are found.
#include "core/analysis/access/accesses.h"
#include "core/analysis/access/aliases.h"
#include "core/analysis/access/regions.h"
#include "core/ir/build/builder.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <functional>

using namespace nestwright;
using analysis::FunctionIndex;
using analysis::StmtId;
using Names = std::vector<std::string>;

namespace {

Names names(const FunctionIndex &index, const std::vector<StmtId> &ids)
{
    Names result;
    for (const StmtId id : ids)
        result.push_back(index.block(id) ? index.block(id)->name : index.loop(id)->var.name());
    return result;
}

Names buffers(const std::vector<analysis::Access> &accesses)
{
    Names result;
    for (const analysis::Access &access : accesses)
        result.push_back(access.region->buffer.name());
    return result;
}

/// "outer" is a block of its own right; "part" and "again" in it only hold "leaf" and "last".
const FunctionIndex &nested()
{
    static const FunctionIndex index(tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((16, 16), "float32"), B: T.Buffer((16, 16), "float32")):
    for i in range(4):
        with T.block("outer"):
            vi = T.axis.spatial(4, i)
            T.reads(A[vi * 4:vi * 4 + 4, 0:16])
            T.writes(B[vi * 4:vi * 4 + 4, 0:16])
            for j in range(4):
                with T.block("part"):
                    T.reads()
                    T.writes()
                    t = T.alloc_buffer((16,))
                    for k in range(8):
                        with T.block("again"):
                            T.reads()
                            T.writes()
                            for l in range(2):
                                with T.block("leaf"):
                                    vj = T.axis.spatial(4, j)
                                    vk = T.axis.spatial(16, k * 2 + l)
                                    T.reads(A[vi * 4 + vj, vk])
                                    T.writes(t[vk])
                                    t[vk] = A[vi * 4 + vj, vk]
                    for k in range(16):
                        with T.block("last"):
                            vj, vk = T.axis.remap("SS", [j, k])
                            T.reads(t[vk])
                            T.writes(B[vi * 4 + vj, vk])
                            B[vi * 4 + vj, vk] = t[vk]
)")
                                         .mainEntry()
                                         ->function);
    return index;
}

StmtId block(const char *name) { return *nested().blockByName(name); }

} // namespace

class AccessesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anythingOfItsOwnMakesABlockMoreThanAWrapper()
    {
        const ir::Buffer a("A", {4});
        const ir::BufferRegion region{a, {{ir::intImm(0), ir::intImm(4)}}};
        QVERIFY(analysis::isWrapper({}));
        const std::function<void(ir::Block &)> additions[] = {
            [](ir::Block &b) { b.iterVars.emplace_back(); },
            [&](ir::Block &b) { b.reads = {region}; },
            [&](ir::Block &b) { b.writes = {region}; },
            [&](ir::Block &b) { b.matchBuffers.push_back({region, ir::Buffer("M", {4})}); },
            [](ir::Block &b) { b.init = ir::evaluate(ir::intImm(0)); },
        };
        for (const auto &add : additions) {
            ir::Block node;
            add(node);
            QVERIFY(!analysis::isWrapper(node));
        }
    }

    void wrappersAreSeenThrough()
    {
        const FunctionIndex &index = nested();
        QCOMPARE(analysis::scopeThrough(index, block("leaf")), block("outer"));
        QCOMPARE(analysis::scopeThrough(index, block("outer")), index.root());
        QCOMPARE(analysis::scopeThrough(index, index.root()), StmtId{});
        QCOMPARE(names(index, analysis::loopsThrough(index, block("leaf"))), (Names{"j", "k", "l"}));
        QCOMPARE(names(index, analysis::loopsThrough(index, block("again"))), (Names{"j", "k"}));
        QCOMPARE(names(index, analysis::loopsThrough(index, block("outer"))), (Names{"i"}));
        QCOMPARE(names(index, analysis::blocksThrough(index, block("outer"))), (Names{"leaf", "last"}));
        QCOMPARE(names(index, analysis::blocksThrough(index, index.root())), (Names{"outer"}));
    }

    void loopsWhoseRangesCount()
    {
        const FunctionIndex &index = nested();
        const auto loops = [&](StmtId id, StmtId outer) {
            Names result;
            for (const arith::VarRange &range : analysis::loopDomains(index, id, outer))
                result.push_back(range.var.name());
            return result;
        };
        QCOMPARE(loops(block("leaf"), {}), (Names{"l"}));
        QCOMPARE(loops(block("leaf"), block("outer")), (Names{"j", "k", "l"}));
        QCOMPARE(loops(block("leaf"), index.root()),
                 (Names{"j", "k", "l"})); // "outer" is more than a wrapper
        QCOMPARE(loops(block("outer"), index.root()), (Names{"i"}));
    }

    void wrappersTouchWhatTheBlocksInThemDo()
    {
        const analysis::Accesses part = analysis::accessesOf(nested(), block("part"));
        QCOMPARE(buffers(part.reads), (Names{"A"})); // t is its own
        QCOMPARE(buffers(part.writes), (Names{"B"}));
        QCOMPARE(part.reads[0].block, block("leaf"));
        const analysis::Accesses again = analysis::accessesOf(nested(), block("again"));
        QCOMPARE(buffers(again.writes), (Names{"t"}));
        const analysis::Accesses outer = analysis::accessesOf(nested(), block("outer"));
        QCOMPARE(outer.reads.size(), 1U); // only the declared regions
        QCOMPARE(outer.reads[0].block, block("outer"));
    }

    void viewsOfOneMemory()
    {
        const auto pair = [](const std::string &view, const std::string &value) {
            const ir::Module module = tests::parsed("@T.prim_func\ndef main(A: T.Buffer((16,), \"float32\"), "
                                                    "B: T.Buffer((16,), \"float32\")):\n"
                                                    + view + R"(
    for i in range(16):
        with T.block("b"):
            vi = T.axis.spatial(16, i)
            T.reads(A[vi])
            T.writes(B[vi])
            B[vi] = )" + value + "\n");
            const auto found = analysis::aliasesIn(*module.mainEntry()->function);
            return found ? found->first.name() + found->second.name() : "";
        };
        QCOMPARE(pair("", "A[vi] + A[15 - vi]"), "");
        const std::string view = "    V = T.decl_buffer((4, 4), data=A.data)\n";
        QCOMPARE(pair(view, "A[vi] + V[vi // 4, vi % 4]"), "AV");
        // The first pair is the one that is told.
        QCOMPARE(pair(view + "    W = T.decl_buffer((2, 8), data=A.data)\n", "A[vi] + V[0, 0] + W[0, 0]"),
                 "AV");
    }
};

QTEST_GUILESS_MAIN(AccessesTest)
#include "accesses_test.moc"
