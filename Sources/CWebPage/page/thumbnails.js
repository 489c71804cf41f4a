import { h } from './dom.js'
import { libraryNamed, thumbnail } from './server.js'

// Loads pictures by priority, drops those scrolled past, and caches the latest. Browsers open six
// connections per server: one waits for changes, one stays free for the user's calls.
const atOnce = 4
const kept = 3000
// Milliseconds after which an unwanted request is aborted. Before that it is completed, because the
// server's work is done anyway; only slow storages take longer.
const patience = 700
// Milliseconds before a failed picture is retried.
const pause = 1000
// Pictures by library, asset and size: `url` or null; the asset's `version`, if known; the
// library's `revision` at the request.
const pictures = new Map()
const waiting = new Map()
const running = new Map()

const keyOf = ({ library, asset, pixels }) => `${library}/${asset}/${pixels}`
const revisionOf = library => libraryNamed(library)?.revision

// A cached picture's address, perhaps from before a change.
export const cached = picture => pictures.get(keyOf(picture))?.url

// Loads a picture and calls `done` with its address, or null if there is none. Returns a function
// that cancels.
//
// `picture`: `library`; `asset`; `pixels` of the longest edge; `version` of the asset, for which
// the cache is valid. Without a version the library's revision decides. `rank()` returns the
// priority, lowest first; Infinity postpones.
export function want(picture, done, rank = () => 0) {
  const key = keyOf(picture), { version } = picture, revision = revisionOf(picture.library)
  const held = pictures.get(key)
  if (held && (version === undefined ? held.revision === revision : held.version === version)) {
    pictures.delete(key)
    pictures.set(key, held)
    done(held.url)
    return () => {}
  }
  // A request from before a change does not answer for the new state.
  const name = `${key} ${version ?? `as of ${revision}`}`
  const wish = running.get(name) ?? waiting.get(name) ?? { ...picture, key, name, listeners: new Map() }
  wish.listeners.set(done, rank)
  if (!running.has(name)) waiting.set(name, wish)
  later()
  return () => {
    wish.listeners.delete(done)
    if (wish.listeners.size > 0) return
    waiting.delete(name)
    if (wish.since && performance.now() - wish.since > patience) wish.abort.abort()
  }
}

const transparent = Uint8Array.from([71, 73, 70, 56, 57, 97, 1, 0, 1, 0, 128, 0, 0, 0, 0, 0, 0, 0, 0, 33, 249, 4, 1, 0,
  0, 0, 0, 44, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 68, 1, 0, 59])
let nothing

// An image element, whose picture is loaded while it is in the page.
export function pictureElement(picture, alt = '') {
  const image = h('img', { alt })
  let wasThere = false
  // A transparent pixel instead of the browser's broken-image frame.
  image.src = cached(picture) || (nothing ??= URL.createObjectURL(new Blob([transparent], { type: 'image/gif' })))
  const forget = want(picture, url => { if (url) image.src = url }, () => {
    wasThere ||= image.isConnected
    if (image.isConnected || !wasThere) return 10
    queueMicrotask(forget)
    return Infinity
  })
  return image
}

// Schedules a new look at the priorities.
let isDue = false
export function later() {
  if (isDue) return
  isDue = true
  queueMicrotask(() => { isDue = false; advance() })
}

const runningOf = library => [...running.values()].filter(wish => wish.library === library)

// The next picture: from the library with the fewest requests, so that one slow storage does not
// block others; then by priority.
function next() {
  let first, fewest = Infinity, best = Infinity
  for (const wish of waiting.values()) {
    const under = runningOf(wish.library).length
    for (const rank of wish.listeners.values()) {
      const now = rank()
      if (now < Infinity
        && (under < fewest || (under === fewest && now < best))) { fewest = under; best = now; first = wish }
    }
  }
  return first
}

function advance() {
  let first
  while ((first = next()) && running.size < atOnce) {
    waiting.delete(first.name)
    running.set(first.name, first)
    load(first)
  }
  if (first) makeRoom(first.library)
  // Slow requests that nobody needs any more free their connection.
  for (const wish of running.values()) {
    if (performance.now() - wish.since < patience) continue
    for (const rank of wish.listeners.values()) rank()
    if (wish.listeners.size === 0) wish.abort.abort()
  }
}

// Aborts one slow request of a library that uses too many connections, latest first; it is retried.
function makeRoom(library) {
  const under = runningOf(library).length
  for (const wish of [...running.values()].reverse()) {
    if (wish.abort.signal.aborted || runningOf(wish.library).length < under + 2
      || performance.now() - wish.since < patience) continue
    return wish.abort.abort()
  }
}

async function load(wish) {
  setTimeout(later, patience + 1)
  wish.abort = new AbortController()
  wish.since = performance.now()
  const revision = revisionOf(wish.library)
  try {
    const blob = await thumbnail(wish.library, wish.asset, wish.pixels, wish.abort.signal)
    if (isForgotten) return
    const url = blob && URL.createObjectURL(blob)
    keep(wish.key, { url, version: wish.version, revision })
    for (const listener of wish.listeners.keys()) listener(url)
    wish.listeners.clear()
  } catch {
    // A failed request waits before its retry; a cancelled one does not.
    if (!wish.abort.signal.aborted) await new Promise(done => setTimeout(done, pause))
  }
  running.delete(wish.name)
  wish.since = undefined
  if (wish.listeners.size > 0) waiting.set(wish.name, wish)
  advance()
}

function keep(key, picture) {
  const before = pictures.get(key)?.url
  if (before) URL.revokeObjectURL(before)
  pictures.delete(key)
  pictures.set(key, picture)
  while (pictures.size > kept) {
    const [oldest, { url }] = pictures.entries().next().value
    pictures.delete(oldest)
    if (url) URL.revokeObjectURL(url)
  }
}

// Removes all pictures from a locked page.
let isForgotten = false
export function forgetAll() {
  isForgotten = true
  for (const { url } of pictures.values()) if (url) URL.revokeObjectURL(url)
  pictures.clear()
  waiting.clear()
}

export const pictureElements = (library, assets) => assets.map(({ identifier, version, filename }) =>
  pictureElement({ library, asset: identifier, version, pixels: 320 }, filename))
