// Loads the page again where a part of it did not come, as on a machine that is too busy to bring all of them: without each of them
// nothing runs, and nobody has taken the code in the address yet. A few times; then stays what the page says until it starts.
addEventListener('error', event => {
  const tries = history.state?.tries ?? 0
  if (!event.target.matches?.('script, link[rel=stylesheet]') || tries === 3) return
  setTimeout(() => {
    if (!/^#[0-9a-f]{64}$/.test(location.hash)) return
    history.replaceState({ tries: tries + 1 }, '')
    location.reload()
  }, 500 * (tries + 1))
}, true)
