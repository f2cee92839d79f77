"""Chains of steps of a loop that run in one pass over the positions, with no meeting between them.

A step that runs position by position reads position i of its operands only, so the next one can go on with what it
found there, in variables. One pass serves a chain if it comes to every position where any of its steps has something
to do: by the entries of one vector, or by all positions.
"""

from __future__ import annotations

from ..runtime.translate import c_type
from .analyse import POSITIONWISE, PRODUCTS
from .layout import Body, BodyStep
from .steps import Steps, valued, vectors_of

MOST_STEPS = 8  # in a chain: their variables should fit into registers
PER_STEP = 8  # counters


class Chains(Steps):
    """Finds chains of steps, and writes them."""

    def __init__(self, body: Body) -> None:
        super().__init__(body)
        self._wrote: dict[int, list[str]] = {}  # variables that tell whether a value was written
        self._alike: list[set[int]] = []  # vectors of one size: those of a step, and of steps that have one in common
        for step in self.body_steps:
            if step.kind in POSITIONWISE:
                vectors = vectors_of(step) | {step.out}
                joined = vectors.union(*(others for others in self._alike if others & vectors))
                self._alike = [others for others in self._alike if not others & vectors] + [joined]
        self.chains: list[list[int]] = []  # all steps, in order; many of them stand alone
        for at in range(len(self.body_steps)):
            if self.chains and self._is_chain([*self.chains[-1], at]):
                self.chains[-1].append(at)
            else:
                self.chains.append([at])

    # ---- which steps ---------------------------------------------------------------------------------------------

    def _is_chain(self, chain: list[int]) -> bool:
        steps = [self.body_steps[at] for at in chain]
        return len(chain) <= MOST_STEPS and all(map(self._joins, chain)) and (self._driven(steps) or self._dense(steps))

    def _joins(self, at: int) -> bool:
        step = self.body_steps[at]
        if step.kind not in POSITIONWISE or at + 1 in self.closing:  # this one rides along with a product instead
            return False
        # One value for all, changed in place: others may be reading it.
        return not self.slots[step.out].iso or step.kind == "clear" or self._swaps(step)

    def _driven(self, steps: list[BodyStep]) -> bool:
        """Whether none of them has anything to do outside of the entries of the first one's driver."""
        driver = self._driver(steps[0], self.listable)
        if driver is None:
            return False
        within = {driver}  # vectors that have entries there only
        for step in steps:
            if self._driver(step, within) is None:
                return False
            if self._swaps(step):
                within.add(step.out)
            elif self._overwrites(step) and step.kind != "clear":
                return False
        return True

    def _dense(self, steps: list[BodyStep]) -> bool:
        """Whether one of them needs all positions, and the others lose nothing if they go by all positions, too.

        That is so if they change vectors in place. What overwrites a vector would lose a list, unless the chain itself
        has changed its driver: that has none any more.
        """
        drivers = [self._driver(step, self.listable) for step in steps]
        written: set[int] = set()
        for step, driver in zip(steps, drivers, strict=True):
            if self._swaps(step) and (driver not in written or self.slots[step.out].iso):
                return False
            written.add(step.out)
        return None in drivers and any(written <= vectors for vectors in self._alike)

    def _swapped(self, chain: list[int]) -> set[int]:
        """The vectors that are written to their other buffers."""
        steps = [self.body_steps[at] for at in chain]
        if steps[0].kind in (*PRODUCTS, "row"):
            return {steps[0].out}
        if steps[0].kind not in POSITIONWISE or (len(steps) > 1 and not self._driven(steps)):
            return set()
        return {step.out for step in steps if self._swaps(step)}

    # ---- their text ----------------------------------------------------------------------------------------------

    def _emit_chain(self, chain: list[int], last: bool) -> None:
        steps = [self.body_steps[at] for at in chain]
        driver = self._driver(steps[0], self.listable) if self._driven(steps) else None
        swapped = self._swapped(chain)
        last_step = {step.out: at for at, step in zip(chain, steps, strict=True)}
        self._begin_pass(steps, swapped, driver is None and not self.listable & set(last_step))
        order = sorted(last_step, key=lambda number: number not in swapped)  # those with lists first
        first, name = chain[0], f"S.s{order[0]}"
        if swapped:
            name = f"S.s{driver}"
            self._clean_others(first, name, sorted(swapped))
        had = self._read_first(driver, swapped, f"listed{first}", set(last_step))
        visit = [line for at, step in zip(chain, steps, strict=True) for line in self._in_variables(at, step)]
        visit[:0] = self._reading()
        self.lines.append("        {\n")
        for number in order:
            slot, counters = self.slots[number], f"counters + {PER_STEP * last_step[number]}"
            found, value = self.registers[number]
            if slot.iso:
                value = f"{c_type(slot.dtype)}()"
            given = f"<{valued(slot)}>(S.s{number}, {self._next(number)}, {counters}"
            if number in swapped:
                self.lines.append(f"            auto put{number} = overwriting{given}, listed{first});\n")
                visit.append(f"put{number}.write(i, {found}, {value});")
                self._note_overwritten(number, counters, f"listed{first}")
            else:
                wrote = " || ".join(self._wrote[number])
                self.lines.append(f"            auto put{number} = changing{given});\n")
                visit.append(f"put{number}.write(i, {had[number]}, {found}, {wrote}, {value});")
                self._note_changed(number, counters)
        if swapped:
            listed = [number for number in order if number in swapped]
            lists = ", ".join(f"put{number}.list" for number in listed)
            bits = [f"unsigned({self.registers[number][0]}) << {n}" for n, number in enumerate(listed)]
            self.lines.append(f"            NewList lists[] = {{{lists}}};\n")
            head = f"pass({name}, listed{first}, lists, [&](int64 i) -> unsigned {{"
            visit.append(f"return {' | '.join(bits)};")
        else:
            kind = c_type(self.slots[order[0]].dtype)
            pointer = f"(const Slot<{kind}>*)nullptr" if driver is None else f"&S.s{driver}"
            head = f"for_each_entry({pointer}, {name}.size, [&](int64 i) {{"
        self.registers, self.loaded = {}, None
        self.lines.append(f"            {head}\n" + "".join(f"                {line}\n" for line in visit))
        self.lines.append("            });\n")
        self.lines.append(f"            {' '.join(f'put{number}.publish();' for number in order)}\n        }}\n")
        if swapped and not last:
            self._flush()  # whoever comes next may read a list

    def _read_first(self, driver: int | None, swapped: set[int], listed: str, outs: set[int]) -> dict[int, str]:
        """Forget variables; returns whether the vectors that change in place have an entry, as text.

        At an entry of a driver most of what the steps might read will be read: all at once, without waiting for the
        one before. Over all positions, vectors without an entry had better not be read.
        """
        self.registers, self._wrote, self.loaded = {}, {}, None if driver is None else {}
        if driver is not None and self.loaded is not None:
            self.registers[driver] = "there", self._at(driver)
            self.loaded["bool there"] = f"{listed} || S.s{driver}.has(i)" if swapped else "true"
        return {number: self._has(number) for number in sorted(outs - swapped)}

    def _reading(self) -> list[str]:
        """What is read at position i."""
        if self.loaded is None:
            return []
        there = self.loaded.pop("bool there")
        lines = [f"bool there = {there};"]
        for variable, text in self.loaded.items():
            kind = variable.partition(" ")[0]
            lines.append(f"{variable} = there ? {text} : {kind}();")
        return lines

    def _clean_others(self, first: int, driver: str, swapped: list[int]) -> None:
        """What is written by a list goes to clean buffers."""
        dirty = " || ".join(f"S.s{number}.other_is_dirty()" for number in swapped)
        self.lines.append(
            f"        bool listed{first} = {driver}.listed;\n        if (listed{first} && ({dirty})) {{\n"
        )
        for number in swapped:
            slot, name = self.slots[number], f"S.s{number}"
            self.lines.append(
                f"            if ({name}.other_is_dirty()) "
                f"clean_all<{valued(slot)}>({name}, {name}.next_buffer(), {slot.initial});\n"
            )
        clean = " ".join(f"S.s{number}.other_is_clean();" for number in swapped)
        self.lines.append(f"            meet([&] {{ {clean} }});\n        }}\n")

    def _in_variables(self, at: int, step: BodyStep) -> list[str]:
        """A step at position i: from memory or the variables of steps before it to variables of its own."""
        slot, kind = self.slots[step.out], c_type(self.slots[step.out].dtype)
        has, value, wrote = f"found{at}", f"value{at}", f"wrote{at}"
        opened = self._opened(step.mask)
        found, computed = self._computed(at, step)
        if self._overwrites(step):
            lines = [f"bool {has} = {found if step.mask is None else f'{opened} && {found}'};"]
            if slot.iso:
                value = self._one_value(step)
            else:
                lines += [f"{kind} {value} = {kind}();", f"if ({has}) {value} = {computed};"]
            self._wrote[step.out] = [has]
        else:
            changed = self._changed(at, step, found, computed, has, value, f" {wrote} = true;")
            lines = [
                f"bool {has} = {self._has(step.out)}, {wrote} = false;",
                f"{kind} {value} = {kind}();",
                f"if ({has}) {value} = {self._at(step.out)};",
                f"if ({opened}) {{ {changed} }}",
            ]
            if step.replace:
                lines[-1] += f" else {{ {has} = false; }}"
            self._wrote.setdefault(step.out, []).append(wrote)
        self.registers[step.out] = "true" if slot.full else has, value
        return lines

    def _one_value(self, step: BodyStep) -> str:
        """A copy of one value for all is that value; no step of the chain changes it where it is."""
        if step.kind == "clear":
            return self._at(step.out)
        value = self._at(step.args[0].number)
        self.lines.append(f"        if (thread_in_grid() == 0) S.s{step.out}.other_values()[0] = {value};\n")
        return value
