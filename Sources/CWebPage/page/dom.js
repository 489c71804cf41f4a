import { icon } from './icons.js'
import { balanced } from './names.js'
import { giveFocus } from './presses.js'
import { t } from './text.js'

// Builds elements. Text becomes text nodes only: names and captions come from files and apps.

export function h(tag, properties, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
    else if (name === 'class') element.className = value
    else if (['value', 'checked', 'disabled', 'hidden', 'open'].includes(name)) element[name] = value
    else element.setAttribute(name, value === true ? '' : balanced(String(value)))
  }
  element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false)
    .map(balanced))
  return element
}

// A name from elsewhere, isolated so that it cannot reorder the words around it. A long one is
// shortened, with the full text as its tooltip.
const longName = 80
export const name = text => text.length > longName ? h('bdi', { class: 'name long', title: text }, text)
  : h('bdi', { class: 'name' }, text)

// The text of a key with an element, or several, in the place of {app}.
export function textAround(element, key, values = {}) {
  const [before, after] = t(key, { ...values, app: '\u0000' }).split('\u0000')
  return [before, element, after ?? '']
}

// A link to a view of this page.
export const link = (go, path, properties, ...children) =>
  h('a', { href: `#${path}`, ...properties, onclick: event => { event.preventDefault(); go(path) } }, children)

// The note in the place of an empty list.
export const emptyNote = (picture, title, ...content) =>
  h('div', { class: 'empty' }, h('div', { class: 'empty-picture' }, icon(picture)), h('h2', {}, title), content)

// A group of buttons, one of which is pressed: `entries` are keys with texts.
export function tabs(label, entries, pressed, choose) {
  const press = key => event => {
    for (const button of buttons) button.setAttribute('aria-pressed', String(button === event.currentTarget))
    choose(key)
  }
  const buttons = entries.map(([key, ...text]) =>
    h('button', { class: 'tab', 'aria-pressed': String(key === pressed), onclick: press(key) }, text))
  return h('div', { class: 'tabs', role: 'group', 'aria-label': label }, buttons)
}

// A switch with its title and text. `means`: its position as decided, which guards presses.
export const toggle = (properties, title, text, means = properties.checked) =>
  h('label', { class: 'switch' }, h('input', { type: 'checkbox', role: 'switch', ...properties }),
    h('span', { 'data-means': String(means) }, h('strong', {}, title), h('span', { class: 'quiet' }, text)))

export function selectLine(label, text, value, options, choose) {
  const option = ([key, words]) => {
    const element = h('option', { value: key }, words)
    element.selected = String(key) === String(value)
    return element
  }
  return h('label', { class: 'line' }, h('span', {}, h('strong', {}, label), h('span', { class: 'quiet' }, text)),
    h('select', { class: 'field', onkeydown: unfold, onchange: event => choose(event.target.value) },
      options.map(option)))
}

// Opens a closed select on a key press, which would otherwise change its value at once. Browsers
// without `showPicker` keep their own behaviour.
function unfold(event) {
  const isOther = event.ctrlKey || event.altKey || event.metaKey || !/^(Arrow|Page|Home$|End$|.$)/u.test(event.key)
  if (!event.target.showPicker || isOther) return
  event.preventDefault()
  event.target.showPicker()
}

export const inTerminal = (text, ...commands) =>
  h('p', { class: 'quiet terminal' }, text, commands.map(command => [' ', h('code', {}, command)]))

export function show(place, ...content) {
  place.replaceChildren(...content.flat(Infinity).filter(Boolean))
  return place
}

// Announcements and toasts belong to the page. A modal dialog makes the rest of the page inert, so
// they move into the open dialog.
const layer = document.getElementById('layer')
const announcer = document.getElementById('announcer')
const toasts = document.body.appendChild(h('section', { class: 'toasts', 'aria-label': t('messages') }))

function bringForward() {
  const place = front() ?? document.body
  for (const element of [announcer, toasts]) if (element.parentNode !== place) place.append(element)
}

const ends = new Map()

// Opens a dialog. `end()` is called when it closes, or when its view ends.
export function enter(element, end) {
  ends.set(element, end)
  element.addEventListener('close', () => leave(element))
  layer.append(element)
  element.showModal()
  // The focus is on the buttons at the bottom, but the text is read first.
  element.scrollTop = 0
}

// The topmost open dialog.
export const front = () => [...layer.querySelectorAll('dialog[open]')].at(-1)

// Closes one dialog, or all, and calls its end handler.
export function leave(dialog) {
  for (const element of dialog ? [dialog] : [...ends.keys()]) {
    const end = ends.get(element)
    ends.delete(element)
    element.remove()
    end?.()
  }
  bringForward()
}

// A locked page shows no more messages, even from calls under way.
let isSilent = false
export function silence() {
  isSilent = true
  leave()
  clearTimeout(announcement)
  announcer.textContent = ''
  toasts.replaceChildren()
}

let announcement
export function announce(text) {
  if (isSilent) return
  clearTimeout(announcement)
  announcer.textContent = ''
  bringForward()
  announcement = setTimeout(() => { announcer.textContent = text }, 60)
}

export function focusHeading() {
  const heading = document.querySelector('.place h1')
  heading?.setAttribute('tabindex', '-1')
  giveFocus(heading)
}

// A key for a control, from its label and place, which a redraw does not change.
function addressOf(control) {
  const words = control.getAttribute('aria-label')
    ?? (control.closest('label')?.querySelector('strong') ?? control).textContent
  const parts = [control.localName, control.type, control.type === 'radio' && control.value, words]
  for (let at = control; at; at = at.parentElement) {
    parts.push(at.getAttribute('aria-label'), at.getAttribute('aria-labelledby'), { ...at.dataset })
  }
  return JSON.stringify(parts)
}

