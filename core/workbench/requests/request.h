// SPDX-License-Identifier: Apache-2.0
/// Requests: what a face of the program may ask for by name, with parameters and answers as JSON.
#pragma once

#include "core/support/text/json.h"
#include "core/workbench/opening/opener.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::workbench {

/// The JSON of a parameter: a string, a list of strings, true or false.
enum class ParameterKind { Text, Texts, Flag };

struct Parameter {
    std::string_view name;
    ParameterKind kind = ParameterKind::Text;
    std::string_view help; ///< a sentence without its period
    bool isRequired = false;
    /// The only values of a text; null: any.
    std::vector<std::string_view> (*choices)() = nullptr;
};

/// The parameters of a request, checked against its description.
class Parameters {
public:
    explicit Parameters(const support::Json &values) : m_values(values) {}

    bool has(std::string_view name) const { return m_values.contains(name); }
    /// Empty where it is not given.
    std::string text(std::string_view name) const;
    std::vector<std::string> texts(std::string_view name) const;
    bool flag(std::string_view name) const;

private:
    const support::Json &m_values;
};

/// One request. `run` gives the answer, whose members `answer` names; it prints nothing and changes no file.
struct Request {
    std::string_view name, title;
    std::span<const Parameter> parameters;
    std::string_view answer;
    support::Result<support::Json> (*run)(Opener &opener, const Parameters &parameters);
};

/// All requests.
std::span<const Request *const> requests();

/// The parameters as JSON Schema (2020-12): an object without other members.
support::Json schemaOf(const Request &request);

/// The answer to one request, with the remarks on what was opened for it.
struct Reply {
    support::Result<support::Json> answer;
    std::vector<std::string> notes{};

    /// {"answer": …} or {"error": {"code", "message", "hint", "place"}}, and "notes" where there are some.
    support::Json json() const;
};

/// Checks the parameters and runs the request. `watch` as in OpeningHooks. Errors: "request.unknown" (there
/// is no such request), "request.parameter"; those of the request.
Reply ask(std::string_view name, const support::Json &parameters,
          std::function<std::shared_ptr<void>(const std::string &input)> watch = {});

} // namespace nestwright::workbench
