"""What happens in time: captions that can be read, and flashes, each broken and put right."""

from __future__ import annotations

import numpy as np
import pytest

from attnviz.looks.captions import reading_time
from attnviz.looks.flashes import MOST, FlashMeter
from attnviz.scene import Beat

FPS = 30


@pytest.mark.parametrize(("seconds", "fails"), [(1.9, True), (2.0, False), (5.0, False)])
def test_a_caption_stays_as_long_as_it_takes_to_read(seconds, fails):
    beat = Beat("b", "", "thirty letters make two seconds", "", "show", 10.0, 10.5, 10.0 + seconds * 31 / 30, [])
    found = reading_time(beat)
    assert found.fails is fails and found.limit == pytest.approx(31 / 15)


def flashes(frames: list[np.ndarray], repeat: int = 1) -> int:
    meter = FlashMeter(FPS)
    for frame in frames:
        meter.take(frame, repeat)
    return meter.most


def blinking(a_second: int, *, low: float = 0.0, high: float = 1.0, area: float = 1.0, seconds: int = 2) -> int:
    half = FPS // (2 * a_second)
    on = np.full((9, 16), low)
    on.reshape(-1)[: round(area * on.size)] = high
    frames = [on if frame // half % 2 else np.full((9, 16), low) for frame in range(FPS * seconds)]
    return flashes(frames)


def test_five_flashes_a_second_are_counted_and_three_are_allowed():
    assert blinking(5) == 5 > MOST
    assert blinking(3) == 3


def test_what_is_no_flash():
    assert blinking(5, high=0.09) == 0  # too little change
    assert blinking(5, low=0.8, high=1.0) == 0  # nothing dark
    assert blinking(5, area=0.2) == 0  # too small
    assert blinking(5, area=0.3) == 5
    ramp = [np.full((9, 16), share) for share in np.linspace(0, 1, 2 * FPS)]
    assert flashes(ramp) == 0 and flashes(ramp + ramp[::-1]) <= 1


def test_slow_turns_of_many_small_steps_are_one_change():
    wave = [np.full((9, 16), 0.5 + 0.4 * np.sin(2 * np.pi * 5 * frame / FPS)) for frame in range(3 * FPS)]
    assert flashes(wave) == 5


def test_parts_that_flash_in_turn_are_not_one_large_flash():
    frames = []
    for frame in range(2 * FPS):
        part = np.zeros((10, 10))
        part[(frame // 3) % 10] = 1.0  # one tenth of the frame at a time
        frames.append(part)
    assert flashes(frames) <= 1


def test_frames_that_stand_still_let_the_second_pass():
    meter = FlashMeter(FPS)
    for _ in range(8):
        meter.take(np.zeros((9, 16)), 12)
        meter.take(np.ones((9, 16)), 12)
    assert meter.most == 1
    assert 0 < meter.at <= 16 * 12 / FPS
