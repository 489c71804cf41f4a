import { onchange, state } from './server.js'

// How long a library's changes are gathered before they are shown, in milliseconds; while it is indexed there are many.
const pause = 1000
const pauseWhileIndexing = 5000

// While a photo is looked at, or drawn across, the places of photos stay as they are.
const isBusy = () => document.querySelector('dialog[open], .painting') !== null

// Calls `renew()` when photos came to a library or went, as long as the view is open; gives a function that ends it.
export function watch(library, renew) {
  const now = () => state.libraries.find(other => other.name === library)
  let seen = now()?.assets
  let timer
  let isOver = false
  const look = () => {
    const found = now()
    if (!found || found.assets === seen || timer) return
    timer = setTimeout(async () => {
      if (!isBusy()) {
        seen = now()?.assets
        try { await renew() } catch { /* the banner says that the broker is away */ }
      }
      timer = undefined
      if (!isOver) look()
    }, found.state === 'indexing' ? pauseWhileIndexing : pause)
  }
  const stop = onchange(look)
  return () => { isOver = true; stop(); clearTimeout(timer) }
}
