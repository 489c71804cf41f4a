import { call } from './server.js'
import { bytesText, percentText, t } from './text.js'

// Milliseconds between two queries of a download's progress.
const pause = 400

// Reports a remote file's download progress to `show(text)`. Returns a function that stops. Stays
// silent for files that are already local.
export function followDownload(library, asset, show) {
  let timer
  let isOver = false
  const look = async () => {
    try {
      const { received, size } = await call('GetOwnedProgress', { library, asset })
      if (!isOver && received > 0) show(size > 0
        ? t('arrived', { percent: percentText(received / size), size: bytesText(size) }) : bytesText(received))
    } catch { /* the awaited picture reports the failure */ }
    if (!isOver) timer = setTimeout(look, pause)
  }
  timer = setTimeout(look, pause)
  return () => { isOver = true; clearTimeout(timer) }
}
