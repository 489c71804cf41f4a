"""The page's grid over a library of any size."""

from .person import wait_for


# Returns the visible photos by position, and those with a wrong or missing picture.
VISIBLE = r"""() => {
  const box = document.querySelector('.grid').getBoundingClientRect()
  const seen = [], wrong = []
  for (const tile of document.querySelectorAll('.grid .tile')) {
    const at = tile.getBoundingClientRect()
    if (at.bottom <= box.top || at.top >= box.bottom) continue
    seen.push([Number(tile.dataset.at),
      (tile.getAttribute('aria-label') ?? '').split(', ').find(part => /\.\w{3,4}$/.test(part))])
    if (!tile.classList.contains('loaded') || tile.classList.contains('blank')
      || !tile.querySelector('img')?.naturalWidth) wrong.push(tile.id)
  }
  return [seen.sort((a, b) => a[0] - b[0]), wrong]
}"""


SETTLED = f"() => {{ const [seen, wrong] = ({VISIBLE})(); return seen.length > 0 && wrong.length === 0 && seen }}"


def wait_for_pictures(window):
    """Wait until every visible photo has its picture; return positions and names, without a gap."""
    seen = window.wait_for_function(SETTLED, polling=100).json_value()
    assert [at for at, _ in seen] == list(range(seen[0][0], seen[-1][0] + 1))
    return seen


def click_timeline(window, part):
    """Click beside the timeline at this fraction of its height."""
    box = window.get_by_role("slider").bounding_box()
    window.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] * part)


def selected_count(window):
    return int(window.locator(".chooser-foot strong").inner_text().split()[0].replace(",", ""))


def wait_for_photos(window, count):
    # A long timeout: a busy machine is slow here, and the test does not measure it.
    wait_for(lambda: window.locator(f".tile[aria-setsize='{count}']").count(), f"{count} photos", 120)


def tile(window, place):
    return window.locator(f"#tile-{place}")
