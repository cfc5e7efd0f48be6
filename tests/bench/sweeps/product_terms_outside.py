# SPDX-License-Identifier: Apache-2.0
i, j, k = sch.get_loops(sch.get_block("C"))
k0, k1 = sch.split(k, [None, 16])
j0, j1 = sch.split(j, [None, 64])
sch.reorder(k0, j0, i, k1, j1)
sch.vectorize(j1)
