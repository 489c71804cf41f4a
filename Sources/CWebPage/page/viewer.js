import { h, leave, name, show } from './dom.js'
import { follow } from './arrival.js'
import { Film } from './film.js'
import { icon } from './icons.js'
import { want } from './thumbnails.js'
import { mark } from './assets.js'
import { momentText, t } from './text.js'
import { duration, gridPixels } from './tile.js'

// One photo as large as the window. `options.toggle(at)` and `options.isSelected(asset)` where it can be chosen here; `note(id, changed)`
// promises what else there is to say of it, and calls `changed` when that is something else.
export function view(grid, start, options = {}) {
  const { assets, items } = grid
  let at = start
  let release = () => {}
  const before = document.activeElement
  const picture = h('img', { class: 'viewer-picture', alt: '' })
  const wait = h('p', { class: 'viewer-wait', role: 'status' })
  const stage = h('div', { class: 'viewer-stage' }, picture)
  const note = h('div', { class: 'viewer-note' })
  const film = new Film(stage)
  const caption = h('div', { class: 'viewer-caption' })
  const tools = options.tools?.(() => at)
  const choose = options.toggle && h('button', { class: 'viewer-choose', autofocus: true, onclick: () => { options.toggle(at); draw() } })
  const button = (label, picture, run, extra = '') => h('button', { class: `viewer-button ${extra}`, 'aria-label': label, onclick: run }, icon(picture))
  const back = button(t('previous'), 'left', () => go(at - 1), 'viewer-left')
  const on = button(t('next'), 'right', () => go(at + 1), 'viewer-right')
  const element = h('dialog', { class: 'viewer', 'aria-label': t('largeView') },
    stage, film.element, wait, note, back, on,
    h('div', { class: 'viewer-top' }, caption, h('div', { class: 'viewer-tools' }, tools?.buttons, choose, button(t('close'), 'close', () => element.close()))))

  function go(to) {
    if (to < 0 || to >= items.length) return
    at = to
    grid.focus(at)
    draw()
  }

  async function tell(asset) {
    show(note)
    const content = await options.note?.(assets.id(asset), () => { if (shown === asset && element.isConnected) tell(asset) })
    if (content && shown === asset && element.isConnected) show(note, content)
  }

  let shown = -1
  function draw() {
    const asset = items[at]
    back.hidden = at === 0
    on.hidden = at === items.length - 1
    if (choose) {
      const isSelected = options.isSelected(asset)
      choose.setAttribute('aria-pressed', String(isSelected))
      show(choose, icon('check'), isSelected ? t('selected') : t('select'))
    }
    show(caption, h('p', { class: 'viewer-name' }, name(assets.names[asset])),
      h('p', {}, assets.has(asset, mark.undated) ? t('undated') : momentText(assets.dates[asset]),
        assets.has(asset, mark.video) && ` · ${t('video')} ${duration(assets.seconds[asset])}`))
    tools?.redraw()
    if (shown === asset) return
    shown = asset
    release()
    film.offer(assets.library, assets.has(asset, mark.video) ? assets.id(asset) : undefined)
    stage.classList.remove('close')
    picture.alt = grid.describe(at)
    tell(asset)
    picture.removeAttribute('src')
    // The small one is here at once, the large one when it is made; from a slow storage that takes its time.
    wait.textContent = ''
    const patience = setTimeout(() => { wait.textContent = t('fetching') }, 600)
    const unfollow = follow(assets.library, assets.id(asset), text => { wait.textContent = `${t('fetching')} ${text}` })
    const small = want(assets.library, assets.id(asset), gridPixels, url => { if (url && !picture.src) picture.src = url }, () => -2)
    const edge = Math.min(2560, Math.ceil(Math.max(innerWidth, innerHeight) * devicePixelRatio / 256) * 256)
    const large = want(assets.library, assets.id(asset), edge, url => {
      clearTimeout(patience)
      unfollow()
      wait.textContent = url ? '' : t('noPicture')
      if (url) picture.src = url
    }, () => -1)
    release = () => { clearTimeout(patience); unfollow(); small(); large() }
  }

  stage.addEventListener('click', event => {
    // The second half of the double click that opened this view is none of its own.
    if (event.detail > 1 && event.timeStamp - opened < 600) return
    if (film.isOffered) return film.play()
    stage.classList.toggle('close')
    if (stage.classList.contains('close')) {
      const box = picture.getBoundingClientRect()
      stage.scrollTo((event.clientX / innerWidth) * (box.width - innerWidth), (event.clientY / innerHeight) * (box.height - innerHeight))
    }
  })
  element.addEventListener('keydown', event => {
    // A film's own keys move within it.
    if (event.target.tagName === 'VIDEO') return
    if (event.key === 'p') film.toggle()
    else if (event.key === 'ArrowLeft') go(at - 1)
    else if (event.key === 'ArrowRight') go(at + 1)
    else if (event.key === ' ' && choose && event.target.tagName !== 'BUTTON') { event.preventDefault(); choose.click() }
  })
  element.addEventListener('close', () => { release(); film.end(); leave(element); before?.focus?.({ preventScroll: true }) })
  document.getElementById('layer').append(element)
  const opened = performance.now()
  element.showModal()
  draw()
}
