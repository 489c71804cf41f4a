import { state, thumbnail } from './server.js'

// Pictures by need: what is looked at comes first, what was scrolled past is not fetched any more, and the latest are kept.
// Browsers open six connections to a server; one waits for changes, and one is left for what the person does.
const atOnce = 4
const kept = 3000
// What was begun is finished even if nobody wants it any more, because taking it back does not undo the work, unless it takes
// as long as only a storage from afar does.
const patience = 700
// Milliseconds until a picture that could not be fetched is asked for again.
const pause = 1000
// By what they are of and how large: url, null where there is none; version, of the asset, where it was known; revision, which the
// page knew of its library when it was asked for.
const pictures = new Map()
const waiting = new Map()
const running = new Map()

const keyOf = ({ library, asset, pixels }) => `${library}/${asset}/${pixels}`
const revisionOf = library => state.libraries.find(other => other.name === library)?.revision

// The address of a picture if one is here already: perhaps one from before the asset was changed.
export const known = picture => pictures.get(keyOf(picture))?.url

// Calls `done` with a picture's address, or null where there is none. Gives a function that takes the wish back.
//
// `picture`: library; asset; pixels, of its longest edge; version, of the asset, for as long as which it holds: without it, for as long
// as nothing of the library changes. `rank` tells whenever a connection is free how soon it is wanted, the lowest first; Infinity: not
// for now.
export function want(picture, done, rank = () => 0) {
  const key = keyOf(picture), { version } = picture, revision = revisionOf(picture.library)
  const held = pictures.get(key)
  if (held && (version === undefined ? held.revision === revision : held.version === version)) {
    pictures.delete(key)
    pictures.set(key, held)
    done(held.url)
    return () => {}
  }
  // One that was asked for before a change is none of what is there since.
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

// One transparent pixel.
const transparent = Uint8Array.from([71, 73, 70, 56, 57, 97, 1, 0, 1, 0, 128, 0, 0, 0, 0, 0, 0, 0, 0, 33, 249, 4, 1, 0, 0, 0, 0, 44, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 68, 1, 0, 59])
let nothing

// The picture of an asset in an image element, fetched for as long as that is in the page.
export function put(image, picture) {
  let wasThere = false
  // Nothing, rather than a browser's frame for a picture that is missing.
  image.src = known(picture) || (nothing ??= URL.createObjectURL(new Blob([transparent], { type: 'image/gif' })))
  const forget = want(picture, url => { if (url) image.src = url }, () => {
    wasThere ||= image.isConnected
    if (image.isConnected || !wasThere) return 10
    queueMicrotask(forget)
    return Infinity
  })
}

// Ranks have changed.
let isDue = false
export function later() {
  if (isDue) return
  isDue = true
  queueMicrotask(() => { isDue = false; advance() })
}

const runningOf = library => [...running.values()].filter(wish => wish.library === library)

// What is fetched next: of the library that has the fewest under way, since one whose storage stands still must hold up no other's
// pictures; of that one what is wanted soonest.
function next() {
  let first, fewest = Infinity, best = Infinity
  for (const wish of waiting.values()) {
    const under = runningOf(wish.library).length
    for (const rank of wish.listeners.values()) {
      const now = rank()
      if (now < Infinity && (under < fewest || (under === fewest && now < best))) { fewest = under; best = now; first = wish }
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
  // What nobody looks at any more gives its place to what is looked at.
  for (const wish of running.values()) {
    if (performance.now() - wish.since < patience) continue
    for (const rank of wish.listeners.values()) rank()
    if (wish.listeners.size === 0) wish.abort.abort()
  }
}

// What took all connections while no other library's pictures were wanted gives one back once it takes long, the last of them first; it
// is asked for again.
function makeRoom(library) {
  const under = runningOf(library).length
  for (const wish of [...running.values()].reverse()) {
    if (wish.abort.signal.aborted || runningOf(wish.library).length < under + 2 || performance.now() - wish.since < patience) continue
    return wish.abort.abort()
  }
}

async function load(wish) {
  // Whoever waits for it looks again once it takes long.
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
    // Taken back, or the broker is away: whoever still looks at it waits.
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

// Nothing of the photos stays behind a locked page, which stays locked.
let isForgotten = false
export function forgetAll() {
  isForgotten = true
  for (const { url } of pictures.values()) if (url) URL.revokeObjectURL(url)
  pictures.clear()
  waiting.clear()
}
