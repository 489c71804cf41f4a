import { mark } from './assets.js'
import { photoChanges } from './decisions.js'
import { announce, enter, h, name, show } from './dom.js'
import { followDownload } from './download.js'
import { editFacts } from './factsDialog.js'
import { icon } from './icons.js'
import { call, libraryNamed, onchange } from './server.js'
import { bytesText, instantText, momentText, placeText, t, townText } from './text.js'
import { want } from './thumbnails.js'
import { duration, gridPixels } from './tile.js'
import { VideoPlayer } from './videoPlayer.js'

// The values of a changed file beside the edits that win over it; undefined if none differ.
function ofFile({ creationDate, location, caption, fileCreationDate, fileLocation, fileCaption }) {
  const rows = [['creationDate', creationDate, fileCreationDate, instantText],
    ['location', location, fileLocation, placeText], ['caption', caption, fileCaption, name]]
    .filter(([, , file]) => file !== undefined && file !== null)
  const value = (words, value, text) =>
    h('dd', {}, h('span', { class: 'quiet' }, t(words)), ' ',
      value === undefined || value === null ? t('nothingThere') : text(value))
  return rows.length === 0 ? undefined
    : h('section', { class: 'viewer-differs', 'aria-label': t('fileDiffers') }, h('h2', {}, t('fileDiffers')),
    h('dl', {},
      rows.map(([field, edited, file, text]) =>
        h('div', {}, h('dt', {}, t(`field.${field}`)), value('asEdited', edited, text), value('inFile', file, text)))))
}

// The last part of a MIME type, such as JPEG or X-RAW.
const kindText = type => type?.split('/').at(-1).toUpperCase()
const sizeText = ({ contentType, size }) => [kindText(contentType), bytesText(size)].filter(Boolean).join(', ')

// The nearest town with the degrees as its tooltip, or the degrees.
const whereText = ({ location, town }) => location && (town
  ? h('span', { title: placeText(location) }, t('nearTown', { town: townText(town) })) : placeText(location))

// Opens one photo of a grid as large as the window. `options`: `toggle(asset)` and
// `isSelected(asset)` if it can be selected; `tools(now)` makes buttons for the asset that `now()`
// returns; `isEditable` if the facts can be edited, and their changes taken back.
export function openViewer(grid, start, options = {}) { new Viewer(grid, start, options).open() }

const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }

const button = (label, picture, run, extra = '') =>
  h('button', { class: `viewer-button ${extra}`, 'aria-label': label, onclick: run }, icon(picture))

class Viewer {
  // The shown photo's identifier, as indexes may change; the version in the grid, and the version
  // of the picture.
  #shown
  #drawn
  #version
  #reads = 0
  #release = () => {}

  picture = h('img', { class: 'viewer-picture', alt: '' })
  wait = h('p', { class: 'viewer-wait', role: 'status' })
  stage = h('div', { class: 'viewer-stage', onclick: event => this.press(event) }, this.picture)
  note = h('div', { class: 'viewer-note' })
  player = new VideoPlayer(this.stage)
  caption = h('div', { class: 'viewer-caption' })
  words = h('p', { class: 'viewer-words' })
  facts = h('p', { class: 'viewer-facts' })
  files = h('p', { class: 'viewer-files' })
  back = button(t('previous'), 'left', () => this.go(this.at - 1), 'viewer-left')
  on = button(t('next'), 'right', () => this.go(this.at + 1), 'viewer-right')

