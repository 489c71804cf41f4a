import { afterPress } from './presses.js'
import { apart } from './names.js'
import { refusalText } from './refusals.js'
import { t, wanted } from './text.js'

// What the page asks of photobroker-web. The session's secret lives in this module's memory and goes out in one header.

let session
let locked = () => {}
// What is under way ends with the session.
const ended = new AbortController()
// How long the browser's own program may take for what it answers at once, and for what it keeps until something changes, which
// is 20 seconds at most; in milliseconds. `unsaid`: how long anybody waits for an answer before they are told that they do.
const patience = { once: 15_000, change: 45_000, unsaid: 5_000 }
const listeners = new Set()
// `isReachable`: the broker answers; `isServed`: the program behind the page does, which is another one once it was started anew.
export const state = { version: 0, status: null, prompts: [], libraries: [], apps: [], grants: [], pickers: [], rules: [], offers: [], declinedUsers: null, isReachable: true, isServed: true }

export const owns = library => [library.owner, ...library.coOwners].filter(uid => !library.invited?.includes(uid)).includes(state.status?.caller)

// Administrators see that a library is there; its photos, and to decide who may see them, only where its owner lets them.
export const sees = library => owns(library) || library.administratorsSee
export const decides = library => owns(library) || library.administratorsDecide

// Others' libraries are listed for administrators alone.
export const administers = () => state.libraries.some(library => !owns(library))

// Whether the caller may set access back to what it was before: whether nobody was asked yet, and a denial, are its owner's alone,
// what is restricted an administrator's.
export const setsBack = (library, before) => owns(library) ? !before.startsWith('restricted') || administers()
  : decides(library) && !/^(denied|notDetermined)/.test(before)

// By its name: who owns it where that is somebody else, whose marks, albums, edits and trash it is.
export const othersLibrary = name => {
  const library = state.libraries.find(other => other.name === name)
  return library && !owns(library) ? account(library.owner) : undefined
}

// What this machine calls users, by number; a hint beside the number, which is what counts.
const accounts = new Map()

// A user, as people are told of one.
export const account = uid => accounts.get(Number(uid)) ? `${uid} (${apart(accounts.get(Number(uid)))})` : String(uid)

// Asks once for each user that there is to do with. A machine that is slow to say keeps nothing else waiting.
async function learnAccounts() {
  const met = [
    state.status?.caller, ...state.apps.map(app => app.uid), ...state.libraries.flatMap(library => [library.owner, ...library.coOwners, ...library.offeredTo, ...library.declinedBy]),
    ...state.grants.map(grant => grant.decider), ...state.rules.map(rule => rule.uid), ...state.offers.map(offer => offer.owner), ...state.declinedUsers ?? [],
  ]
  const users = [...new Set(met)].filter(uid => Number.isInteger(uid) && !accounts.has(uid)).slice(0, 1000)
  if (users.length === 0) return
  for (const uid of users) accounts.set(uid, undefined)
  try {
    const { names } = await (await post('/accounts', { users }, AbortSignal.timeout(2000))).json()
    for (const [uid, name] of Object.entries(names ?? {})) accounts.set(Number(uid), name)
  } catch { /* the numbers are there */ }
}

export class Refusal extends Error {
  constructor(name, message) {
    super(message)
    this.name = name
  }
}

async function post(path, body, signal) {
  if (!session) throw new Error('locked')
  const response = await fetch(path, {
    method: 'POST', signal: signal ? AbortSignal.any([ended.signal, signal]) : ended.signal, cache: 'no-store', credentials: 'omit', redirect: 'error',
    headers: { 'Content-Type': 'application/json', 'X-PhotoBroker-Session': session },
    body: JSON.stringify(body),
  })
  if (response.status === 401) lock()
  return response
}

// Trades the code of the address for a session. The address forgets it first.
export async function begin(onlocked) {
  locked = onlocked
  const code = location.hash.slice(1)
  history.replaceState(null, '', '/')
  if (!/^[0-9a-f]{64}$/.test(code)) return false
  const response = await fetch('/session', {
    method: 'POST', cache: 'no-store', credentials: 'omit', signal: AbortSignal.timeout(patience.once),
    headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ code }),
  })
  if (!response.ok) return false
  const told = await response.json()
  session = told.session
  state.lockSeconds = told.lockSeconds
  // A window that is closed is locked, so that the program behind it can end; it gets no answer any more.
  addEventListener('pagehide', () => lock())
  follow()
  return true
}

// Somebody is there. What the page asks does not say that, since it asks by itself too. Told at most every five seconds.
let touched = 0
export function touch() {
  const now = performance.now()
  if (!session || now - touched < Math.min(5000, state.lockSeconds * 100)) return
  touched = now
  post('/touch', {}).catch(() => {})
}

export function lock() {
  if (!session) return
  const secret = session
  session = undefined
  fetch('/lock', { method: 'POST', keepalive: true, headers: { 'Content-Type': 'application/json', 'X-PhotoBroker-Session': secret }, body: '{}' }).catch(() => {})
  ended.abort()
  locked()
}

// Whether answers take long, told apart from what there is to show: nothing is drawn anew for it.
let late = 0
let lateness = () => {}
export const isLate = () => late > 0
export const onlate = listener => { lateness = listener }

