// Reloads page parts that failed to load, for instance on a busy machine, at most three times. The
// script uses the code in the address only once it runs, so the whole page reloads without it.
// Stylesheets can load while it runs.
const most = 3
let looks = 0
addEventListener('error', event => {
  const part = event.target
  if (part.localName === 'link' && part.rel === 'stylesheet'
    && looks < most) setTimeout(() => part.replaceWith(part.cloneNode()), 500 * (looks += 1))
  const loads = history.state?.loads ?? 0
  if (part.localName !== 'script' || loads === most) return
  setTimeout(() => {
    history.replaceState({ loads: loads + 1 }, '')
    location.reload()
  }, 500 * (loads + 1))
}, true)
