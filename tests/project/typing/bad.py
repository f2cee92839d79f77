"""A user's program with a mistake in every line that says so: type checkers find each of them."""

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, agg, binary, monoid, select, semiring, unary

A = Matrix.from_coo([0, 1], [1, 2], [1.0, 2.0], nrows=3, ncols=3)
v = Vector.from_dense([1.0, 2.0, 3.0])

semiring.plus_tmes(v @ A)  # mistake
binary.pluss  # mistake
unary.squrt(v)  # mistake
monoid.maxx  # mistake
agg.meen  # mistake
select.lower(A)  # mistake
unary.numpy.expo(v)  # mistake
v @ 3  # mistake
A @ "A"  # mistake
v[0.5]  # mistake
v["a"]  # mistake
A[0]  # mistake
A[0, 1.5]  # mistake
semiring.plus_times(v)  # mistake
semiring.plus_times(v @ A).new().ncols  # mistake
unary.sqrt("v")  # mistake
v.reduce(monoid.plus).new().size  # mistake
v.to_dict()["a"]  # mistake
(A @ v).new().nrows  # mistake
gb.Matrx  # mistake
gb.algorithms.bsf(A, 0)  # mistake
gb.algorithms.bfs(A, "Valjean")  # mistake
gb.generators.kroneker(5)  # mistake
A.apply(unary.abs).new().size  # mistake
v.select(">", 1).new().ncols  # mistake
A + "text"  # mistake
(v + A).new().size  # mistake
gb.algorithms.sssp(A, 0).distances  # mistake
