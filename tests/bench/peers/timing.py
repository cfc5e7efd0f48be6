# SPDX-License-Identifier: Apache-2.0
"""Contenders timed in turns, each in a process of its own, and ratios with intervals."""

import multiprocessing
import os
import signal
import time

import numpy as np

TURN = 0.06  # seconds that a turn takes at least
STARTS = 3  # of each contender: where its pages lie is a matter of chance, up to a tenth of its speed


class Contender:
    """A process that makes a call ready (`make` gives run(count), in seconds) and waits for its turns.

    Between turns it is stopped, so that threads of it that spin take nothing from the others.
    """

    def __init__(self, make):
        self.pipe, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=self._serve, args=(make, theirs))
        self.process.start()
        theirs.close()  # so that the end of the process is seen
        self.error = self._answer()
        self.count = 1
        if not self.error:
            once = min(self.turn(), self.turn())
            self.count = max(1, int(TURN / max(once, 1e-7)))

    @staticmethod
    def _serve(make, pipe):
        try:
            run = make()
            pipe.send("" if run else "the library refuses it")
            while run and (count := pipe.recv()):
                run(max(1, count // 10))
                pipe.send(run(count) / count)
        except Exception as error:  # whatever a library throws is its answer
            pipe.send(str(error) or type(error).__name__)

    def _answer(self):
        try:
            return self.pipe.recv()
        except EOFError:
            self.process.join()
            return f"its process ended with {self.process.exitcode}"

    def turn(self):
        """Seconds of one call."""
        os.kill(self.process.pid, signal.SIGCONT)
        self.pipe.send(self.count)
        answer = self._answer()
        if isinstance(answer, str):
            raise RuntimeError(answer)
        os.kill(self.process.pid, signal.SIGSTOP)
        return answer

    def end(self):
        self.process.kill()
        self.process.join()


def timed(run):
    """A function of Python as the calls of native are: so many times, in seconds."""

    def seconds(count):
        begin = time.perf_counter()
        for _ in range(count):
            run()
        return time.perf_counter() - begin

    return seconds


def in_turns(makers, rounds):
    """Seconds of one call in each round, for {name: make}; and why others were not timed, {name: reason}."""
    starts = min(STARTS, rounds)
    times, refused = {}, {}
    for start in range(starts):
        part = rounds * (start + 1) // starts - rounds * start // starts
        able = {name: make for name, make in makers.items() if name not in refused}
        some, reasons = in_turns_once(able, part)
        refused |= reasons
        for name, each in some.items():
            times.setdefault(name, []).extend(each)
    return {name: np.array(each) for name, each in times.items() if name not in refused}, refused


def in_turns_once(makers, rounds):
    """The same of contenders that are started once."""
    contenders = {name: Contender(make) for name, make in makers.items()}
    try:
        able = {name: each for name, each in contenders.items() if not each.error}
        times = {name: [] for name in able}
        for _ in range(rounds):
            for name, each in able.items():
                times[name].append(each.turn())
    finally:
        for each in contenders.values():
            each.end()
    refused = {name: each.error for name, each in contenders.items() if each.error}
    return times, refused


def ratio(ours, theirs, resamples=2000):
    """How many times as fast: the median of theirs / ours by rounds, and its 95 % bootstrap interval."""
    pairs = theirs / ours
    random = np.random.default_rng(1)
    medians = np.median(random.choice(pairs, (resamples, len(pairs))), axis=1)
    return float(np.median(pairs)), *np.percentile(medians, [2.5, 97.5])
