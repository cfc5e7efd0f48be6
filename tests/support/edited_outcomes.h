// SPDX-License-Identifier: Apache-2.0
/// Outcomes of a reader for edited texts, as digests: what is read as something else, or refused with other
/// words or at another place, shows in a file of outcomes (outcomes.h).
#pragma once

#include "tests/support/digest.h"
#include "tests/support/text_edits.h"

#include <QDir>
#include <QFile>

#include <format>
#include <functional>
#include <map>

namespace nestwright::tests {

/// The files of these folders whose names match `pattern`, in the order of their names.
inline std::vector<std::string> textsIn(std::initializer_list<const char *> folders, const char *pattern)
{
    std::vector<std::string> texts;
    for (const char *folder : folders) {
        for (const QString &name : QDir(folder).entryList({pattern}, QDir::Files, QDir::Name)) {
            QFile file(QDir(folder).filePath(name));
            if (!file.open(QIODevice::ReadOnly))
                qFatal("cannot read %s", qPrintable(name));
            texts.push_back(file.readAll().toStdString());
        }
    }
    return texts;
}

/// The first words of the outcomes of twenty texts, edited by `seed`, how often each, and a digest of it all.
class EditedOutcomes {
public:
    explicit EditedOutcomes(std::vector<std::string> originals) : m_originals(std::move(originals))
    {
        for (const std::string &text : m_originals) {
            for (std::string &token : tokensOf(text))
                m_pool.push_back(std::move(token));
        }
    }

    QString of(const QString &seed, const std::function<std::string(const std::string &)> &outcomeOf) const
    {
        constexpr int count = 20;
        Random random(seed.toULongLong());
        std::map<std::string, int> words;
        std::string all;
        for (int i = 0; i < count; ++i) {
            const std::string &original = random.pick(m_originals);
            const std::string outcome = outcomeOf(random.chance(75) ? withOtherWords(original, m_pool, random)
                                                                    : edited(original, m_pool, random));
            ++words[outcome.substr(0, outcome.find(' '))];
            all += outcome + '\n';
        }
        std::string outcomes;
        for (const auto &[word, times] : words)
            outcomes += std::format("{} {}, ", times, word);
        return QString::fromStdString(outcomes + digest(all));
    }

private:
    std::vector<std::string> m_originals, m_pool;
};

} // namespace nestwright::tests