// The controls in some places, by their keys, for `RowGuard`; each with its label element.
export const controlsIn = (places, kinds) => () =>
  new Map(places.flatMap(place => [...place.querySelectorAll(kinds)])
    .map(control => [addressOf(control), control.closest('label') ?? control]))

// Restores the keyboard focus when its element is removed or disabled. Views that know a better
// place set it themselves; this handles the rest.
export function keepFocus() {
  let last
  const isLost = () => document.activeElement === document.body || document.activeElement === null
  const canTake = element => element.isConnected && !element.disabled && element.getClientRects().length > 0
  document.addEventListener('focusin', event => {
    const around = []
    for (let at = event.target.parentElement; at; at = at.parentElement) around.push(at)
    last = { element: event.target, around, address: addressOf(event.target) }
  })
  // A user who blurs an element does not want the focus back.
  document.addEventListener('focusout', event => setTimeout(() => {
    if (isLost() && last?.element === event.target && canTake(event.target)) last = undefined
  }))
  const giveBack = () => {
    if (!last || !isLost()) return
    if (last.element.isConnected && last.element.disabled) return
    if (canTake(last.element)) return last.element.focus({ preventScroll: true })
    const near = last.around.find(element => element.isConnected && element.closest('.place > *, dialog'))
    const controls = near ? [...near.querySelectorAll('button, a[href], input, select')].filter(canTake) : []
    const same = controls.filter(control => addressOf(control) === last.address)
    if (same.length === 1) return same[0].focus({ preventScroll: true })
    const [next] = controls
    if (next) giveFocus(next)
    else focusHeading()
  }
  let isDue = false
  new MutationObserver(() => {
    if (isDue || !last || !isLost()) return
    isDue = true
    setTimeout(() => { isDue = false; giveBack() })
  }).observe(document.body, { subtree: true, childList: true, attributeFilter: ['disabled', 'hidden'] })
}

// Opens a modal dialog. `body(close)` returns its content. Resolves to the value given to `close`,
// or undefined if the view ended.
export function dialog(title, body, options = {}) {
  if (isSilent) return Promise.resolve()
  return new Promise(resolve => {
    const before = document.activeElement
    let result
    const close = value => { result = value; element.close() }
    const heading = `dialog-${Math.random().toString(36).slice(2)}`
    const element = h('dialog', { class: `dialog ${options.class ?? ''}`, 'aria-labelledby': heading },
      h('h2', { id: heading }, title), body(close))
    element.addEventListener('click', event => { if (event.target === element) close() })
    // Scrolls an error message into view, in dialogs longer than the window.
    for (const status of element.querySelectorAll('.status')) {
      new MutationObserver(() => status.scrollIntoView({ block: 'nearest' })).observe(status, { childList: true })
    }
    enter(element, () => {
      if (before?.isConnected) before.focus?.()
      else focusHeading()
      resolve(result)
    })
  })
}

// Asks a question. Resolves to true if it is answered by the button `answer`, which takes no press
// for `rest` milliseconds. `opened(close)` is called when the dialog is open.
export function ask(title, answer, content, { look = 'primary', back = 'back', rest = 0, opened } = {}) {
  return dialog(title, close => {
    opened?.(close)
    const button = h('button', { class: look, 'aria-disabled': rest > 0 && 'true', onclick: () => close(true) },
      t(answer))
    if (rest > 0) setTimeout(() => button.removeAttribute('aria-disabled'), rest)
    return [content, h('div', { class: 'actions' },
      h('button', { class: 'plain', onclick: () => close(false) }, t(back)), button)]
  })
}

// The text of a failed call.
export const failureText = refusal => refusal.message || t('unreachable')

// Shows an error at its place, or as a toast if that place is gone.
export function tellProblem(place, text) {
  place.textContent = text
  if (!place.isConnected) toast(text)
}

// Ignores calls while an earlier one is under way.
export function once(run) {
  let isUnderWay = false
  return async (...parameters) => {
    if (isUnderWay) return
    isUnderWay = true
    try { await run(...parameters) } finally { isUnderWay = false }
  }
}

// A key that moves between a toast's button and the previous focus.
const toastKey = 'F6'
let leftFor
addEventListener('keydown', event => {
  const button = toasts.querySelector('button')
  if (event.key !== toastKey || !button || event.ctrlKey || event.altKey || event.metaKey) return
  event.preventDefault()
  if (document.activeElement === button) return giveFocus(leftFor?.isConnected ? leftFor
    : document.querySelector('.place h1'))
  leftFor = document.activeElement
  button.focus()
})

// After a key press on the button, returns to the previous focus.
function returnFrom(button) {
  if (document.activeElement === button && leftFor?.isConnected) giveFocus(leftFor)
  leftFor = undefined
}

export const isTelling = () => toasts.querySelector('button') !== null

// Shows a toast for `lasting` milliseconds. Returns its element.
export function toast(text, action, lasting = 8000) {
  if (isSilent) return undefined
  bringForward()
  const element = h('div', { class: 'toast' }, h('span', {}, text),
    action && [h('button',
      { class: 'link', 'aria-keyshortcuts': toastKey,
        onclick: event => { if (event.detail === 0) returnFrom(event.currentTarget); element.remove(); action.run() } },
      action.label), h('kbd', { 'aria-hidden': 'true' }, toastKey)])
  toasts.replaceChildren(element)
  announce(action ? t('toastWithKey', { text: text.replace(/\.$/, ''), action: action.label, key: toastKey }) : text)
  // A toast stays while its button has the focus: keyboard users need longer.
  const end = () => element.contains(document.activeElement) ? setTimeout(end, 1000) : element.remove()
  setTimeout(end, lasting)
  return element
}

export const toastFailure = refusal => toast(failureText(refusal))
