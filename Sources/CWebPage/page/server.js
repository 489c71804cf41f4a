import { apart } from './names.js'
import { afterPress } from './presses.js'
import { refusalText } from './reasons.js'
import { t, wanted } from './text.js'

// Calls to photobroker-web. The session's secret is sent in one header. A tab gives it to a new tab
// that asks, and to its own storage when it is left, so that a reload finds it. Browsers write that
// storage to the disk; ten seconds later the secret is worth nothing.

const key = 'session'
let session
const tabs = new BroadcastChannel(key)
let locked = () => {}
// Aborts calls when the session ends.
const ended = new AbortController()
// Timeouts in milliseconds: for calls answered at once, and for the wait call, which the server
// holds for 20 seconds at most. `unsaid`: time until the page tells the user about a slow answer.
const patience = { once: 15_000, change: 45_000, unsaid: 5_000 }
const listeners = new Set()
// `isReachable`: the broker answers. `isServed`: the page's server answers; a restarted server has
// no session for this page.
export const state = { version: 0, status: null, prompts: [], libraries: [], apps: [], grants: [], pickers: [],
  deletions: [], rules: [], offers: [], declinedUsers: null, isReachable: true, isServed: true }

export const libraryNamed = name => state.libraries.find(library => library.name === name)

export const owns = library => [library.owner, ...library.coOwners].filter(uid => !library.invited?.includes(uid))
  .includes(state.status?.caller)

// An administrator's rights in a library depend on its owner's settings.
export const sees = library => owns(library) || library.administratorsSee
export const decides = library => owns(library) || library.administratorsDecide

// Only administrators see libraries of others.
export const administers = () => state.libraries.some(library => !owns(library))

// Whether the caller may undo to an earlier status. Only owners restore a denial or an open
// question, only administrators a restriction.
export const setsBack = (library, before) => owns(library) ? !before.startsWith('restricted') || administers()
  : decides(library) && !/^(denied|notDetermined)/.test(before)

// The owner of a library of somebody else: marks, albums, edits and trash are that owner's alone.
// Undefined for the caller's own.
export const othersLibrary = name => {
  const library = libraryNamed(name)
  return library && !owns(library) ? account(library.owner) : undefined
}

// Account names by uid, a hint only: the number is the identity.
const accounts = new Map()

// A user as text: the number, and the account name if known.
export const account = uid => accounts.get(Number(uid)) ? `${uid} (${apart(accounts.get(Number(uid)))})` : String(uid)

// Asks for each user's account name once, without delaying other calls.
async function learnAccounts() {
  const met = [
    state.status?.caller, ...state.apps.map(app => app.uid),
    ...state.libraries.flatMap(library =>
      [library.owner, ...library.coOwners, ...library.offeredTo, ...library.declinedBy]),
    ...state.grants.map(grant => grant.decider), ...state.rules.map(rule => rule.uid),
    ...state.offers.map(offer => offer.owner), ...state.declinedUsers ?? [],
  ]
  const users = [...new Set(met)].filter(uid => Number.isInteger(uid) && !accounts.has(uid)).slice(0, 1000)
  if (users.length === 0) return
  for (const uid of users) accounts.set(uid, undefined)
  try {
    const { names } = await (await post('/accounts', { users }, AbortSignal.timeout(2000))).json()
    for (const [uid, name] of Object.entries(names ?? {})) accounts.set(Number(uid), name)
  } catch { /* numbers alone are shown */ }
}

// The number of a user, typed as a number or an account's name; undefined if there is no such user.
export async function userNamed(name) {
  if (/^\d*$/.test(name)) return name !== '' && Number(name) < 2 ** 32 - 1 ? Number(name) : undefined
  let told
  try { told = await (await post('/accounts', { name }, AbortSignal.timeout(patience.once))).json() } catch {
    throw new Refusal('Unavailable', '')
  }
  if (told.user !== undefined) accounts.set(told.user, name)
  return told.user
}

export class Refusal extends Error {
  constructor(name, message, reason) {
    super(message)
    this.name = name
    this.reason = reason
  }
}

async function post(path, body, signal) {
  if (!session) throw new Error('locked')
  const response = await fetch(path, {
    method: 'POST', signal: signal ? AbortSignal.any([ended.signal, signal]) : ended.signal, cache: 'no-store',
    credentials: 'omit', redirect: 'error',
    headers: { 'Content-Type': 'application/json', 'X-PhotoBroker-Session': session },
    body: JSON.stringify(body),
  })
  if (response.status === 401) end()
  return response
}

// Returns a session of this tab's own for a code, or for the secret of another session.
async function open(body, known) {
  const response = await fetch('/session', {
    method: 'POST', cache: 'no-store', credentials: 'omit', signal: AbortSignal.timeout(patience.once),
    headers: { 'Content-Type': 'application/json', ...known && { 'X-PhotoBroker-Session': known } },
    body: JSON.stringify(body),
  })
  return response.ok ? response.json() : undefined
}

// The secret of another tab; undefined if none answers.
const neighbour = () => new Promise(done => {
  tabs.onmessage = ({ data }) => data.secret && done(data.secret)
  tabs.postMessage({ asks: true })
  setTimeout(done, 500)
})

