import { onchange, state } from './server.js'

// How long a library's changes are gathered before they are shown, in milliseconds; while it is indexed there are many.
const pause = 1000
const pauseWhileIndexing = 5000

// While a photo is looked at, or drawn across, the places of photos stay as they are.
const isBusy = () => document.querySelector('dialog[open], .painting') !== null

// Calls `renew()` when photos came to a library or went, or when what an app may see of it was decided elsewhere, as long as the
// view is open; gives a function that ends it.
export function watch(library, renew, app) {
  const now = () => state.libraries.find(other => other.name === library)
  const grant = () => app && state.grants.find(grant => grant.library === library && grant.app === app && grant.level === 'readWrite')
  const key = () => JSON.stringify([now()?.assets, grant(), app && now()?.offeredTo])
  let seen = key()
  let timer
  let isOver = false
  const look = () => {
    const found = now()
    if (!found || key() === seen || timer) return
    timer = setTimeout(async () => {
      if (!isBusy()) {
        seen = key()
        try { await renew() } catch { /* the banner says that the broker is away */ }
      }
      timer = undefined
      if (!isOver) look()
    }, found.state === 'indexing' ? pauseWhileIndexing : pause)
  }
  const stop = onchange(look)
  return () => { isOver = true; stop(); clearTimeout(timer) }
}
