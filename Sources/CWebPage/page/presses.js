// Protects against presses meant for something else: after a list moved under the pointer or focus,
// and on the second half of a double press.

// Milliseconds for which a new or moved control takes no press, so that the user sees it first.
export const pause = 500
// The same where a press may give access to photos.
export const rest = 1000
// Milliseconds for which a redraw waits for a held pointer.
const held = 1000
// Pixels between the two halves of a double press at most.
const near = 12

const controls = 'button, a[href], input, select, summary'
// Text fields and players handle repeated keys themselves.
const writes = 'input:not([type=checkbox], [type=radio]), textarea, select, video'

// Elements that the page focused, and the time.
const given = new WeakMap()

// Moves the focus to an element that the user did not choose; it ignores keys for a moment.
export function giveFocus(element) {
  element?.focus({ preventScroll: true })
  if (element && document.activeElement === element) given.set(element, performance.now())
}

const controlAt = element => element.closest('label')?.control ?? element.closest(controls)

// A redrawn switch counts as the same one.
const nameOf = control => control.matches('[type=checkbox], [type=radio]')
  && `${control.name} ${control.value} ${control.closest('label')?.textContent}`
const isSame = (one, other) => one === other || (one && other && nameOf(one) && nameOf(one) === nameOf(other))

// Checks every press of the page first. Calls `refused()` for each one it stops.
export function guardPresses(refused) {
  let last
  const refuse = event => {
    event.preventDefault()
    event.stopImmediatePropagation()
    refused()
  }
  document.addEventListener('click', event => {
    for (const list of lists) list.check()
    const control = controlAt(event.target), now = performance.now()
    if (control?.closest('[aria-disabled="true"]')) return refuse(event)
    // Presses by key or screen reader have no position.
    if (event.detail === 0) return control && now - (given.get(control) ?? -pause) < pause ? refuse(event) : undefined
    const isSecond = last && now - last.time < pause
      && Math.hypot(event.clientX - last.x, event.clientY - last.y) < near
    if (control && isSecond && !isSame(control, last.control)) return refuse(event)
    last = { x: event.clientX, y: event.clientY, time: now, control }
  }, true)
  // A list of choices opens or changes before any click.
  for (const kind of ['mousedown', 'keydown']) document.addEventListener(kind, event => {
    if (event.key !== 'Tab' && event.target.closest?.('select')?.closest('[aria-disabled="true"]')) refuse(event)
  }, true)
  // Repeats of a held key press nothing: the focus may have moved to another control.
  document.addEventListener('keydown', event => {
    if (!event.repeat || (event.key !== 'Enter' && event.key !== ' ') || event.target.matches(writes)) return
    event.preventDefault()
    event.stopImmediatePropagation()
  }, true)
}

// The time of the current pointer press, and the function that waits for its end.
let down, next

function catchUp() {
  const run = next
  next = undefined
  run?.()
}

// Runs a function once no press is under way, because a redraw inside a press loses the click.
// Waits at most `held` milliseconds. Only the last function given runs.
export function afterPress(run) {
  const rest = down === undefined ? 0 : down + held - performance.now()
  if (rest <= 0) return run()
  if (!next) setTimeout(catchUp, rest)
  next = run
}

addEventListener('pointerdown', () => { down = performance.now() }, true)
for (const kind of ['pointerup', 'pointercancel']) addEventListener(kind, () => {
  down = undefined
  // The click event follows in the same turn of the event loop.
  if (next) setTimeout(catchUp)
}, true)

// Follows a pressed pointer: calls `move(event)` until release, then `end()`. A move without a
// pressed button ends it too: a compositor may have taken the pointer.
export function whileHeld(move, end) {
  const over = new AbortController()
  const { signal } = over
  const finish = () => { over.abort(); end() }
  addEventListener('pointermove', event => event.buttons === 0 ? finish() : move(event), { signal })
  for (const kind of ['pointerup', 'pointercancel']) addEventListener(kind, finish, { signal })
}

// The position of an element in the page, without scrolling and transforms.
function placeOf(element) {
  let left = 0, top = 0
  for (let at = element; at; at = at.offsetParent) {
    left += at.offsetLeft
    top += at.offsetTop
  }
  return `${left} ${top}`
}

const lists = new Set()

// Text that updates by itself and does not change a press's meaning: times, counts and status
// messages.
const passing = 'time, [data-since], [data-passing], [role=status]'

// The meaning of a row as text. `data-means` adds meaning without words, such as a switch's
// position.
function saying(node) {
  if (node.nodeType === Node.TEXT_NODE) return node.data
  if (node.nodeType !== Node.ELEMENT_NODE || node.matches(passing)) return ''
  return [node.dataset.means, ...[...node.childNodes].map(saying)].filter(Boolean).join(' ')
}

// Guards a list whose rows change by themselves. A row that is new, moved, or has another text
// takes no press or key for a moment.
//
// `rows()` returns the rows by key; a redrawn row with the same place and text counts as the same.
// A labelled control may be a row. `buttons` selects the guarded controls, which rest for `rest`
// milliseconds.
export class RowGuard {
  // Each row's last position and text.
  #seen = new Map()
  #timers = new Map()

  constructor(rows, buttons = 'button', rest = pause) {
    this.rows = rows
    this.buttons = buttons
    this.rest = rest
    lists.add(this)
    this.observer = new ResizeObserver(() => this.check())
    // The page can be taller than the body, so both are observed.
    for (const element of [document.body, document.getElementById('page')]) this.observer.observe(element)
  }

  // Compares the rows with their last state.
  check() {
    const seen = new Map()
    for (const [id, row] of this.rows()) {
      const now = `${placeOf(row)} ${saying(row)}`, isOther = this.#seen.get(id) !== now
      seen.set(id, now)
      if (isOther || this.#timers.has(id)) this.#settle(id, row, isOther)
    }
    for (const id of this.#timers.keys()) if (!seen.has(id)) this.#forget(id)
    this.#seen = seen
  }

  // Call this when an overlay above the list has closed.
  settle() { for (const [id, row] of this.rows()) this.#settle(id, row, true) }

  // Disables a row. `isAnew` restarts its time; otherwise only the redrawn buttons are disabled.
  #settle(id, row, isAnew) {
    for (const button of this.#pressed(row)) button.setAttribute('aria-disabled', 'true')
    if (!isAnew) return
    this.#forget(id)
    this.#timers.set(id, setTimeout(() => {
      this.#timers.delete(id)
      for (const button of this.#pressed(this.rows().get(id))) button.removeAttribute('aria-disabled')
    }, this.rest))
  }

  // The row's controls; the row may be one itself.
  #pressed(row) { return row?.matches(this.buttons) ? [row] : row?.querySelectorAll(this.buttons) ?? [] }

  #forget(id) {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
  }

  end() {
    lists.delete(this)
    this.observer.disconnect()
    for (const id of [...this.#timers.keys()]) this.#forget(id)
  }
}

// Returns a function that finds a list's rows, keyed by data attributes.
export const rowsBy = (list, ...keys) => () =>
  new Map([...list.querySelectorAll(`[data-${keys[0]}]`)]
    .map(row => [keys.map(key => row.dataset[key]).join(' '), row]))
