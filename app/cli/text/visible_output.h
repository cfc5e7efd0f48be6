// SPDX-License-Identifier: Apache-2.0
/// Output of nestc without anything that a terminal would obey: names and messages come from files.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace nestwright::cli {

/// Passes on what is written to a stream, as support::visible has it, while it lives.
class VisibleOutput : public std::streambuf {
public:
    explicit VisibleOutput(std::ostream &stream);
    ~VisibleOutput() override;
    VisibleOutput(const VisibleOutput &) = delete;
    VisibleOutput &operator=(const VisibleOutput &) = delete;

protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char *text, std::streamsize count) override;
    int sync() override;

private:
    bool pass(std::string_view text);
    void noteLost() const;

    std::ostream &m_stream;
    std::streambuf *m_below;
    std::string m_begun; ///< the first bytes of a character
};

} // namespace nestwright::cli
