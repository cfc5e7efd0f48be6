// SPDX-License-Identifier: GPL-3.0-or-later
/// Sources that the tests of the code pane show.
#pragma once

#include "widgets/code/code_view.h"

#include <QRegularExpression>

namespace nestwright::code {

inline const char *const nest = R"(@T.prim_func
def main(A: T.Buffer((1024, 1024), "float32"), B: T.Buffer((1024, 1024), "float32")):
  for io in T.parallel(32):
    for jo, ko in T.grid(32, 256):
      for ii in range(32):
        for ki in T.unroll(4):
          for ji in T.vectorized(32):
            with T.block("C"):
              vi = T.axis.S(1024, io*32+ii)
              vj = T.axis.S(1024, jo*32+ji)
              vk = T.axis.R(1024, ko*4+ki)
              with T.init():  # once per element
                C[vi,vj] = 0.0
              C[vi,vj] += A[vi,vk]*B[vk,vj]
)";

inline const char *const assembly = R"(	.text
	.globl	main
.LBB0_5:
  vbroadcastss zmm4, [rsi+4*rax]
  vmovups      zmm5, [rdx]
  vmovups      zmm6, [rdx+64]       # reload
  vfmadd231ps  zmm0, zmm4, zmm5
  vfmadd231ps  zmm1, zmm4, [rdx+8256]
  add          rax, 0x40
  inc          rax
  cmp          rax, 32
  jne          .LBB0_5
)";

enum : std::uint32_t { io = 1, jo, ko, ii, ki, ji, block };

inline Source nestSource()
{
    Source source{QString::fromLatin1(nest), Language::TvmScript, {}, {}};
    const auto span = [&](std::uint32_t id, int first, int axis) {
        source.spans.push_back({support::StmtId{id}, first, 13, axis});
    };
    span(io, 2, 0), span(jo, 3, 1), span(ko, 3, 2), span(ii, 4, 0), span(ki, 5, 2), span(ji, 6, 1),
        span(block, 7, -3);
    const std::pair<const char *, std::pair<std::uint32_t, int>> names[] = {
        {"io", {io, 0}}, {"jo", {jo, 1}}, {"ko", {ko, 2}}, {"ii", {ii, 0}}, {"ki", {ki, 2}}, {"ji", {ji, 1}}};
    const QStringList lines = source.text.split('\n');
    for (const auto &[name, loop] : names) {
        const QRegularExpression word(QString("\\b%1\\b").arg(name));
        for (int line = 2; line < 12; ++line)
            for (auto it = word.globalMatch(lines[line]); it.hasNext();) {
                const auto match = it.next();
                source.colors.push_back(
                    {line, int(match.capturedStart()), 2, loop.second, support::StmtId{loop.first}});
            }
    }
    return source;
}

inline Source longSource(int lines)
{
    QString text;
    for (int i = 0; i < lines; ++i)
        text += QStringLiteral("  vfmadd231ps  zmm%1, zmm4, [rdx+%2]\n").arg(i % 32).arg(i);
    return {text, Language::Assembly, {{support::StmtId{7}, lines - 20, lines - 11, 0}}, {}};
}

} // namespace nestwright::code
