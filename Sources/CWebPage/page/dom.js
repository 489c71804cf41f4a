import { balanced } from './names.js'
import { giveFocus } from './presses.js'
import { t } from './text.js'

// Builds elements. Text becomes text nodes and nothing else: names and captions come from files and apps.

export function h(tag, properties, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
    else if (name === 'class') element.className = value
    else if (name === 'value' || name === 'checked' || name === 'disabled' || name === 'hidden' || name === 'open') element[name] = value
    else element.setAttribute(name, value === true ? '' : balanced(String(value)))
  }
  element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false).map(balanced))
  return element
}

// A name that somebody else chose: kept from reordering the words around it.
// A very long one shows its beginning, and all of it to whoever points at it.
const longName = 80
export const name = text => text.length > longName ? h('bdi', { class: 'name long', title: text }, text) : h('bdi', { class: 'name' }, text)

// What has to be done in a terminal.
export const inTerminal = (text, ...commands) => h('p', { class: 'quiet terminal' }, text, commands.map(command => [' ', h('code', {}, command)]))

export function show(place, ...content) {
  place.replaceChildren(...content.flat(Infinity).filter(Boolean))
  return place
}

// What tells of the whole page: a line that is read out, and words at the bottom. An open dialog leaves nothing outside of it to
// be heard or pressed, so it holds them as long as it is there.
const layer = document.getElementById('layer')
const announcer = document.getElementById('announcer')
const toasts = document.body.appendChild(h('section', { class: 'toasts', 'aria-label': t('messages') }))

function bringForward() {
  const place = front() ?? document.body
  for (const element of [announcer, toasts]) if (element.parentNode !== place) place.append(element)
}

// What each dialog ends with.
const ends = new Map()

// Opens a dialog over the page. `end()`: it was closed, or all of the view that opened it is over.
export function enter(element, end) {
  ends.set(element, end)
  element.addEventListener('close', () => leave(element))
  layer.append(element)
  element.showModal()
  // The focus is at the buttons; what they are about is read first.
  element.scrollTop = 0
}

// The dialog that is open, the uppermost of several.
export const front = () => [...layer.querySelectorAll('dialog[open]')].at(-1)

// Takes away one dialog, or all of them, with what each began.
export function leave(dialog) {
  for (const element of dialog ? [dialog] : [...ends.keys()]) {
    const end = ends.get(element)
    ends.delete(element)
    element.remove()
    end?.()
  }
  bringForward()
}

// A page that was locked says nothing any more, whatever was still under way.
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

// Where the focus goes when what had it is gone.
export function focusHeading() {
  const heading = document.querySelector('.place h1')
  heading?.setAttribute('tabindex', '-1')
  giveFocus(heading)
}

// What a control is called, and where it stands: one that is drawn anew is the same by it.
function addressOf(control) {
  const words = control.getAttribute('aria-label') ?? (control.closest('label')?.querySelector('strong') ?? control).textContent
  const parts = [control.localName, control.type, control.type === 'radio' && control.value, words]
  for (let at = control; at; at = at.parentElement) parts.push(at.getAttribute('aria-label'), at.getAttribute('aria-labelledby'), { ...at.dataset })
  return JSON.stringify(parts)
}

// Controls in some places by what each is called and where it stands, with the label that it is pressed by, for a Steady.
export const controlsIn = (places, kinds) => () =>
  new Map(places.flatMap(place => [...place.querySelectorAll(kinds)]).map(control => [addressOf(control), control.closest('label') ?? control]))

// Whoever goes by the keyboard is not sent back to the page's beginning when what had the focus goes or takes no answer for a while.
// What draws anew gives the focus back where it knows to whom; this is for everything else.
export function keepFocus() {
  let last
  const isLost = () => document.activeElement === document.body || document.activeElement === null
  const canTake = element => element.isConnected && !element.disabled && element.getClientRects().length > 0
  document.addEventListener('focusin', event => {
    const around = []
    for (let at = event.target.parentElement; at; at = at.parentElement) around.push(at)
    last = { element: event.target, around, address: addressOf(event.target) }
  })
  // Whoever leaves it by themselves does not want it back.
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
  }).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['disabled', 'hidden'] })
}

// A dialog over the page. `body(close)` gives its content; the promise holds what it was closed with, nothing where the view that
// asked is over.
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
    // What went wrong is said where it is seen, also where the dialog is longer than the window.
    for (const status of element.querySelectorAll('.status')) new MutationObserver(() => status.scrollIntoView({ block: 'nearest' })).observe(status, { childList: true })
    enter(element, () => {
      if (before?.isConnected) before.focus?.()
      else focusHeading()
      resolve(result)
    })
  })
}

// What went wrong, where it was begun, and over the page where that is gone by now.
export function tellProblem(place, text) {
  place.textContent = text
  if (!place.isConnected) toast(text)
}

// One at a time: what is asked for again while it is under way is not done twice.
export function once(run) {
  let isUnderWay = false
  return async (...parameters) => {
    if (isUnderWay) return
    isUnderWay = true
    try { await run(...parameters) } finally { isUnderWay = false }
  }
}

// Leads to the button beside what was just said, from wherever somebody is, and back there.
const toastKey = 'F6'
let leftFor
addEventListener('keydown', event => {
  const button = toasts.querySelector('button')
  if (event.key !== toastKey || !button || event.ctrlKey || event.altKey || event.metaKey) return
  event.preventDefault()
  if (document.activeElement === button) return giveFocus(leftFor?.isConnected ? leftFor : document.querySelector('.place h1'))
  leftFor = document.activeElement
  button.focus()
})

// Whoever pressed it by a key goes on where they were.
function returnFrom(button) {
  if (document.activeElement === button && leftFor?.isConnected) giveFocus(leftFor)
  leftFor = undefined
}

// Whether words stand there that somebody may be about to answer.
export const isTelling = () => toasts.querySelector('button') !== null

// Words at the bottom, for so many milliseconds. Gives what shows them.
export function toast(text, action, lasting = 8000) {
  if (isSilent) return undefined
  bringForward()
  const element = h('div', { class: 'toast' }, h('span', {}, text),
    action && [h('button', { class: 'link', 'aria-keyshortcuts': toastKey, onclick: event => { if (event.detail === 0) returnFrom(event.currentTarget); element.remove(); action.run() } }, action.label), h('kbd', { 'aria-hidden': 'true' }, toastKey)])
  toasts.replaceChildren(element)
  announce(action ? t('toastWithKey', { text: text.replace(/\.$/, ''), action: action.label, key: toastKey }) : text)
  // As long as its button has the focus it stays: whoever goes by the keyboard needs longer to get there, and to press it.
  const end = () => element.contains(document.activeElement) ? setTimeout(end, 1000) : element.remove()
  setTimeout(end, lasting)
  return element
}
