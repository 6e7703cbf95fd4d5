"""Sentences for tests of editing."""

from __future__ import annotations

from arcwise.annotate.lines import Block

ROSES = """# sent_id = roses
# text = He doesn't sell red roses.
1\tHe\the\tPRON\t_\t_\t4\tnsubj\t4:nsubj\t_
2-3\tdoesn't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdoes\tdo\tAUX\t_\t_\t4\taux\t4:aux\t_
3\tn't\tnot\tPART\t_\t_\t4\tadvmod\t4:advmod\t_
4\tsell\tsell\tVERB\t_\t_\t0\troot\t0:root\t_
5\tred\tred\tADJ\t_\t_\t6\tamod\t6:amod\t_
6\troses\trose\tNOUN\t_\tNumber=Plur\t4\tobj\t4:obj\tSpaceAfter=No
7\t.\t.\tPUNCT\t_\t_\t4\tpunct\t4:punct\t_

"""
TEA = """# sent_id = tea
# text = Anna likes tea and Ben coffee.
1\tAnna\tAnna\tPROPN\t_\t_\t2\tnsubj\t2:nsubj\t_
2\tlikes\tlike\tVERB\t_\t_\t0\troot\t0:root\t_
3\ttea\ttea\tNOUN\t_\t_\t2\tobj\t2:obj\t_
4\tand\tand\tCCONJ\t_\t_\t5\tcc\t5.1:cc\t_
5\tBen\tBen\tPROPN\t_\t_\t2\tconj\t5.1:nsubj\t_
5.1\tlikes\tlike\tVERB\t_\t_\t_\t_\t2:conj\t_
6\tcoffee\tcoffee\tNOUN\t_\t_\t5\torphan\t5.1:obj\tSpaceAfter=No
7\t.\t.\tPUNCT\t_\t_\t2\tpunct\t2:punct\t_

"""
HUSH = """# sent_id = hush
# text = Hush now
1\tHush\thush\tVERB\t_\t_\t0\troot\t_\t_
2\tnow\tnow\tADV\t_\t_\t1\tadvmod\t_\t_

"""


def block(text: str) -> Block:
    return Block.from_bytes(text.encode())


def row(made: Block, id: str) -> tuple[str, ...]:
    return next(row for row in made.rows if row[0] == id)


def heads(made: Block) -> list[int]:
    return [int(row[6]) for row in made.words]
