# SPDX-License-Identifier: Apache-2.0
b = sch.get_block("D", "main")
c = sch.get_producers(b)[0]
loops = sch.get_loops(b)
f = sch.fuse(*loops)
a, _ = sch.split(f, factors=[8, 32], preserve_unit_iters=False)
sch.storage_align(c, 0, 0, 32, 8)
sch.set_scope(c, 0, "local")
sch.blockize(sch.get_loops(c)[2])
sch.reverse_compute_inline(b)
