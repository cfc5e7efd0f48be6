// SPDX-License-Identifier: Apache-2.0
/// Runs named passes over a program, of any kind: each is timed, verified and, where asked, recorded.
#pragma once

#include "core/support/errors/codes.h"
#include "core/support/errors/errors.h"
#include "core/support/errors/result.h"
#include "core/support/errors/stop.h"

#include <algorithm>
#include <chrono>
#include <concepts>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nestwright::support {

/// The name of a pass as tables spell it, with hyphens; people may type underscores, and older files of
/// models hold them.
inline std::string passName(std::string name)
{
    std::ranges::replace(name, '_', '-');
    return name;
}

/// A row of a table of passes.
template <class Row>
concept NamedPass = requires(const Row &row) {
    { row.name } -> std::convertible_to<std::string_view>;
    { row.summary } -> std::convertible_to<std::string_view>;
};

/// The row of that name; null when there is none.
template <NamedPass Row> const Row *findPass(std::span<const Row> table, std::string_view name)
{
    const auto found = std::ranges::find(table, name, &Row::name);
    return found == table.end() ? nullptr : &*found;
}

/// One run of one pass.
template <class Program> struct PassRecord {
    std::string name;
    Program before, after;
    bool unchanged = false; ///< both are structurally equal
    double micros = 0;      ///< of the pass alone, without its verification
};

struct PassOptions {
    bool keepRecords = false;
    std::stop_token stop{};
};

/// The function `structurallyEqual` that stands beside the type of the program tells whether a pass changed
/// it; it is asked only where records are kept.
template <class Program> class PassRunner {
public:
    explicit PassRunner(Program program, PassOptions options = {})
        : m_program(std::move(program))
        , m_options(std::move(options))
    {
    }

    /// Puts transform(program) in place of the program, and asks verify(program), a Result<void>, about it.
    /// Errors: "cancelled"; those of `verify`; a UserError that either throws. The program is lost then.
    template <std::invocable<Program &&> Transform, std::invocable<const Program &> Verify>
    Result<void> run(std::string_view name, const Transform &transform, const Verify &verify)
    {
        checkStop();
        if (m_options.stop.stop_requested())
            return fail(codes::cancelled, "running the passes was cancelled");
        try {
            std::optional<Program> before;
            if (m_options.keepRecords)
                before = m_program;
            const auto start = std::chrono::steady_clock::now();
            m_program = transform(std::move(m_program));
            const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
            if (Result<void> sound = verify(std::as_const(m_program)); !sound)
                return sound;
            if (before) {
                const bool unchanged = structurallyEqual(*before, m_program);
                m_records.push_back(
                    {std::string(name), std::move(*before), m_program, unchanged, time.count()});
            }
            return {};
        } catch (const UserError &error) {
            return fail(error.diagnostic());
        }
    }

    const Program &program() const { return m_program; }
    Program takeProgram() { return std::move(m_program); }
    /// One for each run, in order.
    std::vector<PassRecord<Program>> takeRecords() { return std::move(m_records); }

private:
    Program m_program;
    PassOptions m_options;
    std::vector<PassRecord<Program>> m_records;
};

} // namespace nestwright::support
