import { thumbnail } from './server.js'

// Pictures by need: what is looked at first comes first, what was scrolled past is not fetched any more, and the latest are kept.
// Browsers open six connections to a server; one waits for changes.
const atOnce = 5
const kept = 1500
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

// Calls `done` with the picture's address, or null. Gives a function that takes the wish back.
export function want(library, asset, pixels, done) {
  const key = keyOf(library, asset, pixels)
  const url = known(library, asset, pixels)
  if (url !== undefined) {
    done(url)
    return () => {}
  }
  const wish = waiting.get(key) ?? running.get(key) ?? { key, library, asset, pixels, listeners: new Set() }
  wish.listeners.add(done)
  if (!running.has(key)) {
    waiting.delete(key)
    waiting.set(key, wish)
  }
  advance()
  return () => {
    wish.listeners.delete(done)
    if (wish.listeners.size === 0) {
      waiting.delete(key)
      wish.abort?.abort()
    }
  }
}

function advance() {
  while (running.size < atOnce && waiting.size > 0) {
    const [key, wish] = waiting.entries().next().value
    waiting.delete(key)
    running.set(key, wish)
    load(wish)
  }
}

async function load(wish) {
  wish.abort = new AbortController()
  let url = null
  try {
    const blob = await thumbnail(wish.library, wish.asset, wish.pixels, wish.abort.signal)
    if (blob) url = URL.createObjectURL(blob)
    keep(wish.key, url)
  } catch { /* taken back, or the server is gone: it is asked for again when it is looked at again */ }
  running.delete(wish.key)
  for (const listener of wish.listeners) listener(url)
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

// Nothing of the photos stays behind a locked page.
export function forgetAll() {
  for (const url of urls.values()) if (url) URL.revokeObjectURL(url)
  urls.clear()
  waiting.clear()
}
