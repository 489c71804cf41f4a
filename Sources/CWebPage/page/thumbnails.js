import { thumbnail } from './server.js'

// Pictures by need: what is looked at comes first, what was scrolled past is not fetched any more, and the latest are kept.
// Browsers open six connections to a server; one waits for changes, and one is left for what the person does.
const atOnce = 4
const kept = 3000
// What was begun is finished even if nobody wants it any more, because taking it back does not undo the work, unless it takes
// as long as only a storage from afar does.
const patience = 700
// Milliseconds until a picture that could not be fetched is asked for again.
const pause = 1000
const urls = new Map()
const waiting = new Map()
const running = new Map()

const keyOf = (library, asset, pixels) => `${library}/${asset}/${pixels}`

// The picture if it is here already.
export function known(library, asset, pixels) {
  const key = keyOf(library, asset, pixels)
  const url = urls.get(key)
  if (url) {
    urls.delete(key)
    urls.set(key, url)
  }
  return url
}

// Calls `done` with the picture's address, or null where there is none. Gives a function that takes the wish back.
//
// `rank` tells whenever a connection is free how soon the picture is wanted, the lowest first; Infinity: not for now.
export function want(library, asset, pixels, done, rank = () => 0) {
  const url = known(library, asset, pixels)
  if (url !== undefined) {
    done(url)
    return () => {}
  }
  const key = keyOf(library, asset, pixels)
  const wish = running.get(key) ?? waiting.get(key) ?? { key, library, asset, pixels, listeners: new Map() }
  wish.listeners.set(done, rank)
  if (!running.has(key)) waiting.set(key, wish)
  later()
  return () => {
    wish.listeners.delete(done)
    if (wish.listeners.size > 0) return
    waiting.delete(key)
    if (wish.since && performance.now() - wish.since > patience) wish.abort.abort()
  }
}

// One transparent pixel.
const transparent = Uint8Array.from([71, 73, 70, 56, 57, 97, 1, 0, 1, 0, 128, 0, 0, 0, 0, 0, 0, 0, 0, 33, 249, 4, 1, 0, 0, 0, 0, 44, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 68, 1, 0, 59])
let nothing

// The picture of an asset in an image element, fetched for as long as that is in the page.
export function put(image, library, asset, pixels) {
  let wasThere = false
  // Nothing, rather than a browser's frame for a picture that is missing.
  image.src = nothing ??= URL.createObjectURL(new Blob([transparent], { type: 'image/gif' }))
  const forget = want(library, asset, pixels, url => { if (url) image.src = url }, () => {
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

function advance() {
  while (running.size < atOnce) {
    let first, best = Infinity
    for (const wish of waiting.values()) {
      for (const rank of wish.listeners.values()) {
        const now = rank()
        if (now < best) { best = now; first = wish }
      }
    }
    if (!first) return
    waiting.delete(first.key)
    running.set(first.key, first)
    load(first)
  }
  // What nobody looks at any more gives its place to what is looked at.
  for (const wish of running.values()) {
    if (performance.now() - wish.since < patience) continue
    for (const rank of wish.listeners.values()) rank()
    if (wish.listeners.size === 0) wish.abort.abort()
  }
}

async function load(wish) {
  wish.abort = new AbortController()
  wish.since = performance.now()
  try {
    const blob = await thumbnail(wish.library, wish.asset, wish.pixels, wish.abort.signal)
    if (isForgotten) return
    const url = blob && URL.createObjectURL(blob)
    keep(wish.key, url)
    for (const listener of wish.listeners.keys()) listener(url)
    wish.listeners.clear()
  } catch {
    // Taken back, or the broker is away: whoever still looks at it waits.
    if (!wish.abort.signal.aborted) await new Promise(done => setTimeout(done, pause))
  }
  running.delete(wish.key)
  wish.since = undefined
  if (wish.listeners.size > 0) waiting.set(wish.key, wish)
  advance()
}

function keep(key, url) {
  urls.set(key, url)
  while (urls.size > kept) {
    const [oldest, address] = urls.entries().next().value
    urls.delete(oldest)
    if (address) URL.revokeObjectURL(address)
  }
}

// Nothing of the photos stays behind a locked page, which stays locked.
let isForgotten = false
export function forgetAll() {
  isForgotten = true
  for (const url of urls.values()) if (url) URL.revokeObjectURL(url)
  urls.clear()
  waiting.clear()
}
