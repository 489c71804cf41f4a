// Guards against presses that were meant for something else: what a list moved under the pointer or the focus, and the second
// half of a double press on what is gone.

// How long what came or moved takes no press, in milliseconds: whoever was about to press something else there sees it first.
export const pause = 500
// How long a press may take that is waited for, in milliseconds.
const held = 1000
// How far a pointer may have moved between the halves of a double press, in pixels.
const near = 12

const controls = 'button, a[href], input, select, summary'
// What writes, or plays by its own keys, repeats them as it likes.
const writes = 'input:not([type=checkbox], [type=radio]), textarea, select, video'

// Elements that the page itself gave the focus to, and when.
const given = new WeakMap()

// Gives the focus to something else than what the person had chosen: it takes no key for a moment.
export function giveFocus(element) {
  element?.focus({ preventScroll: true })
  if (element && document.activeElement === element) given.set(element, performance.now())
}

// What is pressed at an element: a control, which its label is a part of.
const controlAt = element => element.closest('label')?.control ?? element.closest(controls)

// A switch that is drawn anew is the same one.
const nameOf = control => control.matches('[type=checkbox], [type=radio]') && `${control.name} ${control.value} ${control.closest('label')?.textContent}`
const isSame = (one, other) => one === other || (one && other && nameOf(one) && nameOf(one) === nameOf(other))

// Looks at every press of the page before anything else does. `refused()`: one was refused.
export function guardPresses(refused) {
  let last
  const refuse = event => {
    event.preventDefault()
    event.stopImmediatePropagation()
    refused()
  }
  document.addEventListener('click', event => {
    for (const list of lists) list.look()
    const control = controlAt(event.target), now = performance.now()
    if (control?.closest('[aria-disabled="true"]')) return refuse(event)
    // A press by key, or by what reads the page out, has no place.
    if (event.detail === 0) return control && now - (given.get(control) ?? -pause) < pause ? refuse(event) : undefined
    const isSecond = last && now - last.time < pause && Math.hypot(event.clientX - last.x, event.clientY - last.y) < near
    if (control && isSecond && !isSame(control, last.control)) return refuse(event)
    last = { x: event.clientX, y: event.clientY, time: now, control }
  }, true)
  // A key that is held decides nothing: what it would press the second time may be something else.
  document.addEventListener('keydown', event => {
    if (!event.repeat || (event.key !== 'Enter' && event.key !== ' ') || event.target.matches(writes)) return
    event.preventDefault()
    event.stopImmediatePropagation()
  }, true)
}

// When the pointer that is down went down, and what waits for it to be let go of.
let down, next

function catchUp() {
  const run = next
  next = undefined
  run?.()
}

// Runs it once no press is under way: what is drawn anew between the halves of one takes none. A pointer that is held longer than
// one is waited for holds nothing up. Of several, the last is run.
export function afterPress(run) {
  const rest = down === undefined ? 0 : down + held - performance.now()
  if (rest <= 0) return run()
  if (!next) setTimeout(catchUp, rest)
  next = run
}

addEventListener('pointerdown', () => { down = performance.now() }, true)
for (const kind of ['pointerup', 'pointercancel']) addEventListener(kind, () => {
  down = undefined
  // The press itself comes after this, in the same turn.
  if (next) setTimeout(catchUp)
}, true)

// Follows a pointer that is down: `move(event)` until it is let go of, then `end()`, also where nobody says that it was, as when a
// compositor took the pointer.
export function whileHeld(move, end) {
  const over = new AbortController()
  const { signal } = over
  const finish = () => { over.abort(); end() }
  addEventListener('pointermove', event => event.buttons === 0 ? finish() : move(event), { signal })
  for (const kind of ['pointerup', 'pointercancel']) addEventListener(kind, finish, { signal })
}

// Where an element is in the page, however far that is scrolled, and whatever it does to be noticed.
function placeOf(element) {
  let left = 0, top = 0
  for (let at = element; at; at = at.offsetParent) {
    left += at.offsetLeft
    top += at.offsetTop
  }
  return `${left} ${top}`
}

// Those that are shown.
const lists = new Set()

// What goes on by itself: how long ago something was, a number that an app may change as it likes, and what became of an answer.
const passing = 'time, [data-since], [data-passing], [role=status]'

// What a row says, which is what a press in it means. `data-means`: what is said by no words, such as which way a switch goes.
function saying(node) {
  if (node.nodeType === Node.TEXT_NODE) return node.data
  if (node.nodeType !== Node.ELEMENT_NODE || node.matches(passing)) return ''
  return [node.dataset.means, ...[...node.childNodes].map(saying)].filter(Boolean).join(' ')
}

// Rows of a list that come, go, move and become others while somebody is about to press something in one of them: one that came or
// moved, or says something else than before, takes no press at first, neither by pointer nor by key.
//
// `rows()`: those that are there, by what each stands for; a row that is drawn anew at its place in the same words is the same. A
// control with its label may be a row. `buttons`: which of a row's are meant.
export class Steady {
  // Where each row was, and what it said.
  #seen = new Map()
  #timers = new Map()

  constructor(rows, buttons = 'button') {
    this.rows = rows
    this.buttons = buttons
    lists.add(this)
    this.observer = new ResizeObserver(() => this.look())
    // What is shown may be lower than the window, and the body is not.
    for (const element of [document.body, document.getElementById('page')]) this.observer.observe(element)
  }

  // Something may have moved, or become something else.
  look() {
    const seen = new Map()
    for (const [id, row] of this.rows()) {
      const now = `${placeOf(row)} ${saying(row)}`, isOther = this.#seen.get(id) !== now
      seen.set(id, now)
      if (isOther || this.#timers.has(id)) this.#settle(id, row, isOther)
    }
    for (const id of this.#timers.keys()) if (!seen.has(id)) this.#forget(id)
    this.#seen = seen
  }

  // Something else that was over all of them went away.
  settle() { for (const [id, row] of this.rows()) this.#settle(id, row, true) }

  // `isAnew`: from now on; else as long as it does already, whatever was drawn anew.
  #settle(id, row, isAnew) {
    for (const button of this.#pressed(row)) button.setAttribute('aria-disabled', 'true')
    if (!isAnew) return
    this.#forget(id)
    this.#timers.set(id, setTimeout(() => {
      this.#timers.delete(id)
      for (const button of this.#pressed(this.rows().get(id))) button.removeAttribute('aria-disabled')
    }, pause))
  }

  // What is pressed in a row, which may be all of it.
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

// The rows of a list by what their attributes say they stand for.
export const rowsBy = (list, ...keys) => () => new Map([...list.querySelectorAll(`[data-${keys[0]}]`)].map(row => [keys.map(key => row.dataset[key]).join(' '), row]))
