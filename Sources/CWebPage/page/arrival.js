import { call } from './server.js'
import { bytesText, percentText, t } from './text.js'

// How often the broker is asked how far a file has come, in milliseconds.
const pause = 400

// Tells `show(text)` how far an asset's file has come from a storage afar, for as long as somebody waits for it; gives a
// function that ends it. Says nothing of a file that is here already.
export function follow(library, asset, show) {
  let timer
  let isOver = false
  const look = async () => {
    try {
      const { received, size } = await call('GetOwnedProgress', { library, asset })
      if (!isOver && received > 0) show(size > 0 ? t('arrived', { percent: percentText(received / size), size: bytesText(size) }) : bytesText(received))
    } catch { /* whoever waits is told by the answer that they wait for */ }
    if (!isOver) timer = setTimeout(look, pause)
  }
  timer = setTimeout(look, pause)
  return () => { isOver = true; clearTimeout(timer) }
}
