// SPDX-License-Identifier: Apache-2.0
/// The last bound on reading: time. Reading ends in time with a message, however long the analyses of a
/// script would run.
#pragma once

#include <string>

namespace nestwright::cli {

/// While it lives, the process may compute for `readingSeconds`; then it ends with the exit status of bad
/// input and an error that names the input. One within another has no effect.
class ReadingTime {
public:
    explicit ReadingTime(const std::string &name);
    ~ReadingTime();
    ReadingTime(const ReadingTime &) = delete;
    ReadingTime &operator=(const ReadingTime &) = delete;

private:
    bool m_isOuter;
};

/// Processor time, far more than files of people need. Sanitizers slow everything down.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int readingSeconds = 60;
#else
constexpr int readingSeconds = 8;
#endif

} // namespace nestwright::cli
