"""Lines of programs, made at random, in which matrices are operands, outputs and masks of every operation."""

from fuzzed_lines import Lines

SUMMARIES = "sum min max count mean count_nonzero exists L1norm prod all any varp".split()


class MatrixLines(Lines):
    """Lines in which matrices are operands, outputs and masks of every operation that takes some."""

    def region(self) -> str:
        rows, cols = (self.one(":", "1:5", "[4, 0, 2]", "::-2", "[3]") for _ in range(2))
        return f"{rows}, {cols}"

    def square(self) -> str:
        return self.one("A", "B", "C", "A.T", "B.T", "M")

    def matrix(self, depth: int = 1) -> str:
        of = self.palette
        if depth == 0:
            return self.square()
        x, y = self.matrix(depth - 1), self.matrix(depth - 1)
        ring = self.one(*of.semirings, *of.positional)
        default = f"{self.number()}, {self.number()}"
        return self.one(
            f"({x}).ewise_{self.one('add', 'mult')}({y}, binary.{self.one(*of.binary)})",
            f"({x}).ewise_mult({y}, binary.ss.{self.one('firsti', 'firstj', 'secondi1', 'secondj')})",
            f"({x}).ewise_union({y}, binary.{self.one('plus', 'minus', 'max')}, {default})",
            f"({x}).ewise_{self.one('add', 'mult')}(u, binary.{self.one('plus', 'times', 'minus')})",
            f"semiring.{ring}(({x}) @ ({y}))",
            f"semiring.{ring}({x} @ {self.square()}).new(mask={self.matrix_mask(False)})",
            f"unary.{self.one(*of.unary)}({x})",
            f"unary.ss.positioni({x})",
            f"binary.{self.one(*of.binary)}({x}, {self.number()})",
            f"binary.{self.one(*of.binary)}({self.number()}, {x})",
            f"indexunary.{self.one('rowindex', 'colindex', 'diagindex', 'tril', 'rowle', 'valuegt')}({x}, 1)",
            f"select.{self.one('tril', 'triu', 'offdiag', 'diag', 'rowle', 'colgt')}({x}, 1)",
            f"({x}).select({self.matrix_mask(False)})",
            f"{self.square()}.power({self.one(1, 2, 3)}, semiring.{self.one('plus_times', 'min_plus', 'any_pair')})",
            f"{self.square()}.reposition({self.one(-2, 0, 1)}, {self.one(-1, 0, 3)})",
            f"({x})[P, {self.one(':', '::-1', 'P')}]",
            f"u.outer(v, binary.{self.one('times', 'plus', 'first')})",
            f"{self.one('u', 'v')}.diag()",
            "ss.concat([[A[:2, :4].new(), B[:2, 4:].new()], [M[2:, :4].new(), C[2:, 4:].new()]])",
            f"({x}).T",
            f"({x}).dup({self.one('', 'float', 'int')})" if x in "ABCM" else x,
            x,
        )

    def matrix_mask(self, some: bool = True) -> str:
        masks = "M.S M.V ~M.S ~M.V C.S ~C.V A.S ~B.S".split()
        masks += ["(A.S & M.V)", "(M.S | B.V)", "(A > 1).V"]
        return self.one(*masks, *[""] * (4 * some))

    def line(self) -> str:
        of = self.palette
        mask, accum = self.matrix_mask(), self.one("", *(f"binary.{name}" for name in of.accums))
        replaced = self.one("", "replace=True") if mask else ""
        given = ", ".join(filter(None, (mask, accum, replaced)))
        call = f"C({given})" if given else "C"
        x, square, region = self.matrix(1), self.square(), self.region()
        inner = self.one("M.S", "~M.V", "A.V", "~B.S")
        return self.one(
            f"{call} << {x}",
            f"{call} << {self.matrix(2)}",
            f"{call} << {self.number()}",
            f"{call}[{region}] << {self.number()}",
            f"{call}[{region}] << ({square})[{region}]",
            f"C[{region}]({square}[{region}].new().{self.one('S', 'V')}, {accum or 'replace=True'}) << {self.number()}",
            f"C[{region}](~{square}[{region}].new().S, {accum or 'replace=True'}) << ({square})[{region}]",
            f"{call}[{self.one('2, :', ':, 3', '0, 1:4', '[5, 1], 2')}] << {self.number()}",
            f"C({accum})[{self.one('2, :', ':, 3')}] << {self.one('u', 'v')}",
            f"C({self.one('m.S', '~m.V')}, {accum or 'replace=True'})[{self.one('2, :', ':, 3')}] << u",
            f"del C[{self.one('2, 3', '0, 0', '1, :', ':, 4', region)}]",
            f"C[{self.one('2, 3', '0, 0')}] = {self.number()}",
            f"w({accum}) << semiring.{self.one(*of.semirings, *of.positional)}({self.product(self.one('u', 'v'))})",
            f"w(m.S) << ({x}).reduce_{self.one('row', 'column')}wise(monoid.{self.one('plus', 'max', 'lor', 'times')})",
            f"r = ({x}).reduce_{self.one('row', 'column')}wise(agg.{self.one(*of.aggregators)})",
            f"r = ({x}).reduce_scalar(agg.{self.one(*SUMMARIES)})",
            f"r = ({x}).reduce_scalar(monoid.{self.one('plus', 'min', 'lxor', 'times')})",
            f"r = {square}.diag({self.one(-2, 0, 1)})" if len(square) == 1 else f"r = {square}.new().diag(1)",
            f"r = {square}.T[{self.one('2, :', ':, 3', '1:4, 0')}]" if len(square) == 1 else f"r = {square}",
            f"r = {square}[{self.one('2, 3', '0, 0', '2, :', ':, 3', region)}]",
            f"r = A.isequal({x}), B.isclose({square}), A.nvals, B.dtype.name",
            f"r = C.dup(mask={inner})",
            f"r = {square}[:2, :3].new().kronecker({self.square()}[:3, 1:3].new(), binary.{self.one(*of.binary)})",
            f"C.resize({self.one(3, 6, 8)}, {self.one(2, 6, 9)})",
            "r = [part for row in A[:6, :6].new().ss.split([[2, 4], [1, 5]]) for part in row]",
            f"r = A.ss.{self.one('selectk', 'compactify')}('first', 2)",
            f"r = (A + indexunary.colindex(A)).new().ss.scan(monoid.plus, '{self.one('rowwise', 'columnwise')}')",
            "r = A.ss.sort(binary.lt)",
            f"r = A[:6, :6].new().ss.reshape(4, 9, order='{self.one('rowwise', 'columnwise')}')",
            "r = A.ss.flatten()",
            "r = [part.tolist() for part in (*A.to_csr(), *B.to_csc(), *A.to_dcsr(), *M.to_edgelist())]",
            f"r = A.get(2, 3, 9), A.to_dense({self.one(0, 1.5, True)}).tolist()",
            f"C.{self.one('clear()', 'setdiag(u)', 'setdiag(3)', 'build([0, 5], [1, 5], [2, 3], clear=True)')}",
            f"r = {x}",
        )
