// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/visible_output.h"

#include "core/support/files/standard_streams.h"
#include "core/support/text/visible.h"

#include <cerrno>
#include <iostream>
#include <utility>

namespace nestwright::cli {

VisibleOutput::VisibleOutput(std::ostream &stream) : m_stream(stream), m_below(stream.rdbuf(this)) {}

VisibleOutput::~VisibleOutput()
{
    pass(support::visible(std::exchange(m_begun, {})));
    const auto state = m_stream.rdstate(); // that a write failed is not forgotten
    m_stream.rdbuf(m_below);
    m_stream.setstate(state);
}

VisibleOutput::int_type VisibleOutput::overflow(int_type c)
{
    const char one = traits_type::to_char_type(c);
    return traits_type::eq_int_type(c, traits_type::eof()) || xsputn(&one, 1) == 1 ? traits_type::not_eof(c)
                                                                                   : traits_type::eof();
}

std::streamsize VisibleOutput::xsputn(const char *text, std::streamsize count)
{
    m_begun.append(text, static_cast<std::size_t>(count));
    const std::string rest = m_begun.substr(m_begun.size() - support::begunCharacter(m_begun));
    m_begun.resize(m_begun.size() - rest.size());
    return pass(support::visible(std::exchange(m_begun, rest))) ? count : 0;
}

int VisibleOutput::sync()
{
    const int done = m_below->pubsync();
    if (done != 0)
        noteLost();
    return done;
}

void VisibleOutput::noteLost() const
{
    if (&m_stream == &std::cout)
        support::noteLostOutput(errno);
}

bool VisibleOutput::pass(std::string_view text)
{
    const auto size = static_cast<std::streamsize>(text.size());
    const bool isWhole =
        m_below->sputn(text.data(), size) == size; // NOLINT(bugprone-suspicious-stringview-data-usage)
    if (!isWhole)
        noteLost();
    return isWhole;
}

} // namespace nestwright::cli
