import { ownedAlbums } from './albums.js'
import { undo } from './decisions.js'
import { dialog, failureText, h, once, show, tellProblem, toast } from './dom.js'
import { apart } from './names.js'
import { field, select } from './ruleForm.js'
import { call } from './server.js'
import { count, t } from './text.js'
import { pictureElements } from './thumbnails.js'

// Milliseconds without typing before the preview is fetched.
const rest = 300
const shownPictures = 24

// The start of a chosen day, as the broker counts time, and the day of such a time.
const startOf = day => day ? new Date(`${day}T00:00`).getTime() * 1000 : undefined
function dayOf(time) {
  if (time === undefined || time === null) return ''
  const date = new Date(time / 1000)
  return new Date(date - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
}

// The dialog for the conditions by which photos join and leave an app's selection (R154). `live` is
// the present live selection. `answer(selection)` answers the app's question with the new one, and is
// missing in settings.
export class LiveDialog {
  // The preview of the present conditions, which must be seen before they are set.
  #outcome
  #turn = 0

  found = h('div', { class: 'found', role: 'status' })
  problem = h('p', { class: 'status', role: 'status' })
  save = h('button', { class: 'primary', disabled: true }, t('live.set'))

  constructor({ id, library, appName }, live, answer) {
    const { album, glob, createdFrom, createdBefore, mediaType, favorite } = live?.conditions ?? {}
    Object.assign(this, { id, library, appName, isLive: Boolean(live), answer })
    this.album = select('album', [['', t('live.anyAlbum')],
      ...album ? [[album, live.albumTitle ? apart(live.albumTitle) : t('outcome.albumGone')]] : []])
    this.folder = h('input', { class: 'field', value: glob?.replace(/\/\*\*$/, '') ?? '', maxlength: '1000',
      placeholder: t('live.folderSuch') })
    this.from = h('input', { class: 'field', type: 'date', max: '9999-12-31', value: dayOf(createdFrom) })
    this.before = h('input', { class: 'field', type: 'date', max: '9999-12-31', value: dayOf(createdBefore) })
    this.kind = select('mediaType',
      [['', t('select.photos')], ['image', t('select.onlyImages')], ['video', t('select.onlyVideos')]])
    this.favorite = h('input', { type: 'checkbox', checked: favorite ?? false })
    this.album.value = album ?? ''
    this.kind.value = mediaType ?? ''
    this.keep = once((close, change) => this.set(close, change))
    this.fillAlbums()
    if (this.isLive) this.preview()
  }

  async fillAlbums() {
    const albums = await ownedAlbums(this.library).catch(() => [])
    const known = [...this.album.options].map(({ value }) => value)
    for (const { album, title } of albums) {
      if (!known.includes(album)) this.album.append(h('option', { value: album }, apart(title)))
    }
  }

  // Undefined without any condition.
  get conditions() {
    const folder = this.folder.value.trim().replace(/^\/+|\/+$/g, '')
    const chosen = { album: this.album.value || undefined, glob: folder ? `${folder}/**` : undefined,
      createdFrom: startOf(this.from.value), createdBefore: startOf(this.before.value),
      mediaType: this.kind.value || undefined, favorite: this.favorite.checked || undefined }
    return Object.values(chosen).some(value => value !== undefined) ? chosen : undefined
  }

  open() {
    const submit = close => event => {
      event.preventDefault()
      if (this.#outcome) this.keep(close, { add: this.conditions, live: true, outcome: this.#outcome })
    }
    return dialog(t('live.title'), close => h('form',
      { novalidate: true, onsubmit: submit(close), oninput: () => this.preview() },
      h('p', { class: 'quiet' }, t('live.text')), field(t('album'), this.album), field(t('live.folder'), this.folder),
      field(t('live.from'), this.from), field(t('live.before'), this.before), field(t('live.kind'), this.kind),
      h('label', { class: 'check spaced' }, this.favorite, t('live.favorites')),
      this.found, this.problem,
      h('div', { class: 'actions' },
        h('button', { class: 'plain', type: 'button', onclick: () => close() }, t('cancel')),
        this.isLive && !this.answer && h('button',
          { class: 'plain', type: 'button', onclick: () => this.keep(close, { live: false }) }, t('live.end')),
        this.save)))
  }

  async preview() {
    const turn = this.#turn += 1
    this.#outcome = undefined
    this.save.disabled = true
    this.problem.textContent = ''
    await new Promise(done => { setTimeout(done, rest) })
    const { library, id, conditions } = this
    if (turn !== this.#turn) return
    if (!conditions) return void show(this.found)
    try {
      // Before an answer there may be no access whose selection could change.
      const [{ added, removed, outcome }, { assets, total, outcome: chosen }] = await Promise.all([
        this.answer ? {} : call('EditSelection', { library, app: id, add: conditions, live: true, preview: true }),
        call('FetchOwnedAssets', { library, selector: conditions, purpose: 'selection', limit: shownPictures })])
      if (turn !== this.#turn) return
      show(this.found, h('p', {}, h('strong', {}, t('live.now', { n: total })), ' ',
        added > 0 && h('span', { class: 'plus' }, t('adding', { n: count(added) })), ' ',
        removed > 0 && h('span', { class: 'minus' }, t('removing', { n: count(removed) }))),
      h('div', { class: 'strip' }, pictureElements(library, assets)),
      removed > 0 && h('p', { class: 'quiet' }, t('deliveredStays')))
      this.#outcome = outcome ?? chosen
      this.save.disabled = false
    } catch (refusal) {
      if (turn !== this.#turn) return
      show(this.found)
      this.problem.textContent = failureText(refusal)
    }
  }

  async set(close, change) {
    this.problem.textContent = ''
    try {
      if (this.answer) return void await this.answer(change, close)
      const { decisions } = await call('EditSelection', { library: this.library, app: this.id, ...change })
      close()
      toast(t(change.live ? 'savedFor' : 'live.ended', { app: this.appName }), undo(decisions))
    } catch (refusal) {
      tellProblem(this.problem, failureText(refusal))
      if (change.live) this.preview()
    }
  }
}
