"""The keyboard's focus on the page."""

from .person import wait_for


def has_focus(locator):
    return locator.evaluate("e => e === document.activeElement")


def tab_to(window, locator, key="Tab"):
    """Press Tab until the control, which is there by then, has the focus; wait until it is enabled."""
    locator.first.wait_for(state="attached")
    for _ in range(60):
        if locator.count() and has_focus(locator.first):
            return wait_for(lambda: locator.first.is_enabled(), "it to take an answer")
        window.keyboard.press(key)
    raise AssertionError(
        f"no way by {key} to {locator}; the focus is on "
        f"{window.evaluate('() => document.activeElement.outerHTML.slice(0, 200)')}"
    )


def is_focus_visible(window):
    """Return whether the focused element has a visible focus mark."""
    return window.evaluate("""() => {
      const at = document.activeElement, style = getComputedStyle(at)
      if (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1) return true
      const around = at.closest('.search, .choice, .switch'), current = at.querySelector?.('.current')
      if (around && getComputedStyle(around).outlineStyle !== 'none') return true
      return current !== null && current !== undefined
        && getComputedStyle(current, '::after').borderTopStyle === 'solid'
    }""")
