import { call, libraryNamed, onchange, state } from './server.js'

// Milliseconds for which a library's changes are collected; longer during indexing.
const pause = 1000
const pauseWhileIndexing = 5000

// An open photo or a drag must not have photos move below it.
const isBusy = () => document.querySelector('dialog[open], .painting') !== null

// Calls `renew(isSame)` after a library's visible changes, until ended. `isSame`: the app's rights
// did not change, only the library did.
//
// `options`: `app` also watches this app's grant; `held()` returns the view's revision, undefined
// if it has none yet. Without `held`, the revision at opening or last renewal counts.
//
// Returns `check()`, to be called when the view has loaded; `isSame()`, which asks the broker; and
// `end()`.
export function watch(library, renew, options = {}) {
  const { app } = options
  const now = () => libraryNamed(library)
  // The visible count changes with the library, so it is no change of rights.
  const decided = grant => grant && { ...grant, visible: undefined }
  const rights = (grants = state.grants) => app
    && JSON.stringify([decided(grants.find(grant => grant.library === library && grant.app === app
      && grant.level === 'readWrite')), now()?.offeredTo, now()?.declinedBy])
  let seen = rights(), shown = now()?.revision
  let timer
  let isOver = false
  const held = options.held ?? (() => shown)
  const isOld = () => now() !== undefined && held() !== undefined && (now().revision !== held() || rights() !== seen)
  const check = () => {
    if (isOver || timer || !state.isReachable || !isOld()) return
    timer = setTimeout(async () => {
      if (isOld() && !isBusy()) {
        const present = [rights(), now().revision]
        try {
          await renew(present[0] === seen);
          [seen, shown] = present
        } catch { /* the banner shows an unreachable broker */ }
      }
      timer = undefined
      check()
    }, now().state === 'indexing' ? pauseWhileIndexing : pause)
  }
  const stop = onchange(check)
  const isSame = async () => rights((await call('ListGrants', { library, app })).grants) === seen
  return { check, isSame, end: () => { isOver = true; stop(); clearTimeout(timer) } }
}
