import subprocess
import sys
import threading

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

from irmeta.parallel import cores, in_order, on_threads, single_threaded, streams


def test_results_come_in_the_order_of_the_items():
    """Results stand in the order of the items, though later items may be done first."""
    first = threading.Event()

    def work(item):
        if item == 0:
            assert first.wait(10) or cores() == 1
        else:
            first.set()
        return item

    items = range(50) if cores() > 1 else []
    assert list(in_order(work, items)) == list(items)


def test_an_item_has_one_core():
    """Inside an item there is one core, and what it cuts again is done by the same thread."""

    def inner(_):
        return threading.get_ident()

    def outer(_):
        return cores(), {
            threading.get_ident(),
            *on_threads(inner, range(4)),
            *in_order(inner, range(4)),
        }

    for count, threads in in_order(outer, range(4)):
        assert count == 1
        assert len(threads) == 1


def test_a_single_item_is_done_where_it_is_asked_for():
    """No thread is started for one item, which has one core all the same."""

    def work(_):
        return threading.get_ident(), cores()

    assert list(in_order(work, [0])) == [(threading.get_ident(), 1)]


def test_streams_do_not_depend_on_how_many_are_asked_for():
    """The first blocks of a longer series of draws are those of a shorter one."""
    few = [
        rng.random(count) for rng, count in streams(np.random.default_rng(3), 200, 100)
    ]
    many = [
        rng.random(count) for rng, count in streams(np.random.default_rng(3), 1000, 100)
    ]
    assert len(many) == 10
    np.testing.assert_array_equal(few, many[:2])


def test_threads_of_the_user(monkeypatch):
    """After studies in two threads of the user's, which overlap, BLAS has its own threads again."""

    def threads():
        return {
            one["num_threads"]
            for one in ThreadpoolController().info()
            if one["user_api"] == "blas"
        }

    before, inside, may_end = threads(), threading.Event(), threading.Event()

    def first():
        with single_threaded():
            inside.set()
            may_end.wait(10)

    def second():
        with single_threaded():
            may_end.set()
            one.join()

    one, other = threading.Thread(target=first), threading.Thread(target=second)
    one.start()
    assert inside.wait(10)
    other.start()
    other.join()
    assert threads() == before


def test_older_generators():
    """A generator that cannot spawn streams gives its own, the same from the same state."""

    def older():
        return np.random.Generator(np.random.RandomState(1)._bit_generator)

    drawn = [[rng.random() for rng, _ in streams(older(), 3, 1)] for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert len(set(drawn[0])) == 3


def test_linear_algebra_has_one_thread_while_items_are_worked_on():
    """While items are worked on BLAS has one thread, also where an item asks for that itself; then it has its own."""

    def threads():
        return {
            one["num_threads"]
            for one in ThreadpoolController().info()
            if one["user_api"] == "blas"
        }

    def work(_):
        with single_threaded():
            pass
        return threads()

    before = threads()
    assert list(on_threads(work, range(4))) == [{1}] * 4
    assert threads() == before


def test_linear_algebra_that_is_imported_later_has_one_thread_too():
    """SciPy brings a BLAS of its own; it has one thread, also where work went before its import."""
    program = """
from irmeta.parallel import on_threads
from threadpoolctl import ThreadpoolController

list(on_threads(str, range(2)))
import scipy.linalg
threads = lambda _: {one["num_threads"] for one in ThreadpoolController().info() if one["user_api"] == "blas"}
assert list(on_threads(threads, range(2))) == [{1}, {1}]
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_threads_take_turns_quickly_while_items_are_worked_on():
    """While items are worked on a thread waits a tenth of a millisecond for the interpreter; then as before."""
    before = sys.getswitchinterval()

    def work(_):
        return sys.getswitchinterval(), {
            *on_threads(lambda _: sys.getswitchinterval(), range(2))
        }

    inside = pytest.approx(1e-4)
    for own, nested in on_threads(work, range(4)):
        assert own == inside
        assert nested == {own}
    assert sys.getswitchinterval() == before
