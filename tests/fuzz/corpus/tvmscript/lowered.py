# SPDX-License-Identifier: Apache-2.0
@T.prim_func
def main(A: T.Buffer((64,), "float32"), a: T.handle, n: T.int32):
    m = T.int32()
    B = T.match_buffer(a, (m, 8), "float16", strides=("s", 1), offset_factor=4, align=32)
    bx = T.launch_thread("blockIdx.x", 4)
    tx = T.env_thread("threadIdx.x")
    with T.launch_thread(tx, 32):
        A[bx * 32 + tx] = T.Cast("float32", B[bx, 0])
    k = T.allocate_const([1, 2, 3, 4], "int32", [2, 2])
    K = T.Buffer((2, 2), "int32", data=k)
    T.realize(A[0:n], "local")
    with T.attr(T.comm_reducer(lambda x0, x1, y0, y1: (T.Select(x1 >= y1, x0, y0), T.max(x1, y1)), [-1, T.min_value("float32")]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
        with T.launch_thread(tx, 32):
            T.tvm_thread_allreduce(T.uint32(1), A[bx], True, B.data, tx)
    assert n > 3, "n is \"small\"\n"
    d = T.allocate([16], "float32x4", "shared", annotations={"k": 1})
    D = T.decl_buffer((16,), "float32x4", data=d, scope="shared")
    D[0] = T.Broadcast(T.float32(1), 4)
    A[0:4] = A[4:8] + D[1]
    A[0:8:2] = T.if_then_else(n > 1, A[1:9:2], T.Broadcast(T.float32(0), 4))
    while K[0, 1] < n:
        if n % 2 == 0:
            break
        elif n == 5:
            continue
        A.vstore([T.Ramp(0, 1, 4)], A.vload([T.Ramp(n, 2, 4)], predicate=T.Broadcast(T.bool(True), 4)))
