// Fetches again what did not come, as on a machine that is too busy to bring all of the page: a few times. Without one of its
// modules nothing runs, and nobody has taken the code in the address yet, so the page loads again; then stays what it says until
// it starts. How the page looks can come while it runs.
const most = 3
let looks = 0
addEventListener('error', event => {
  const part = event.target
  if (part.localName === 'link' && part.rel === 'stylesheet' && looks < most) setTimeout(() => part.replaceWith(part.cloneNode()), 500 * (looks += 1))
  const loads = history.state?.loads ?? 0
  if (part.localName !== 'script' || loads === most) return
  setTimeout(() => {
    if (!/^#[0-9a-f]{64}$/.test(location.hash)) return
    history.replaceState({ loads: loads + 1 }, '')
    location.reload()
  }, 500 * (loads + 1))
}, true)
