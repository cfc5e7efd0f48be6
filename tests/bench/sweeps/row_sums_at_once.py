# SPDX-License-Identifier: Apache-2.0
i, k = sch.get_loops(sch.get_block("B"))
i0, i1 = sch.split(i, [None, 4])
sch.reorder(i0, k, i1)
