# SPDX-License-Identifier: Apache-2.0
i, j, k = sch.get_loops(sch.get_block("C"))
i0, i1 = sch.split(i, [2, None])
j0, j1 = sch.split(j, [None, 16])
sch.reorder(i0, i1, j0, k, j1)
sch.parallel(i0)
sch.vectorize(j1)
