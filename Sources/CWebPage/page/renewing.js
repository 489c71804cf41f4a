import { call, onchange, state } from './server.js'

// How long a library's changes are gathered before they are shown, in milliseconds; while it is indexed there are many.
const pause = 1000
const pauseWhileIndexing = 5000

// While a photo is looked at, or drawn across, the places of photos stay as they are.
const isBusy = () => document.querySelector('dialog[open], .painting') !== null

// Calls `renew(isSame)` when something of a library changed that its owner can see, as long as the view is open. `isSame`: what the
// app may see was not decided anew, so that nothing but the library changed.
//
// `options`: app: also when what this app may see was decided elsewhere; held(): the library's revision that the view shows,
// undefined while it has none yet. Without it the view is taken to show what the page knew when it was opened or last renewed.
// Gives `look()`, for when the view has arrived; `isSame()`: whether nothing was decided anew since, as the broker says now and not
// only as the page knows; and `end()`.
export function watch(library, renew, options = {}) {
  const { app } = options
  const now = () => state.libraries.find(other => other.name === library)
  // How many the app sees changes with the library, and is nothing that was decided.
  const decided = grant => grant && { ...grant, visible: undefined }
  const rights = (grants = state.grants) => app && JSON.stringify([decided(grants.find(grant => grant.library === library && grant.app === app && grant.level === 'readWrite')), now()?.offeredTo, now()?.declinedBy])
  let seen = rights(), shown = now()?.revision
  let timer
  let isOver = false
  const held = options.held ?? (() => shown)
  const isOld = () => now() !== undefined && held() !== undefined && (now().revision !== held() || rights() !== seen)
  const look = () => {
    if (isOver || timer || !state.isReachable || !isOld()) return
    timer = setTimeout(async () => {
      if (isOld() && !isBusy()) {
        const present = [rights(), now().revision]
        try {
          await renew(present[0] === seen);
          [seen, shown] = present
        } catch { /* the banner says that the broker is away */ }
      }
      timer = undefined
      look()
    }, now().state === 'indexing' ? pauseWhileIndexing : pause)
  }
  const stop = onchange(look)
  const isSame = async () => rights((await call('ListGrants', { library, app })).grants) === seen
  return { look, isSame, end: () => { isOver = true; stop(); clearTimeout(timer) } }
}
