"""Thumbnails of one library while another library's do not come."""

import json

from house.broker import Album
from house.person import wait_for


def test_R129_pictures_of_a_stalled_library_delay_no_others(scene, page):
    near = f"near-{scene.owner.uid}"
    album = Album(scene.house, near, scene.owner.uid)
    album.fill(6)
    scene.owner.add_library(near, album.folder, [scene.app.uid], 6)
    window = page.open_window()
    held = []

    def way(route):
        if json.loads(route.request.post_data)["library"] == scene.library:
            held.append(route)
        else:
            route.continue_()

    window.route("**/thumbnail", way)
    window.get_by_role("link", name="Libraries").click()
    card = window.get_by_role("article", name=near)
    drawn = "images => images.filter(image => image.naturalWidth > 1).length"
    wait_for(
        lambda: window.wait_for_timeout(50) or card.locator("img").evaluate_all(drawn) == 6,
        "the pictures of the other library",
        10,
    )
    assert len(held) >= 2 and window.get_by_role("article", name=scene.library).locator("img").evaluate_all(drawn) == 0
    assert window.problems == []
