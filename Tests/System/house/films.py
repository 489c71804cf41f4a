"""A library with the videos of the photographs beside the checkout."""

import os

import pytest


# The file and its duration in seconds.
VIDEOS = {
    "portrait.mp4": ("video/sample_portrait.mp4", 1.089),
    "slow.mp4": ("video/sample_android_slow_motion.mp4", 0.526),
    "colour.mp4": ("video/sample_with_color_info.mp4", 0.298),
    "hdr.mov": ("video/dolbyVision-hdr.MOV", 0.107),
    "motion-jpeg.mov": ("video/P1000244.MOV", 5),
    "small.webm": ("video/small.webm", 5.568),
    "film.mkv": ("video/video_mkv.mkv", 13.699),
    "turned.mp4": ("video/video_rotate.mp4", 13.667),
    "old.3gp": ("video/hello.3gp", 1.5),
    "old.avi": ("video/hello.avi", 1.5),
}


@pytest.fixture
def films(scene, photographs):
    if not photographs:
        pytest.skip("../shared/photos is not there")
    if not scene.house.has_media:
        assert not os.environ.get("CI"), "photobroker-media was not built"
        pytest.skip("photobroker-media was not built")
    for number, (name, (path, _)) in enumerate(VIDEOS.items()):
        scene.album.put(name, (photographs / path).read_bytes(), 1_760_000_000 + number)
    scene.owner.wait_for_library(scene.library, 6 + len(VIDEOS))
    return scene
