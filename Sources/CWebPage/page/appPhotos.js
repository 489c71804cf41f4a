import { h, show } from './dom.js'
import { liveText, selectionText } from './grants.js'
import { icon } from './icons.js'
import { LiveDialog } from './liveDialog.js'
import { call } from './server.js'
import { t } from './text.js'
import { pictureElements } from './thumbnails.js'

// The panel with the latest photos that the app sees.
export class SeenPanel {
  constructor(place, access, go) {
    this.place = place
    this.access = access
    this.go = go
    this.note = h('p', { class: 'quiet' })
  }

  draw(full) {
    const { access: { id, library, isSeen, isDecided }, go } = this
    const isLimited = full?.status === 'limited', isFull = full?.status === 'authorized'
    this.place.hidden = !isLimited && !isFull
    this.strip = undefined
    if (this.place.hidden) return
    this.strip = h('div', { class: 'strip large' })
    const path = `/app/${id}/${library}`
    show(this.place, h('div', { class: 'panel-head' },
      h('h2', {}, isLimited ? t('selectedPhotos', { n: full.selected }) : t('allPhotos')),
      isSeen && h('div', { class: 'panel-tools' },
        h('button', { class: 'plain', onclick: () => go(`${path}/sees`) }, icon('eye'), t('seeAs')),
        isLimited && isDecided && [
          h('button', { class: 'plain', onclick: () => new LiveDialog(this.access, full.live).open() },
            t('live.button')),
          h('button', { class: 'primary', onclick: () => go(`${path}/select`) }, t('changeSelection'))])), this.note,
      this.strip)
    this.fill()
  }

  // Explains the app's real visibility, if its level alone would mislead.
  drawNote(full) {
    const note = full?.status === 'limited' && full.selected === 0 ? t('nothingSelected')
      : full?.paused ? t('pausedSees')
      : full?.status === 'authorized' ? t('visibleCount', { n: full.visible })
      : full?.status === 'limited' && full.visible !== full.selected ? `${selectionText(full)}. ${t('unseen')}` : ''
    const live = full?.live && full.status === 'limited' ? liveText(full.live) : ''
    this.note.textContent = [live, note].filter(Boolean).join(' ')
    this.note.hidden = this.note.textContent === ''
  }

  async fill() {
    const { strip, access: { id, library, isSeen } } = this
    if (!strip || !isSeen) return
    const { assets } = await call('FetchOwnedAssets', { library, seenBy: id, limit: 24 }).catch(() => ({}))
    if (!assets || strip !== this.strip) return /* the banner shows an unreachable broker, or a newer strip is there */
    show(strip, pictureElements(library, assets))
  }
}

// The panel with the latest photos that the app added; hidden without any.
export class AddedPanel {
  constructor(place, access) {
    this.place = place
    this.access = access
    place.hidden = true
  }

  async fill() {
    const { place, access } = this, { id, library } = access
    if (!access.isSeen) return void (place.hidden = true)
    const { assets, total } = await call('FetchOwnedAssets', { library, addedBy: id, limit: 24 }).catch(() => ({}))
    if (!assets || access.isEnded) return
    place.hidden = total === 0
    show(place, h('h2', {}, t('whatItAdded')), h('p', { class: 'quiet' }, t('addedPhotos', { n: total })),
      h('div', { class: 'strip large' }, pictureElements(library, assets)))
  }
}
