import { follow } from './arrival.js'
import { mark } from './assets.js'
import { announce, enter, h, name, show } from './dom.js'
import { Film } from './film.js'
import { icon } from './icons.js'
import { call, onchange, state } from './server.js'
import { instantText, momentText, placeText, t } from './text.js'
import { want } from './thumbnails.js'
import { duration, gridPixels } from './tile.js'

// The values of a changed file beside the edits that win over it; undefined if none differ.
function ofFile({ creationDate, location, caption, fileCreationDate, fileLocation, fileCaption }) {
  const rows = [['creationDate', creationDate, fileCreationDate, instantText], ['location', location, fileLocation, placeText], ['caption', caption, fileCaption, name]]
    .filter(([, , file]) => file !== undefined && file !== null)
  const value = (words, value, text) => h('dd', {}, h('span', { class: 'quiet' }, t(words)), ' ', value === undefined || value === null ? t('nothingThere') : text(value))
  return rows.length === 0 ? undefined : h('section', { class: 'viewer-differs', 'aria-label': t('fileDiffers') }, h('h2', {}, t('fileDiffers')),
    h('dl', {}, rows.map(([field, edited, file, text]) => h('div', {}, h('dt', {}, t(`field.${field}`)), value('asEdited', edited, text), value('inFile', file, text)))))
}

