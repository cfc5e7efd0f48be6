# SPDX-License-Identifier: Apache-2.0
i, j = sch.get_loops(sch.get_block("B"))
i0, i1 = sch.split(i, [None, 16])
j0, j1 = sch.split(j, [None, 16])
sch.reorder(i0, j0, i1, j1)
sch.parallel(i0)
