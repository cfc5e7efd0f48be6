// SPDX-License-Identifier: Apache-2.0
/// Several tests as one program, which runs the one by whose name it is started (tests/CMakeLists.txt): a
/// test that is included behind this header registers itself instead of being the program's main.
#pragma once

#include <QtCore/qtmochelpers.h> // what moc's output includes must not come within a namespace
#include <QtCore/qxptype_traits.h>
#include <QtTest>

#include <filesystem>
#include <map>
#include <string>

namespace nestwright::tests {

using TestMain = int (*)(int argc, char *argv[]);

/// By name.
inline std::map<std::string, TestMain> &joinedTests()
{
    static std::map<std::string, TestMain> tests;
    return tests;
}

struct JoinedTest {
    JoinedTest(const char *name, TestMain run) { joinedTests()[name] = run; }
};

} // namespace nestwright::tests

int main(int argc, char *argv[])
{
    const auto &tests = nestwright::tests::joinedTests();
    const auto found = tests.find(std::filesystem::path(argv[0]).filename().string());
    if (found != tests.end())
        return found->second(argc, argv);
    for (const auto &[name, run] : tests)
        qWarning("%s is one of its tests: start the link of that name", name.c_str());
    return 1;
}

#undef QTEST_MAIN_WRAPPER
#define QTEST_MAIN_WRAPPER(TestObject, ...)                                                                  \
    static int runTest(int argc, char *argv[])                                                               \
    {                                                                                                        \
        QTest::Internal::callInitMain<TestObject>();                                                         \
        __VA_ARGS__                                                                                          \
        TestObject test;                                                                                     \
        QTEST_SET_MAIN_SOURCE_PATH                                                                           \
        return QTest::qExec(&test, argc, argv);                                                              \
    }                                                                                                        \
    static const nestwright::tests::JoinedTest joined(NW_TEST_NAME, runTest);