// Calls a method of io.photobroker.Admin.
export async function call(method, parameters = {}) {
  let isWaiting = false
  const tell = change => { late += change; lateness() }
  const timer = setTimeout(() => { isWaiting = true; tell(1) }, patience.unsaid)
  try { return await answer(method, parameters) } finally {
    clearTimeout(timer)
    if (isWaiting) tell(-1)
  }
}

// All of a list that is answered in pages; `part`: what the answers call it.
export async function listed(method, part, parameters = {}) {
  const found = []
  let cursor
  do {
    const page = await call(method, { ...parameters, cursor })
    found.push(...page[part])
    cursor = page.cursor
  } while (cursor)
  return found
}

// Methods that only tell something, and that put together what takes effect by another one.
const changesNothing = method => /^(List|Fetch|Get|Read|Draft)/.test(method)

async function answer(method, parameters) {
  const away = new Refusal('Unavailable', '')
  // What was sent may have been done, though its answer never came, or came from somebody else than who does it.
  const lost = changesNothing(method) ? away : new Refusal('Lost', t('outcomeUnknown'))
  let response
  try { response = await post(`/call/${method}`, parameters) } catch { throw lost }
  if (response.ok) {
    try { return await response.json() } catch { throw lost }
  }
  const told = await response.json().catch(() => ({}))
  const name = told.error?.split('.').at(-1) ?? (response.status === 503 ? 'Unavailable' : 'Lost')
  // That the broker is away, the page says in words of its own.
  throw name === 'Unavailable' ? away : name === 'Lost' ? lost : new Refusal(name, refusalText(method, name, told.parameters))
}

// Calls that are one thing to whoever asked for it: `run(each)` makes them, by what is given to it. Where the broker is away after some
// of them, that nothing was changed is not true.
export async function callEach(run) {
  let isBegun = false
  const each = async (method, parameters) => {
    const answer = await call(method, parameters)
    isBegun ||= !changesNothing(method)
    return answer
  }
  try { return await run(each) } catch (refusal) {
    throw isBegun && refusal.name === 'Unavailable' ? new Refusal(refusal.name, t('partlyDone')) : refusal
  }
}

// Asks until there is an answer, for what a view cannot be without: a broker that is away comes back. `isOver()`: nobody waits for it.
export async function patiently(ask, isOver) {
  for (;;) {
    try { return await ask() } catch (refusal) {
      if (refusal.name !== 'Unavailable' || !session || isOver()) throw refusal
    }
    await new Promise(done => setTimeout(done, 1000))
  }
}

// A picture's bytes as a blob; null where none can be made. Throws where it could not be asked for.
export async function thumbnail(library, asset, maxPixels, signal) {
  const response = await post('/thumbnail', { library, asset, maxPixels }, signal)
  if (response.ok) return response.blob()
  if (response.status === 404) return null
  throw new Refusal('Unavailable', '')
}

// The beginning of a video as a blob; null where there is none.
export async function preview(library, asset, signal) {
  const response = await post('/preview', { library, asset }, signal)
  return response.ok ? response.blob() : null
}

export function onchange(listener) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

// Browsers open six connections to a server for all windows together. Two windows wait for changes, the others look now and
// then, so that some are left for pictures.
async function look() {
  const body = { version: state.version, language: wanted }
  // The first is answered at once, and nothing is shown before.
  if (state.version === 0) return post('/wait', body, AbortSignal.timeout(patience.once))
  for (const turn of [1, 2]) {
    const response = await navigator.locks.request(`wait ${turn}`, { ifAvailable: true }, held => held && post('/wait', body, AbortSignal.timeout(patience.change)))
    if (response) return response
  }
  await new Promise(done => setTimeout(done, 1000))
  return post('/wait', { ...body, isHasty: true }, AbortSignal.timeout(patience.once))
}

const tellSoon = () => afterPress(() => { if (session) tell() })

// A view that fails to draw itself says nothing of whether the broker is there.
function tell() {
  for (const listener of [...listeners]) {
    // One may have ended another.
    if (!listeners.has(listener)) continue
    try { listener() } catch (error) { reportError(error) }
  }
}

// Waits for changes of the broker for as long as the page is open; a broker that restarts is found again.
async function follow() {
  while (session) {
    let isServed = true
    try {
      const response = await look().catch(error => {
        isServed = false
        throw error
      })
      if (!response.ok) throw new Error()
      const told = await response.json()
      const isReachable = told.status !== null
      if (told.version !== state.version || isReachable !== state.isReachable || !state.isServed) {
        state.version = told.version
        state.isReachable = isReachable
        state.isServed = true
        for (const part of ['prompts', 'libraries', 'apps', 'grants', 'pickers', 'rules', 'offers']) if (told[part]) state[part] = told[part][part]
        if (told.offers) state.declinedUsers = told.offers.declinedUsers ?? null
        state.status = told.status ?? state.status
        await learnAccounts()
        tellSoon()
      }
    } catch {
      if (!session) return
      if (state.isReachable || state.isServed !== isServed) {
        state.isReachable = false
        state.isServed = isServed
        tellSoon()
      }
      await new Promise(done => setTimeout(done, 1000))
    }
  }
}
