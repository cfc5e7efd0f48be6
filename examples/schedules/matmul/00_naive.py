# The three loops of the product as they are written.
# from tvm import tir
def apply_trace(sch: tir.Schedule) -> None:
  pass
