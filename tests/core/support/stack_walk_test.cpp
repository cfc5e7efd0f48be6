// SPDX-License-Identifier: Apache-2.0
// Who called whom, as a report of a crash tells it.
#include "core/support/errors/stack_walk.h"

#include <QtTest>

#include <cstdlib>
#include <dlfcn.h>

using namespace nestwright::support;

namespace {

using Frames = std::vector<StackFrame>;

void remember(void *frames, const StackFrame &frame) { static_cast<Frames *>(frames)->push_back(frame); }

/// The frames that a function sees which asks for them, and where that function returns to.
__attribute__((noinline)) Frames framesHere(bool named, std::uintptr_t &caller)
{
    Frames frames;
    walkStack(named, remember, &frames);
    caller = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
    return frames;
}

Frames framesSeenBySort;

int compareAndLook(const void *a, const void *b)
{
    std::uintptr_t caller = 0;
    framesSeenBySort = framesHere(true, caller);
    return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}

/// The library that the address lies in.
std::string libraryOf(std::uintptr_t address)
{
    Dl_info info{};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): it is one
    return dladdr(reinterpret_cast<void *>(address), &info) != 0 && info.dli_fname ? info.dli_fname : "";
}

} // namespace

class StackWalkTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { prepareStackWalk(); }

    /// The innermost comes first, and those who only look are none of them.
    void framesBeginWithTheCaller_data()
    {
        QTest::addColumn<bool>("named");
        QTest::newRow("addresses") << false;
        QTest::newRow("names") << true;
    }
    void framesBeginWithTheCaller()
    {
        QFETCH(bool, named);
        std::uintptr_t caller = 0;
        const Frames frames = framesHere(named, caller);
        QVERIFY(frames.size() > 2);
        const std::uintptr_t first = frames.front().address; // of the call, or behind it
        QVERIFY2(first == caller || first == caller - 1,
                 qPrintable(QString("%1 %2").arg(first, 0, 16).arg(caller, 0, 16)));
        for (const StackFrame &frame : frames)
            QVERIFY(frame.address != 0 && frame.address != UINTPTR_MAX);
    }

    void namesAreOnlyToldWhenAskedFor()
    {
        std::uintptr_t caller = 0;
        for (const StackFrame &frame : framesHere(false, caller))
            QVERIFY(!frame.function && !frame.file && frame.line == 0);
        const Frames named = framesHere(true, caller);
        QCOMPARE(named.front().function
                     && std::string_view(named.front().function).contains("namesAreOnlyTold"),
                 hasSymbolNames());
    }

    /// Of a library without names at least itself is told.
    void framesInLibrariesAreTold()
    {
        int numbers[] = {2, 1};
        std::qsort(numbers, 2, sizeof numbers[0], compareAndLook);
        QCOMPARE(numbers[0], 1);
        int inLibrary = 0;
        for (const StackFrame &frame : framesSeenBySort) {
            if (!libraryOf(frame.address).contains("libc.so"))
                continue;
            ++inLibrary;
            QVERIFY2(frame.function || frame.file, libraryOf(frame.address).c_str());
        }
        QVERIFY(inLibrary > 0);
    }
};

QTEST_GUILESS_MAIN(StackWalkTest)
#include "stack_walk_test.moc"
