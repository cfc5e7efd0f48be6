# A blur in three stages: brightness, sums of three along a row, means of three of those along a column.
import tvm
from tvm import te

H = W = 2048
A = te.placeholder((H + 2, W + 2), name="A")
bright = te.compute((H + 2, W + 2), lambda y, x: A[y, x] * 1.5, name="bright")
across = te.compute(
    (H + 2, W), lambda y, x: bright[y, x] + bright[y, x + 1] + bright[y, x + 2], name="across"
)
C = te.compute((H, W), lambda y, x: (across[y, x] + across[y + 1, x] + across[y + 2, x]) / 9.0, name="C")

func = te.create_prim_func([A, C])
