// SPDX-License-Identifier: Apache-2.0
#include "core/support/deferred_memory.h"
#include "core/support/large_pages.h"

#include <QtTest>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

using namespace nestwright;

class DeferredMemoryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Bytes are copied when somebody first asks for them, from a place of any alignment, which is let go of
    /// then.
    void isFilledOnce()
    {
        auto source = std::make_shared<std::vector<std::byte>>(101, std::byte{1});
        const std::weak_ptr<void> kept = source;
        support::DeferredMemory memory(source->data() + 1, 100, source);
        QCOMPARE(memory.source().get(), static_cast<const std::byte *>(source->data() + 1));
        source->back() = std::byte{7};
        source.reset();
        QVERIFY(!kept.expired());
        std::atomic<int> right = 0;
        {
            std::vector<std::jthread> readers;
            for (int i = 0; i < 4; ++i)
                readers.emplace_back([&] {
                    right += memory.bytes()[0] == std::byte{1} && memory.bytes()[99] == std::byte{7};
                });
        }
        QCOMPARE(right.load(), 4);
        QVERIFY(kept.expired());
        QCOMPARE(memory.source().get(), static_cast<const std::byte *>(memory.bytes()));
        QCOMPARE(reinterpret_cast<std::uintptr_t>(memory.bytes()) % support::memoryAlignment, std::size_t{0});
        memory.bytes()[0] = std::byte{9};
        QCOMPARE(memory.bytes()[0], std::byte{9}); // not copied again
    }

    /// Whoever reads the source keeps it, though others have the copy.
    void theSourceIsKeptForItsReader()
    {
        auto source = std::make_shared<std::vector<std::byte>>(10, std::byte{3});
        const std::weak_ptr<void> kept = source;
        support::DeferredMemory memory(source->data(), 10, source);
        source.reset();
        auto reader = memory.source();
        (void)memory.bytes();
        QCOMPARE(*reader, std::byte{3});
        QVERIFY(!kept.expired());
        reader.reset();
        QVERIFY(kept.expired());
    }
};

QTEST_APPLESS_MAIN(DeferredMemoryTest)
#include "deferred_memory_test.moc"