// Begins a session by the code in the address, which it removes first; else by that of this tab
// before a reload, or of another tab.
export async function begin(onlocked) {
  locked = onlocked
  const code = location.hash.slice(1), isCode = /^[0-9a-f]{64}$/.test(code)
  history.replaceState(null, '', isCode ? '/' : '/' + location.hash)
  const resume = async known => known && open({}, known)
  const kept = sessionStorage.getItem(key)
  sessionStorage.removeItem(key)
  const told = isCode ? await open({ code }) : await resume(kept) || await resume(await neighbour())
  if (!told) return false
  session = told.session
  state.lockSeconds = told.lockSeconds
  tabs.onmessage = ({ data }) => {
    if (data.locks) end()
    else if (data.asks && session) tabs.postMessage({ secret: session })
  }
  // Leaving ends the session soon, so that the server can end, unless this tab loads again. No
  // answer is awaited. A page that the browser keeps must not show its pictures later.
  addEventListener('pagehide', event => {
    if (event.persisted) return end()
    if (!session) return
    sessionStorage.setItem(key, session)
    send('/leave')
  })
  follow()
  return true
}

// Reports user activity, at most every five seconds. The page's own polling does not count.
let touched = 0
export function touch() {
  const now = performance.now()
  if (!session || now - touched < Math.min(5000, state.lockSeconds * 100)) return
  touched = now
  post('/touch', {}).catch(() => {})
}

function send(path) {
  fetch(path, {
    method: 'POST', keepalive: true, body: '{}',
    headers: { 'Content-Type': 'application/json', 'X-PhotoBroker-Session': session },
  }).catch(() => {})
}

// Locks this tab alone.
export function end() {
  if (!session) return
  send('/leave')
  session = undefined
  ended.abort()
  locked()
}

// Locks all tabs, also those that the browser has stopped.
export function lock() {
  if (session) send('/lock')
  tabs.postMessage({ locks: true })
  end()
}

// The number of slow calls, apart from `state`, so that it causes no redraw.
let late = 0
let lateness = () => {}
export const isLate = () => late > 0
export const onlate = listener => { lateness = listener }

export async function call(method, parameters = {}, path = `/call/${method}`) {
  let isWaiting = false
  const tell = change => { late += change; lateness() }
  const timer = setTimeout(() => { isWaiting = true; tell(1) }, patience.unsaid)
  try { return await answer(path, method, parameters) } finally {
    clearTimeout(timer)
    if (isWaiting) tell(-1)
  }
}

// Examines a folder of this machine, by its `path`, or makes it the library `name`. Without a path it
// proposes one.
export const folder = asked => call('folder', asked, '/folder')

// Examines a plugin's file of this machine, by its `path`, or installs it.
export const pluginFile = asked => call('file', asked, '/plugin')

// Fetches all pages of a list; `part` names the list in the answer.
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

// Methods without effect of their own, including drafts.
const changesNothing = method => /^(List|Fetch|Get|Read|Draft)/.test(method)

async function answer(path, method, parameters) {
  const away = new Refusal('Unavailable', '')
  // A call without an answer may have taken effect.
  const lost = changesNothing(method) ? away : new Refusal('Lost', t('outcomeUnknown'))
  let response
  try { response = await post(path, parameters) } catch { throw lost }
  if (response.ok) {
    try { return await response.json() } catch { throw lost }
  }
  const told = await response.json().catch(() => ({}))
  const name = told.error?.split('.').at(-1) ?? (response.status === 503 ? 'Unavailable' : 'Lost')
  // The page has its own message for an unreachable broker.
  throw name === 'Unavailable' ? away : name === 'Lost' ? lost
    : new Refusal(name, refusalText(method, name, told.parameters), told.parameters?.reason?.code)
}

// Makes several calls that belong together, through `run(each)`. If the broker becomes unreachable
// after the first change, the error says "partly done".
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

// Retries while the broker is unreachable. `isOver()`: nobody waits any more.
export async function patiently(ask, isOver) {
  for (;;) {
    try { return await ask() } catch (refusal) {
      if (refusal.name !== 'Unavailable' || !session || isOver()) throw refusal
    }
    await new Promise(done => setTimeout(done, 1000))
  }
}

// A picture as a blob; null if none can be made. Throws if the request fails.
export async function thumbnail(library, asset, maxPixels, signal) {
  const response = await post('/thumbnail', { library, asset, maxPixels }, signal)
  if (response.ok) return response.blob()
  if (response.status === 404) return null
  throw new Refusal('Unavailable', '')
}

export async function preview(library, asset, signal) {
  const response = await post('/preview', { library, asset }, signal)
  return response.ok ? response.blob() : null
}

export function onchange(listener) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

// Browsers allow six connections per server for all windows together. Only two windows hold a wait
// call; others poll, so that connections remain for pictures.
async function look() {
  const body = { version: state.version, language: wanted }
  // The first call is answered at once, and the page needs it to draw.
  if (state.version === 0) return post('/wait', body, AbortSignal.timeout(patience.once))
  for (const turn of [1, 2]) {
    const response = await navigator.locks.request(`wait ${turn}`, { ifAvailable: true },
      held => held && post('/wait', body, AbortSignal.timeout(patience.change)))
    if (response) return response
  }
  await new Promise(done => setTimeout(done, 1000))
  return post('/wait', { ...body, isHasty: true }, AbortSignal.timeout(patience.once))
}

export const tellSoon = () => afterPress(() => { if (session) tell() })

// A view that throws does not count as a connection failure.
function tell() {
  for (const listener of [...listeners]) {
    // A listener may have removed another one.
    if (!listeners.has(listener)) continue
    try { listener() } catch (error) { reportError(error) }
  }
}

// Waits for changes while the page is open, and reconnects to a restarted broker.
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
        for (const part of ['prompts', 'libraries', 'apps', 'grants', 'pickers', 'deletions', 'rules',
          'offers']) if (told[part]) state[part] = told[part][part]
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
