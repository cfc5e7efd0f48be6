// SPDX-License-Identifier: Apache-2.0
// Every backend and the interpreter compute what docs/arithmetic.md says.
#include "tests/core/backend/value_rows.h"

#include <QtTest>

#include <algorithm>
#include <cstdlib>
#include <format>
#include <fstream>
#include <map>
#include <regex>

using namespace nestwright;
using namespace nestwright::tests;
using ir::NdArray;

namespace {

/// A row of the table in docs/arithmetic.md.
struct DocumentedRow {
    std::string expression, type, result;
};

std::vector<DocumentedRow> documentedRows()
{
    std::ifstream file("docs/arithmetic.md");
    const std::regex form(R"(\| `(T\..*)` \| (\w+) \| (\S+) \|)");
    std::vector<DocumentedRow> rows;
    for (std::string line; std::getline(file, line);) {
        std::smatch parts;
        if (std::regex_match(line, parts, form))
            rows.push_back({parts[1], parts[2], parts[3]});
    }
    return rows;
}

/// Arrays of one element for constants.
struct Constants {
    std::vector<std::string> names; ///< as a program writes them: T.int8(100)
    std::vector<NdArray> arrays;

    /// The expression with an array in place of each constant.
    std::string replaced(const std::string &expression)
    {
        const std::regex constant(R"(T\.((?:u?int|float|bool)\d*)\(\"?([-\w.]+)\"?\))");
        std::string result;
        auto end = expression.begin();
        for (std::sregex_iterator it(expression.begin(), expression.end(), constant), last; it != last;
             ++it) {
            const std::smatch &found = *it;
            auto known = std::ranges::find(names, found.str());
            if (known == names.end()) {
                const std::string value = found[2];
                const double number = value == "True" ? 1 : std::strtod(value.c_str(), nullptr);
                arrays.push_back(array(found[1].str().c_str(), {number}));
                known = names.insert(known, found.str());
            }
            result.append(end, found[0].first);
            result += std::format("{}[vi]", static_cast<char>('A' + (known - names.begin())));
            end = found[0].second;
        }
        return result.append(end, expression.end());
    }
};

} // namespace

class DocumentedArithmeticTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The table of docs/arithmetic.md, with its constants and with arrays that hold them.
    void documentedTable()
    {
        std::map<std::string, std::vector<DocumentedRow>> ofTypes;
        std::size_t count = 0;
        for (DocumentedRow &row : documentedRows()) {
            ofTypes[row.type].push_back(std::move(row));
            ++count;
        }
        QVERIFY(count > 20);
        for (const auto &[type, rows] : ofTypes) {
            Constants constants;
            std::vector<std::string> expressions;
            for (const DocumentedRow &row : rows)
                expressions.push_back(constants.replaced(row.expression));
            std::vector<Row> folded, computed;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                folded.emplace_back(rows[i].expression.c_str(), rows[i].result.c_str());
                computed.emplace_back(expressions[i].c_str(), rows[i].result.c_str());
            }
            checkRows({array("int32", {0})}, type.c_str(), folded);
            checkRows(constants.arrays, type.c_str(), computed);
        }
    }
};

QTEST_GUILESS_MAIN(DocumentedArithmeticTest)
#include "documented_arithmetic_test.moc"
