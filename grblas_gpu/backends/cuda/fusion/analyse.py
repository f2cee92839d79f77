"""What the steps of a loop's body ask of its vectors: how each is stored, and what may be left out.

Facts that hold at every step: a vector that always has all entries needs no flags, one value for all needs no array,
and steps that only touch the entries of a short list need not look at all positions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..eager.mxv_product import Product
from ..runtime.translate import c_type, literal
from .layout import Body, BodyStep, Operand, VectorUse
from .requests import check_request

PRODUCTS = ("vxm", "mxv")
POSITIONWISE = frozenset("copy assign add mult union apply apply_left apply_right apply_index select clear".split())


class SlotFacts(NamedTuple):
    """How a program stores a vector."""

    dtype: np.dtype
    full: bool
    iso: bool
    written: bool
    hidden: bool  # nobody sees it outside of the loop
    buffers: int  # 1; 2 if something overwrites it; 3 if its old entries are cleaned meanwhile
    listable: bool
    initial: str  # what its values are where there is no entry, for products that add to them
    edges_of: int | None  # the product whose operand it is


class Analysis:
    """The steps of a body, products separated from what becomes of their results, and the facts about its vectors."""

    def __init__(self, body: Body) -> None:
        self.matrices = body.matrices
        self.products: dict[int, Product] = {}
        apart: set[int] = set()  # vectors that no product writes to: found out while looking at all steps
        while True:
            self._lower(body, apart)
            self.slots = self._analyse()
            unfit = self._unfit()
            if unfit <= apart:
                break
            apart |= unfit

    def _unfit(self) -> set[int]:
        """Vectors that a product cannot write to: it has one value for all, they do not; or sums begin differently."""
        outs: dict[int, set[str]] = {}
        unfit: set[int] = set()
        for at, product in self.products.items():
            out = self.body_steps[at].out
            outs.setdefault(out, set()).add(repr(product.initial))
            if product.structure and not self.slots[out].iso:
                unfit.add(out)
        return unfit | {out for out, initials in outs.items() if len(initials) > 1}

    def _lower(self, body: Body, apart: set[int]) -> None:
        """Products that do not simply overwrite their output go to a vector of their own first."""
        self.uses = body.uses
        self.products = {}
        steps: list[BodyStep] = []
        self.copied: list[int] = []  # where the results of such products go
        for step in body.steps:
            if step.kind in PRODUCTS:
                product = self._product(step, self.uses)
                direct = step.accum is None and (step.mask is None or step.replace)
                if not direct or product.dtype != self.uses[step.out].dtype or step.out in apart:
                    temporary = len(self.uses)
                    self.copied.append(step.out)
                    self.uses.append(VectorUse(product.dtype, False, True, True))
                    steps.append(step._replace(out=temporary, accum=None, replace=True))
                    copied = (Operand("vector", temporary),)
                    steps.append(step._replace(kind="copy", op=None, args=copied, desc=None))
                    continue
            steps.append(step)
        self.body_steps = [step for at, step in enumerate(steps) if not useless(step, steps[at + 1 :])]

    def _product(self, step: BodyStep, uses: list[VectorUse], iso: bool | None = None) -> Product:
        matrix, vector, flip = self._product_operands(step)
        store = self.matrices[matrix.number]
        use = uses[vector.number]
        early = True if step.desc is None else step.desc.early_exit
        vector_iso = use.iso if iso is None else iso
        return Product(step.op, store.once.dtype, store.once.iso, use.dtype, vector_iso, flip, early)

    @staticmethod
    def _product_operands(step: BodyStep) -> tuple[Operand, Operand, bool]:
        first, second = step.args
        return (first, second, False) if step.kind == "mxv" else (second, first, True)

    def _analyse(self) -> list[SlotFacts]:
        uses, visible = self.uses, len(self.uses) - len(self.copied)
        full = [use.full for use in uses]
        iso = [use.iso for use in uses]
        settled = False
        while not settled:  # take back what a step does not keep, until every step keeps the rest
            settled = True
            for step in self.body_steps:
                if step.kind.startswith(("scalar", "reduce")):
                    continue
                w = step.out
                if full[w] and not self._keeps_full(step, full):
                    full[w], settled = False, False
                if iso[w] and not self._keeps_iso(step, uses, iso):
                    iso[w], settled = False, False
        products = {at: step for at, step in enumerate(self.body_steps) if step.kind in PRODUCTS}
        edges_of: dict[int, int] = {}
        initial: dict[int, str] = {}
        self.initial_values: dict[int, Any] = {}
        listable = {step.out for step in self.body_steps if step.kind in ("vxm", "mxv", "row")}
        for at, step in products.items():
            _, vector, _ = self._product_operands(step)
            edges_of.setdefault(vector.number, at)
            product = self.products[at] = self._product(step, uses, iso[vector.number])
            mask = step.mask
            has_flags = not full[vector.number] and not (mask is not None and full[mask.vector])
            check_request(step.line, step.desc, product, mask is not None, has_flags)
            if product.initial is not None:
                initial[step.out] = literal(product.initial, product.dtype)
                self.initial_values[step.out] = product.initial
        double = set(listable)
        grew = True
        while grew:
            grew = False
            for step in self.body_steps:
                swaps = step.kind in POSITIONWISE and self._overwrites(step) and not full[step.out]
                if swaps and step.out not in double and self._driver(step, listable) is not None:
                    double.add(step.out)
                    listable.add(step.out)
                    grew = True
        self.listable = listable
        self.closing = {at: before for at in products if (before := self._closing(at, full)) is not None}
        self.thirds = {self.body_steps[at].out for at in self.closing}
        return [
            SlotFacts(
                use.dtype,
                full[number],
                iso[number],
                use.written,
                number >= visible,
                (3 if number in self.thirds else 2) if number in double else 1,
                number in listable,
                initial.get(number, f"{c_type(use.dtype)}()"),
                edges_of.get(number),
            )
            for number, use in enumerate(uses)
        ]

    def _keeps_full(self, step: BodyStep, full: list[bool]) -> bool:
        vectors = [full[arg.number] for arg in step.args if arg.kind == "vector"]
        if step.kind in ("vxm", "mxv", "select", "clear", "row") or may_be_empty(step):
            result = False
        elif step.kind in ("add", "union"):
            result = any(vectors)
        else:
            result = all(vectors)  # of nothing for a scalar: it is everywhere
        if step.accum is not None:
            return not (step.replace and step.mask is not None)
        if step.mask is not None:
            return result and not step.replace
        return result

    def _keeps_iso(self, step: BodyStep, uses: list[VectorUse], iso: list[bool]) -> bool:
        """Whether one value still stands for all: what a structural product writes has one value of its own."""
        if step.kind == "clear":
            return True
        if step.accum is not None or (step.mask is not None and not step.replace):
            return False
        if step.kind == "copy":
            source = step.args[0].number
            return iso[source] and uses[source].dtype == uses[step.out].dtype
        if step.kind in PRODUCTS:
            _, vector, _ = self._product_operands(step)
            return self._product(step, uses, iso[vector.number]).structure
        if step.kind == "row":
            store = self.matrices[step.args[0].number]
            return store.iso and store.dtype == uses[step.out].dtype
        return False

    def _closing(self, at: int, full: list[bool]) -> int | None:
        """The vector whose entries the step before gives to this product's complemented mask.

        ``levels(frontier.S) << depth`` and then ``frontier(~levels.S) << frontier @ A``: the product need not wait for
        the assignment, if it takes the frontier's entries for closed as well.
        """
        step, before = self.body_steps[at], self.body_steps[at - 1] if at else None
        if before is None or before.kind not in ("assign", "copy") or before.accum is not None or before.replace:
            return None
        if may_be_empty(before):
            return None
        if step.mask is None or not (step.mask.structure and step.mask.complement) or step.mask.vector != before.out:
            return None
        if before.mask is None or not before.mask.structure or before.mask.complement or full[before.mask.vector]:
            return None
        if before.kind == "copy" and before.args[0].number != before.mask.vector:
            return None
        return None if before.mask.vector == before.out else before.mask.vector

    @staticmethod
    def _overwrites(step: BodyStep) -> bool:
        return step.accum is None and (step.mask is None or step.replace)

    def _driver(self, step: BodyStep, listable: set[int]) -> int | None:
        """A vector outside of whose entries the step changes nothing (or, overwriting, writes nothing)."""
        candidates: list[int] = []
        if step.kind == "clear":
            return step.out if step.out in listable else None
        if step.kind in ("copy", "apply", "apply_left", "apply_right", "apply_index", "select", "mult"):
            candidates = [arg.number for arg in step.args if arg.kind == "vector"]
        masked = [] if step.mask is None or step.mask.complement else [step.mask.vector]
        if self._overwrites(step):
            usable = candidates + masked
        elif step.accum is not None:
            usable = [] if step.replace and step.mask is not None else candidates + masked
        else:
            usable = masked
        return next((number for number in usable if number in listable), None)


def may_be_empty(step: BodyStep) -> bool:
    """Whether this assigns a Scalar of the loop: if it is empty, entries go."""
    return step.kind == "assign" and step.args[0].kind == "variable"


def useless(step: BodyStep, after: list[BodyStep]) -> bool:
    """Whether this clears a vector that is overwritten before anybody reads it."""
    if step.kind != "clear":
        return False
    for other in after:
        vectors = [arg.number for arg in other.args if arg.kind == "vector"]
        masked = [] if other.mask is None else [other.mask.vector]
        if step.out in vectors + masked:
            return False
        if not other.kind.startswith(("scalar", "reduce")) and other.out == step.out:
            return other.accum is None and (other.mask is None or other.replace)
    return False