// One photo as large as the window. `options`: `toggle(asset)` and `isSelected(asset)` if it can be
// selected; `tools(now)` makes buttons for the asset that `now()` returns.
export function view(grid, start, options = {}) {
  const { assets } = grid
  // The order of the grid at opening, so that a renewal does not exchange the photo.
  let items = grid.items
  let at = start
  let release = () => {}
  const before = document.activeElement
  const picture = h('img', { class: 'viewer-picture', alt: '' })
  const wait = h('p', { class: 'viewer-wait', role: 'status' })
  const stage = h('div', { class: 'viewer-stage' }, picture)
  const note = h('div', { class: 'viewer-note' })
  const film = new Film(stage)
  const caption = h('div', { class: 'viewer-caption' })
  const words = h('p', { class: 'viewer-words' })
  const tools = options.tools?.(() => items[at])
  const choose = options.toggle && h('button', { class: 'viewer-choose', autofocus: true, onclick: () => { options.toggle(items[at]); draw() } })
  const button = (label, picture, run, extra = '') => h('button', { class: `viewer-button ${extra}`, 'aria-label': label, onclick: run }, icon(picture))
  const back = button(t('previous'), 'left', () => go(at - 1), 'viewer-left')
  const on = button(t('next'), 'right', () => go(at + 1), 'viewer-right')
  const element = h('dialog', { class: 'viewer', 'aria-label': t('largeView') },
    stage, film.element, wait, note, back, on,
    h('div', { class: 'viewer-top' }, caption, h('div', { class: 'viewer-tools' }, tools?.buttons, choose, button(t('close'), 'close', () => element.close()))))

  function go(to) {
    if (to < 0 || to >= items.length) return
    at = to
    const place = grid.items.indexOf(items[at])
    if (place >= 0) grid.focus(place)
    draw()
    say()
  }

  // Announces the photo to screen readers.
  function say() {
    const asset = items[at]
    announce([grid.describe(asset), t('placeOf', { at: at + 1, n: items.length }), choose && t(options.isSelected(asset) ? 'isSelected' : 'isUnselected')].filter(Boolean).join(', '))
  }

  // Maps to the assets' new places; closes if the photo was deleted.
  function renumber(places) {
    const asset = places[items[at]]
    items = items.map(item => places[item]).filter(item => item !== undefined)
    at = items.indexOf(asset)
    if (at < 0) element.close()
    else draw()
  }

  // Captions are fetched per photo: lists do not contain them.
  async function read(id) {
    const turn = reads += 1
    try {
      const details = await call('GetOwnedDetails', { library: assets.library, asset: id })
      if (turn !== reads || !element.isConnected) return
      show(words, details.caption && h('bdi', {}, details.caption))
      // Apps do not see the file's values, so the view of an app's photos omits them.
      if (!assets.terms.seenBy) show(note, ofFile(details))
    } catch { /* the picture's own answer says what is wrong */ }
  }

  const library = () => state.libraries.find(library => library.name === assets.library)
  const isAway = () => library()?.state === 'offline'
  // The order stays while a photo is open; its picture and caption are updated.
  let reads = 0, revision = library()?.revision
  const stop = onchange(() => {
    if (library()?.revision === revision) return
    revision = library()?.revision
    read(shown)
    renew(shown)
  })
  async function renew(id) {
    const { assets: [now] } = await call('FetchOwnedAssets', { library: assets.library, selector: { identifiers: [id] }, limit: 1 }).catch(() => ({ assets: [] }))
    if (!now || shown !== id || now.version === version || !element.isConnected) return
    version = now.version
    load()
  }

  // The shown photo's identifier, as indexes may change; the version in the grid, and the version
  // of the picture.
  let shown, drawn, version
  function draw() {
    const asset = items[at], id = assets.id(asset)
    back.hidden = at === 0
    on.hidden = at === items.length - 1
    if (choose) {
      const isSelected = options.isSelected(asset)
      choose.setAttribute('aria-pressed', String(isSelected))
      show(choose, icon('check'), isSelected ? t('selected') : t('select'))
    }
    show(caption, h('p', { class: 'viewer-name' }, name(assets.names[asset])),
      h('p', {}, assets.has(asset, mark.undated) ? t('undated') : momentText(assets.dates[asset]),
        assets.has(asset, mark.video) && ` · ${t('video')} ${duration(assets.seconds[asset])}`), words)
    tools?.redraw()
    if (shown === id && drawn === assets.versions[asset]) return
    shown = id
    drawn = version = assets.versions[asset]
    film.offer(assets.library, assets.has(asset, mark.video) ? id : undefined)
    stage.classList.remove('close')
    picture.alt = grid.describe(asset)
    show(words)
    show(note)
    read(id)
    picture.removeAttribute('src')
    load()
  }

  // Shows the small picture at once, and the large one when it is ready.
  function load() {
    release()
    const asked = { library: assets.library, asset: shown, version }
    wait.textContent = ''
    const patience = setTimeout(() => { wait.textContent = t(isAway() ? 'storageAway' : 'fetching') }, 600)
    const unfollow = follow(assets.library, shown, text => { wait.textContent = `${t('fetching')} ${text}` })
    const small = want({ ...asked, pixels: gridPixels }, url => { if (url && !picture.src) picture.src = url }, () => -2)
    const edge = Math.min(2560, Math.ceil(Math.max(innerWidth, innerHeight) * devicePixelRatio / 256) * 256)
    const large = want({ ...asked, pixels: edge }, url => {
      clearTimeout(patience)
      unfollow()
      wait.textContent = url ? '' : t('noPicture')
      if (url) picture.src = url
    }, () => -1)
    release = () => { clearTimeout(patience); unfollow(); small(); large() }
  }

  stage.addEventListener('click', event => {
    // The second half of the double click that opened this view.
    if (event.detail > 1 && event.timeStamp - opened < 600) return
    if (film.isOffered) return film.play()
    zoom(event.clientX / innerWidth, event.clientY / innerHeight)
  })
  // Zooms in on a point, given as parts of the window's size, or out.
  function zoom(x = 0.5, y = 0.5, isClose = !stage.classList.contains('close')) {
    stage.classList.toggle('close', isClose)
    if (!isClose) return
    const box = picture.getBoundingClientRect()
    stage.scrollTo(x * (box.width - innerWidth), y * (box.height - innerHeight))
  }
  const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }
  // Left and right change the photo, unless Shift is held.
  const pans = event => stage.classList.contains('close') && event.key in steps && (event.shiftKey || /Up|Down/.test(event.key))
  element.addEventListener('keydown', event => {
    // The player's and the browser's own keys.
    if (event.target.tagName === 'VIDEO' || event.altKey || event.ctrlKey || event.metaKey) return
    if (event.key === 'p') film.toggle()
    else if (event.key === 'z' && !film.isOffered) zoom()
    else if ('+-'.includes(event.key) && !film.isOffered) zoom(0.5, 0.5, event.key === '+')
    else if (pans(event)) {
      const [x, y] = steps[event.key]
      stage.scrollBy(x * 80, y * 80)
    } else if (event.key === 'ArrowLeft') go(at - 1)
    else if (event.key === 'ArrowRight') go(at + 1)
    else if (event.key === ' ' && choose && event.target.tagName !== 'BUTTON') { event.preventDefault(); choose.click() }
  })
  grid.followers.add(renumber)
  const opened = performance.now()
  enter(element, () => { stop(); grid.followers.delete(renumber); release(); film.end(); before?.focus?.({ preventScroll: true }) })
  draw()
  say()
}
