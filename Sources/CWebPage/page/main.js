import { activity } from './activity.js'
import { picking, promptSelection } from './answerPages.js'
import { app, appSelection } from './app.js'
import { apps } from './apps.js'
import { announce, front, h, isTelling, keepFocus, leave, show, silence, toast } from './dom.js'
import { icon } from './icons.js'
import { appOf } from './identity.js'
import { libraries } from './libraries.js'
import { apart } from './names.js'
import { notify } from './notices.js'
import { waitingOffers } from './offers.js'
import { photos } from './photos.js'
import { guardPresses } from './presses.js'
import { requests } from './requests.js'
import { begin, end, isLate, lock, onchange, onlate, state, touch } from './server.js'
import { language, t } from './text.js'
import { forgetAll } from './thumbnails.js'
import { trash } from './trash.js'

document.documentElement.lang = language
keepFocus()
guardPresses(() => toast(t('justMoved')))

const page = document.getElementById('page')
let view, shown, place, nav, banner, turns = 0, isOpening = false

const routes = [
  [/^\/$/, (place, go) => requests(place, go)],
  [/^\/prompt\/(\w+)$/, (place, go, id) => promptSelection(place, go, id)],
  [/^\/picker\/(\w+)$/, (place, go, id) => picking(place, go, id)],
  [/^\/apps$/, (place, go) => apps(place, go)],
  [/^\/app\/(?<app>\w+)\/(?<library>[\w-]+)$/, (place, go, id, library) => app(place, go, id, library)],
  [/^\/app\/(?<app>\w+)\/(?<library>[\w-]+)\/select$/,
    (place, go, id, library) => appSelection(place, go, id, library)],
  [/^\/app\/(?<app>\w+)\/(?<library>[\w-]+)\/sees$/, (place, go, id, library) => photos(place, go, library, id)],
  [/^\/activity$/, (place, go) => activity(place, go)],
  [/^\/activity\/decisions$/, (place, go) => activity(place, go, 'decisions')],
  [/^\/libraries$/, (place, go) => libraries(place, go)],
  [/^\/photos\/(?<library>[\w-]+)$/, (place, go, library) => photos(place, go, library)],
  [/^\/trash\/(?<library>[\w-]+)$/, (place, go, library) => trash(place, go, library)],
]

function go(path) {
  // A redirect replaces its history entry, so that Back does not return to it.
  if (location.pathname + location.hash !== '/#' + path) history[isOpening ? 'replaceState' : 'pushState'](null, '',
    '/#' + path)
  open()
}

// The page and message for a link whose library or app does not exist.
const missing = ({ library, app } = {}) =>
  library && !state.libraries.some(other => other.name === library) ? ['/libraries', 'refused.NotFound.library']
  : app && !appOf(app) ? ['/apps', 'refused.NotFound.app'] : undefined

function open() {
  const path = location.hash.slice(1) || '/'
  const [pattern, make] = routes.find(([pattern]) => pattern.test(path)) ?? routes[0]
  const found = pattern.exec(path)
  view?.end()
  leave()
  place.replaceChildren()
  scrollTo(0, 0)
  view = undefined
  const turn = turns += 1
  isOpening = true
  try {
    const elsewhere = missing(found?.groups)
    if (elsewhere) {
      toast(t(elsewhere[1]))
      return go(elsewhere[0])
    }
    // A view that the user has left cannot navigate any more.
    const made = make(place, path => { if (turn === turns) go(path) }, ...(found?.slice(1) ?? []))
    // The view redirected to another one while it was made.
    if (turn !== turns) return made.end()
    view = made
    shown = path
  } finally { isOpening = false }
  place.classList.toggle('wide', view.isWide ?? false)
  nav.hidden = view.isWide ?? false
  tell()
  if (!view.isWide) {
    const heading = place.querySelector('h1')
    heading?.setAttribute('tabindex', '-1')
    heading?.focus({ preventScroll: true })
  }
  follow()
}

// Handles the browser's Back and Forward. An open dialog closes first; unsaved changes are asked
// about.
async function travel() {
  const here = view
  const over = front()
  if (!over && !here?.isUnsaved?.()) return open()
  history.pushState(null, '', '/#' + shown)
  if (over) return over.close()
  if (await here.mayLeave() && view === here) history.back()
}

const items = [['/', 'requests', 'requests'], ['/apps', 'apps', 'apps'], ['/activity', 'activity', 'activity'],
  ['/libraries', 'libraries', 'libraries']]

function shell() {
  place = h('div', { class: 'place' })
  banner = h('p', { class: 'banner', role: 'status', hidden: true })
  nav = h('header', { class: 'top' },
    h('a', { class: 'brand', href: '#/', onclick: event => { event.preventDefault(); go('/') } },
      h('img', { src: '/icon.svg', alt: '' }), 'PhotoBroker'),
    h('nav', { 'aria-label': t('mainNavigation') },
      items.map(([path, key, picture]) =>
        h('a', { href: '#' + path, 'data-path': path, onclick: event => { event.preventDefault(); go(path) } },
          icon(picture), h('span', {}, t(key)), h('span', { class: 'badge' })))),
    h('button', { class: 'round', 'aria-label': t('lock'), title: t('lock'), onclick: lock }, icon('lock')))
  show(page, banner, nav, place)
  // The focus must not scroll under the bars at the page's edges.
  const room = edge => edge.offsetHeight > 0 ? `${edge.offsetHeight + 8}px` : ''
  const edges = new ResizeObserver(() => {
    const { style } = document.documentElement
    style.scrollPaddingTop = room(nav)
    style.scrollPaddingBottom = room(banner)
  })
  for (const edge of [nav, banner]) edges.observe(edge)
}

