// SPDX-License-Identifier: Apache-2.0
#include "core/measure/build/content_store.h"

#include "core/support/files/whole_file.h"

#include <QTest>

using namespace nestwright;
using measure::ContentStore;

class ContentStoreTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void equalBytesHaveOneName()
    {
        ContentStore store;
        QVERIFY(store.folder().empty());
        const auto one = store.put("kernel"), same = store.put("kernel"), other = store.put("another");
        QVERIFY(one && same && other);
        QCOMPARE(*one, *same);
        QVERIFY(*one != *other);
        QCOMPARE(support::readFile(measure::fileOf(store.folder(), *one)), std::string("kernel"));
        QCOMPARE(support::readFile(measure::fileOf(store.folder(), *other)), std::string("another"));
        QVERIFY(measure::isContentName(*one));
    }

    /// A checksum alone tells nothing: whoever changes the file, or finds bytes with the same checksum, gets
    /// no other file's name.
    void otherBytesUnderAKnownNameGetAnother()
    {
        ContentStore store;
        const auto one = store.put("kernel");
        support::writeFile(measure::fileOf(store.folder(), *one), "forged");
        const auto again = store.put("kernel");
        QVERIFY(again);
        QVERIFY(*again != *one);
        QVERIFY(measure::isContentName(*again));
        QCOMPARE(support::readFile(measure::fileOf(store.folder(), *again)), std::string("kernel"));
    }

    void itsFolderGoesWithIt()
    {
        std::filesystem::path folder;
        {
            ContentStore store;
            QVERIFY(store.put("kernel"));
            folder = store.folder();
            QVERIFY(std::filesystem::exists(folder));
        }
        QVERIFY(!std::filesystem::exists(folder));
    }

    void namesOfOthers()
    {
        for (const char *name : {"", ".", "..", "a/b", "/etc/passwd", "ABC", "12 34"})
            QVERIFY2(!measure::isContentName(name), name);
    }
};

QTEST_GUILESS_MAIN(ContentStoreTest)
#include "content_store_test.moc"