  constructor(grid, start, options) {
    this.grid = grid
    this.assets = grid.assets
    this.options = options
    // The order of the grid at opening, so that a renewal does not exchange the photo.
    this.items = grid.items
    this.at = start
    this.tools = options.tools?.(() => this.asset)
    const toggle = () => {
      options.toggle(this.asset)
      this.draw()
    }
    this.choose = options.toggle && h('button', { class: 'viewer-choose', autofocus: true, onclick: toggle })
    this.element = h('dialog', { class: 'viewer', 'aria-label': t('largeView'), onkeydown: event => this.key(event) },
      this.stage, this.player.element, this.wait, this.note, this.back, this.on,
      h('div', { class: 'viewer-top' }, this.caption,
        h('div', { class: 'viewer-tools' }, this.tools?.buttons,
          options.isEditable && button(t('editFacts'), 'pencil', () => editFacts(this.assets.library, this.#shown)),
          this.choose,
          button(t('close'), 'close', () => this.element.close()))))
  }

  get asset() { return this.items[this.at] }
  get library() { return libraryNamed(this.assets.library) }

  open() {
    const { grid } = this, before = document.activeElement
    let revision = this.library?.revision
    // The order stays while a photo is open; its picture and caption are updated.
    const stop = onchange(() => {
      if (this.library?.revision === revision) return
      revision = this.library?.revision
      this.read(this.#shown)
      this.renew(this.#shown)
    })
    const renumber = places => this.renumber(places)
    grid.followers.add(renumber)
    this.opened = performance.now()
    enter(this.element, () => {
      stop()
      grid.followers.delete(renumber)
      this.#release()
      this.player.end()
      before?.focus?.({ preventScroll: true })
    })
    this.draw()
    this.say()
  }

  go(to) {
    if (to < 0 || to >= this.items.length) return
    this.at = to
    const place = this.grid.items.indexOf(this.asset)
    if (place >= 0) this.grid.focus(place)
    this.draw()
    this.say()
  }

  // Announces the photo to screen readers.
  say() {
    const { asset, at, items, options } = this
    const chosen = this.choose && t(options.isSelected(asset) ? 'isSelected' : 'isUnselected')
    announce([this.grid.describe(asset), t('placeOf', { at: at + 1, n: items.length }), chosen].filter(Boolean)
      .join(', '))
  }

  // Maps to the assets' new places; closes if the photo was deleted.
  renumber(places) {
    const asset = places[this.asset]
    this.items = this.items.map(item => places[item]).filter(item => item !== undefined)
    this.at = this.items.indexOf(asset)
    if (this.at < 0) this.element.close()
    else this.draw()
  }

  // Captions are fetched per photo: lists do not contain them.
  async read(id) {
    const turn = this.#reads += 1
    try {
      const { library } = this.assets
      const [details, changes] = await Promise.all([call('GetOwnedDetails', { library, asset: id }),
        this.options.isEditable && photoChanges(library, id).catch(() => undefined)])
      if (turn !== this.#reads || !this.element.isConnected) return
      show(this.words, details.caption && h('bdi', {}, details.caption))
      const [first, ...others] = details.files, folder = first?.path?.split('/').slice(0, -1).join('/')
      show(this.files, others.length > 0 && [t('goesAlong'),
        others.map(file => [' ', name(file.filename), ` (${sizeText(file)})`])])
      // Apps do not see the file's values and folder, and maybe no place, so the view of an app's
      // photos omits them.
      if (this.assets.terms.seenBy) return
      show(this.note, ofFile(details), changes)
      const facts = [whereText(details), folder && name(folder), first && sizeText(first)].filter(Boolean)
      show(this.facts, facts.flatMap(fact => [' · ', fact]).slice(1))
    } catch { /* the picture's own answer says what is wrong */ }
  }

  async renew(id) {
    const { assets: [now] } = await call('FetchOwnedAssets', {
      library: this.assets.library, selector: { identifiers: [id] }, limit: 1,
    }).catch(() => ({ assets: [] }))
    if (!now || this.#shown !== id || now.version === this.#version || !this.element.isConnected) return
    this.#version = now.version
    this.load()
  }

  draw() {
    const { assets, asset, choose, player, picture } = this, id = assets.id(asset)
    this.back.hidden = this.at === 0
    this.on.hidden = this.at === this.items.length - 1
    if (choose) {
      const isSelected = this.options.isSelected(asset)
      choose.setAttribute('aria-pressed', String(isSelected))
      show(choose, icon('check'), isSelected ? t('selected') : t('select'))
    }
    show(this.caption, h('p', { class: 'viewer-name' }, name(assets.names[asset])),
      h('p', {}, assets.has(asset, mark.undated) ? t('undated') : momentText(assets.dates[asset]),
        assets.has(asset, mark.video) && ` · ${t('video')} ${duration(assets.seconds[asset])}`,
        assets.has(asset, mark.incomplete) && ` · ${t('incomplete')}`), this.facts, this.words,
    this.files)
    this.tools?.redraw()
    const version = assets.versions[asset], isOther = this.#shown !== id
    if (!isOther && this.#drawn === version) return
    this.#drawn = version
    // The grid's renewal follows `renew`, which has loaded this version already.
    if (!isOther && this.#version === version) return
    this.#shown = id
    this.#version = version
    player.offer(assets.library, assets.has(asset, mark.video) ? id : undefined)
    this.stage.classList.remove('close')
    picture.alt = this.grid.describe(asset)
    for (const part of [this.facts, this.words, this.files, this.note]) show(part)
    this.read(id)
    if (isOther) picture.removeAttribute('src')
    this.load()
  }

  // Shows the small picture at once, and the large one when it is ready.
  load() {
    this.#release()
    const { wait, picture, assets: { library } } = this
    const asked = { library, asset: this.#shown, version: this.#version }
    wait.textContent = ''
    const patience = setTimeout(() => {
      wait.textContent = t(this.library?.state === 'offline' ? 'storageAway' : 'fetching')
    }, 600)
    const unfollow = followDownload(library, this.#shown, text => { wait.textContent = `${t('fetching')} ${text}` })
    const small = want({ ...asked, pixels: gridPixels }, url => { if (url && !picture.src) picture.src = url },
      () => -2)
    const edge = Math.min(2560, Math.ceil(Math.max(innerWidth, innerHeight) * devicePixelRatio / 256) * 256)
    const large = want({ ...asked, pixels: edge }, url => {
      clearTimeout(patience)
      unfollow()
      wait.textContent = url ? '' : t('noPicture')
      if (url) picture.src = url
    }, () => -1)
    this.#release = () => {
      clearTimeout(patience)
      unfollow()
      small()
      large()
    }
  }

  press(event) {
    // The second half of the double click that opened this view.
    if (event.detail > 1 && event.timeStamp - this.opened < 600) return
    if (this.player.isOffered) return this.player.play()
    this.zoom(event.clientX / innerWidth, event.clientY / innerHeight)
  }

  // Zooms in on a point, given as parts of the window's size, or out.
  zoom(x = 0.5, y = 0.5, isClose = !this.stage.classList.contains('close')) {
    this.stage.classList.toggle('close', isClose)
    if (!isClose) return
    const box = this.picture.getBoundingClientRect()
    this.stage.scrollTo(x * (box.width - innerWidth), y * (box.height - innerHeight))
  }

  key(event) {
    const { key, target, shiftKey } = event, { player, stage, choose } = this
    // The player's and the browser's own keys.
    if (target.tagName === 'VIDEO' || event.altKey || event.ctrlKey || event.metaKey) return
    // Left and right change the photo, unless Shift is held.
    const isPan = stage.classList.contains('close') && key in steps && (shiftKey || /Up|Down/.test(key))
    if (key === 'p') player.toggle()
    else if (key === 'z' && !player.isOffered) this.zoom()
    else if ('+-'.includes(key) && !player.isOffered) this.zoom(0.5, 0.5, key === '+')
    else if (isPan) stage.scrollBy(steps[key][0] * 80, steps[key][1] * 80)
    else if (key === 'ArrowLeft') this.go(this.at - 1)
    else if (key === 'ArrowRight') this.go(this.at + 1)
    else if (key === ' ' && choose && target.tagName !== 'BUTTON') {
      event.preventDefault()
      choose.click()
    }
  }
}