function tell() {
  const path = location.hash.slice(1) || '/'
  for (const link of nav.querySelectorAll('nav a')) {
    const own = link.dataset.path
    const isHere = own === '/' ? path === '/' : path.startsWith(own) || (own === '/apps' && path.startsWith('/app/'))
      || (own === '/libraries' && (['/photos/', '/trash/'].some(start => path.startsWith(start))))
    if (isHere) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
  const waiting = state.prompts.length + state.pickers.length + state.deletions.length
  tellCount('/', waiting, 'waiting')
  tellCount('/libraries', waitingOffers(), 'offersWaiting')
  const here = place.querySelector('h1')?.textContent
  document.title = [waiting > 0 && `(${waiting})`, here && apart(here), here && '–', 'PhotoBroker'].filter(Boolean)
    .join(' ')
  tellWaiting()
  tellNew()
}

function tellCount(path, n, words) {
  const badge = nav.querySelector(`[data-path="${path}"] .badge`)
  badge.textContent = n ? String(n) : ''
  badge.setAttribute('aria-label', n ? t(words, { n }) : '')
}

// Notifies of new questions, and announces them on pages that do not show them. If the header with its badge is hidden,
// shows a toast with a link.
const asked = new Set()
let later
function tellNew() {
  clearTimeout(later)
  const waiting = [...state.prompts.map(prompt => [prompt.prompt, prompt.app]),
    ...state.pickers.map(picker => [picker.picker, picker.app]),
    ...state.deletions.map(({ deletion, app }) => [deletion, app])]
  const news = waiting.filter(([id]) => !asked.has(id))
  for (const id of asked) if (!waiting.some(([other]) => other === id)) asked.delete(id)
  const isShown = shown === '/'
  // A toast with an Undo button may be showing: wait until it ends.
  if (!isShown && news.length > 0 && nav.hidden && isTelling()) {
    later = setTimeout(tellNew, 1000)
    return
  }
  for (const [id] of news) asked.add(id)
  if (news.length === 0) return
  const [[, app]] = news
  const words = news.length > 1 ? t('waiting', { n: waiting.length })
    : t('asksNow', { app: app.displayName || app.identifier })
  notify(words)
  if (isShown) return
  if (nav.hidden) toast(words, { label: t('requests'), run: () => leaveFor('/') })
  else announce(words)
}

async function leaveFor(path) {
  const here = view
  if (!here?.isUnsaved?.() || (await here.mayLeave() && view === here)) go(path)
}

function tellWaiting() {
  const words = !state.isServed ? t('pageAway') : !state.isReachable ? t('brokerAway') : isLate() ? t('brokerLate') : ''
  banner.hidden = words === ''
  if (banner.textContent !== words) banner.textContent = words
  // The banner stands above the bar with Save, not over it.
  banner.style.bottom = `${place.querySelector('.chooser-foot:not([hidden])')?.offsetHeight ?? 0}px`
}

function follow() {
  const { library } = view ?? {}
  if (!library || state.libraries.some(other => other.name === library)) return
  go('/libraries')
  toast(t('libraryGone', { library }))
}

function locked() {
  view?.end()
  // Ends all navigation, also by calls under way and by the Back button.
  turns += 1
  removeEventListener('popstate', travel)
  view = undefined
  clearTimeout(later)
  silence()
  forgetAll()
  document.title = 'PhotoBroker'
  show(page,
    h('main', { class: 'locked' }, h('img', { src: '/icon.svg', alt: '' }), h('h1', {}, t('lockedTitle')),
      h('p', {}, t('lockedText')), h('code', {}, 'photobroker open')))
}

async function start() {
  if (!await begin(locked).catch(() => false)) return locked()
  const told = onchange(() => {
    told()
    shell()
    onchange(tell)
    onchange(follow)
    onlate(tellWaiting)
    addEventListener('popstate', travel)
    // Closing or reloading a window loses the selection, so the browser asks.
    addEventListener('beforeunload', event => { if (view?.isUnsaved?.()) event.preventDefault() })
    open()
  })
  let touched = Date.now(), warning
  for (const kind of ['pointerdown', 'pointermove', 'keydown', 'wheel']) addEventListener(kind,
    () => { touched = Date.now(); warning?.remove(); touch() }, { passive: true })
  // Locks an idle page, after a warning. The server ends the session anyway, but only the page can
  // remove its pictures from the screen.
  setInterval(() => {
    const left = touched + state.lockSeconds * 1000 - Date.now()
    if (left < 0) end()
    else if (left < Math.min(60_000, state.lockSeconds * 500)
      && !warning?.isConnected) warning = toast(t(view?.isUnsaved?.() ? 'locksSoonUnsaved' : 'locksSoon'), undefined,
      left)
  }, Math.min(5000, state.lockSeconds * 250))
}

start()
