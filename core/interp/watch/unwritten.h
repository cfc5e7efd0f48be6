// SPDX-License-Identifier: Apache-2.0
/// Values of elements that were never written. Reading one is no fault by itself: a copy of a whole tile may
/// read elements that nobody needs. It is a fault once the value reaches the caller, or a condition, an
/// address or a range depends on it.
///
/// Such a value is tracked through memory byte by byte, as by memory checkers (Nethercote and Seward, "How to
/// Shadow Every Byte of Memory Used by a Program", 2007), and through expressions by a mark on the frame.
#pragma once

#include "core/interp/access.h"

#include <map>
#include <string>

namespace nestwright::interp {

/// Value of the shadow of a byte of memory.
enum Written : std::uint8_t {
    IsWritten = 0,
    HoldsUnwritten = 0x80, ///< written, with a value that comes from an element that nobody wrote
    NeverWritten = 0xff,
};

class UnwrittenFinder {
public:
    /// An unwritten value is stored at `data` of a memory, which stands for it from now on.
    void pass(const Frame &frame, const UnwrittenRead &read, const Memory &to);
    /// Code "interp.unwritten", at the first read on the way of the value. `use`: "stores it in 'B[0]'".
    [[noreturn]] void report(const Frame &frame, const UnwrittenRead &read, const std::string &use) const;
    /// An argument that came without contents may not end with a value that comes from unwritten memory.
    void checkOutput(const Memory &memory, const std::string &name) const;

private:
    struct Origin {
        std::string element, name;
        CodePlace place;
    };
    static Origin originOf(const Frame &frame, const UnwrittenRead &read);
    [[noreturn]] static void report(const Origin &origin, const std::string &use);

    std::map<const std::byte *, Origin> m_origins; ///< of the first such value in a memory
};

/// The value of `code`, which decides something, so that it may not be unwritten.
template <class Code> std::int64_t decided(Frame &frame, const Code &code, const char *use)
{
    const UnwrittenRead outer = frame.unwrittenRead;
    frame.unwrittenRead = {};
    const std::int64_t value = code.eval(frame);
    if (frame.unwrittenRead.target) [[unlikely]]
        frame.unwritten->report(frame, frame.unwrittenRead, use);
    frame.unwrittenRead = outer;
    return value;
}

inline std::int64_t decidedIndex(Frame &frame, const Index &index, const char *use)
{
    return index.general ? decided(frame, *index.general, use) : index.eval(frame);
}

constexpr const char *decidesCondition = "a condition depends on it";
constexpr const char *decidesAddress = "an address depends on it";
constexpr const char *decidesRange = "the range of a loop or block depends on it";

} // namespace nestwright::interp
