# SPDX-License-Identifier: Apache-2.0
c, h, w, rh, rw = sch.get_loops(sch.get_block("Y"))
h0, h1 = sch.split(h, [None, 4])
w0, w1 = sch.split(w, [None, 16])
sch.reorder(c, h0, w0, rh, rw, h1, w1)
sch.parallel(c)
sch.unroll(h1)
sch.vectorize(w1)
