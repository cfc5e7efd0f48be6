# Chains of element by element stages in one pass over memory: each thread has a part of the array, vectors
# within.
# from tvm import tir
def elementwise(sch: tir.Schedule, lanes=8, threads=8) -> None:
  stages = sch.get_child_blocks(sch.get_block("root"))
  for stage in stages:
    if sch.get(stage).init:
      assert False, "a stage sums up"
  for stage in stages[:-1]:
    sch.compute_inline(stage)
  loops = sch.get_loops(stages[-1])
  elements = sch.fuse(*loops) if len(loops) > 1 else loops[0]
  part, blocks, vector = sch.split(elements, [threads, None, lanes])
  sch.parallel(part)
  sch.vectorize(vector)
