import { announce, h, show } from './dom.js'
import { followDownload } from './download.js'
import { icon } from './icons.js'
import { preview } from './server.js'
import { t } from './text.js'

// A video behind its poster. Nothing is fetched or transcoded before the user presses play.
export class VideoPlayer {
  constructor(stage) {
    this.stage = stage
    this.status = h('p', { class: 'film-status', role: 'status' })
    this.button = h('button',
      { class: 'film-play', 'aria-label': t('play'), onclick: event => { event.stopPropagation(); this.play() } },
      icon('play'))
    this.element = h('div', { class: 'film', hidden: true }, this.button, this.status)
  }

  // Selects another asset; `id` is undefined for a photo.
  offer(library, id) {
    this.end()
    this.library = library
    this.id = id
    this.element.hidden = !id
    this.button.hidden = false
  }

  get isOffered() { return Boolean(this.id) }

  async play() {
    if (!this.id || this.abort) return
    const abort = this.abort = new AbortController()
    this.button.hidden = true
    const far = h('span', {})
    show(this.status, h('span', { class: 'spinner', 'aria-hidden': 'true' }), t('preparing'), far)
    const unfollow = followDownload(this.library, this.id, text => { far.textContent = text })
    abort.signal.addEventListener('abort', unfollow)
    let blob = null
    try { blob = await preview(this.library, this.id, abort.signal) } catch { /* cancelled, or the server is gone */ }
    unfollow()
    if (abort.signal.aborted) return
    show(this.status)
    if (!blob) {
      this.abort = undefined
      this.button.hidden = false
      this.status.textContent = t('noPreview')
      return
    }
    this.url = URL.createObjectURL(blob)
    this.video = h('video',
      { class: 'viewer-picture film-video', controls: true, autoplay: true, playsinline: true,
        'aria-label': t('video') })
    this.video.src = this.url
    this.video.addEventListener('click', event => event.stopPropagation())
    this.stage.classList.remove('close')
    this.stage.classList.add('plays')
    this.stage.append(this.video)
    this.element.hidden = true
    this.video.focus({ preventScroll: true })
    announce(t('playing'))
  }

  toggle() {
    if (!this.video) this.play()
    else if (this.video.paused) this.video.play()
    else this.video.pause()
  }

  end() {
    this.abort?.abort()
    this.abort = undefined
    this.video?.remove()
    this.video = undefined
    if (this.url) URL.revokeObjectURL(this.url)
    this.url = undefined
    this.stage.classList.remove('plays')
    show(this.status)
  }
}
