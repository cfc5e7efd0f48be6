// SPDX-License-Identifier: Apache-2.0
// Promises of the table of primitives to menus, forms, help and scripts.
#include "core/schedule/primitive.h"

#include <QtTest>

#include <set>

using namespace nestwright;
using schedule::Primitive;

namespace {
/// Primitives of the schedule language.
constexpr std::string_view promised[] = {
    "get_block",
    "get_loops",
    "get_child_blocks",
    "get_producers",
    "get_consumers",
    "get_output_blocks",
    "split",
    "fuse",
    "merge",
    "loop_partition",
    "reorder",
    "reorder_block_iter_var",
    "add_unit_loop",
    "tile",
    "parallel",
    "vectorize",
    "unroll",
    "bind",
    "annotate",
    "unannotate",
    "storage_align",
    "set_scope",
    "unsafe_set_dtype",
    "annotate_buffer_access",
    "cache_read",
    "cache_write",
    "cache_inplace",
    "cache_index",
    "reindex",
    "reindex_cache_read",
    "reindex_cache_write",
    "read_at",
    "write_at",
    "compute_at",
    "reverse_compute_at",
    "compute_inline",
    "reverse_compute_inline",
    "fuse_reduction_epilogue",
    "decompose_reduction",
    "rfactor",
    "blockize",
    "tensorize",
    "transform_layout",
    "transform_block_layout",
    "set_axis_separator",
    "pad_einsum",
    "decompose_padding",
    "rolling_buffer",
    "unsafe_hide_buffer_access",
    "sample_categorical",
    "sample_perfect_tile",
    "sample_partitioned_tile",
    "sample_compute_location",
    "enter_postproc",
};
} // namespace

class PrimitiveTableTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void holdsWhatIsPromised()
    {
        QCOMPARE(schedule::primitives().size(), std::size(promised));
        for (const std::string_view name : promised)
            QVERIFY2(schedule::findPrimitive(name), name.data());
    }

    void groupsStandTogether()
    {
        std::set<schedule::Group> done;
        schedule::Group group = schedule::primitives().front().group;
        for (const Primitive &primitive : schedule::primitives()) {
            if (primitive.group != group) {
                done.insert(group);
                group = primitive.group;
            }
            QVERIFY2(!done.contains(group), primitive.name.data());
        }
    }

    void keysAreDistinct()
    {
        std::set<std::string_view> keys{"M"}; // measures
        for (const Primitive &primitive : schedule::primitives()) {
            if (!primitive.key.empty())
                QVERIFY2(keys.insert(primitive.key).second, primitive.name.data());
        }
    }

    void eachExplainsItself()
    {
        std::set<std::string_view> titles;
        for (const Primitive &primitive : schedule::primitives()) {
            QVERIFY2(titles.insert(primitive.title).second, primitive.name.data());
            QVERIFY2(primitive.summary.ends_with('.'), primitive.name.data());
            QVERIFY2(!primitive.documentation.empty(), primitive.name.data());
            if (!primitive.isQuery)
                QVERIFY2(primitive.documentation.contains("```"), primitive.name.data());
            if (!primitive.isQuery && primitive.group != schedule::Group::Sampling)     // changes no program
                QVERIFY2(primitive.documentation.contains("→"), primitive.name.data()); // before and after
            for (const schedule::Field &field : primitive.fields) {
                QVERIFY2(!field.label.empty(), primitive.name.data());
                QVERIFY2(field.help.ends_with('.'), primitive.name.data());
            }
        }
    }

    void thoseThatMoveIterationsNameTheirLemmas()
    {
        for (const char *name :
             {"split", "fuse", "reorder", "tile", "transform_layout", "reindex", "pad_einsum"})
            QVERIFY2(!schedule::findPrimitive(name)->lemmas.empty(), name);
        for (const Primitive &primitive : schedule::primitives()) {
            for (const schedule::IndexLemma &lemma : primitive.lemmas) {
                QVERIFY2(lemma.says.ends_with('.'), lemma.says.data());
                QVERIFY2(!lemma.given.empty() && !lemma.then.empty(), lemma.says.data());
            }
        }
    }

    void unsafeOnesWarn()
    {
        for (const Primitive &primitive : schedule::primitives()) {
            if (primitive.name.starts_with("unsafe_"))
                QVERIFY2(primitive.isUnsafe, primitive.name.data());
            QCOMPARE(primitive.documentation.contains("**Warning:**"), primitive.isUnsafe);
        }
    }

    void isFoundByTheNameInTraces()
    {
        for (const Primitive &primitive : schedule::primitives()) {
            if (primitive.expand) // written out as the steps it consists of
                continue;
            QCOMPARE(schedule::findTraceKind(primitive.kindInTrace(false)), &primitive);
            QCOMPARE(schedule::findTraceKind(primitive.kindInTrace(true)), &primitive);
        }
    }
};

QTEST_GUILESS_MAIN(PrimitiveTableTest)
#include "primitive_table_test.moc"
