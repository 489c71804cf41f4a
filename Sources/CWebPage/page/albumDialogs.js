import { ownedAlbums } from './albums.js'
import { undo } from './decisions.js'
import { ask, dialog, failureText, h, once, show, tellProblem, toast, toastFailure } from './dom.js'
import { inBatches } from './drafts.js'
import { icon } from './icons.js'
import { call, callEach } from './server.js'
import { t } from './text.js'

const edit = (library, change, send = call) => send('EditOwnedAlbum', { library, ...change })
const titleField = () =>
  h('input', { class: 'field', maxlength: '200', 'aria-label': t('albumTitle'), placeholder: t('albumTitle') })

// The dialog for a library's albums: their titles, and which ones are shared with apps.
export function organize(library) {
  const list = h('ul', { class: 'rows plainly' })
  const problem = h('p', { class: 'status', role: 'status' })
  const title = titleField()

  async function load() {
    const albums = await ownedAlbums(library)
    const typed = document.activeElement
    // A title being typed is not redrawn; the list reloads on blur.
    if (typed && list.contains(typed) && typed.matches('input.field')) return typed.addEventListener('blur',
      () => load().catch(() => {}), { once: true })
    const before = document.activeElement?.closest('[data-album]')
    const place = before ? [...before.querySelectorAll('input, button')].indexOf(document.activeElement) : -1
    show(list, albums.map(row))
    if (before) list.querySelector(`[data-album="${before.dataset.album}"]`)?.querySelectorAll('input, button')[place]
      ?.focus()
  }

  // Saves a change, shows a failure, and reloads. Resolves to whether it was saved.
  async function keep(change) {
    problem.textContent = ''
    let isKept = false
    try {
      const { decisions } = await edit(library, change)
      isKept = true
      toast(t('saved'), undo(decisions, () => load().catch(() => {})))
    } catch (refusal) { tellProblem(problem, failureText(refusal)) }
    await load().catch(() => {})
    return isKept
  }

  function row(album) {
    const field = h('input',
      { class: 'field', maxlength: '200', value: album.title, 'aria-label': `${t('albumTitle')}: ${album.title}`,
        onchange: () => keep({ album: album.album, title: field.value }) })
    return h('li', { class: 'row', 'data-album': album.album },
      h('span', { class: 'row-text' }, field, h('span', { class: 'quiet' }, t('photosCount', { n: album.count }))),
      h('label', { class: 'check' },
        h('input',
          { type: 'checkbox', checked: album.shared, 'aria-label': `${t('shareAlbum')}: ${album.title}`,
            onchange: event => keep({ album: album.album, shared: event.target.checked }) }),
        h('span', {}, t('shareAlbum'))),
      h('button',
        { class: 'link', type: 'button', 'aria-label': `${t('deleteAlbum')}: ${album.title}`,
          onclick: () => remove(album) }, t('deleteAlbum')))
  }

  async function remove(album) {
    const question = t('deleteAlbumTitle', { album: album.title })
    if (await ask(question, 'deleteAlbum', h('p', {}, t('deleteAlbumText')),
      { look: 'danger' })) await keep({ album: album.album, delete: true })
    title.focus()
  }

  const add = once(async () => {
    if (!title.value.trim()) return title.focus()
    if (await keep({ title: title.value.trim() })) title.value = ''
    title.focus()
  })
  load().catch(refusal => { problem.textContent = failureText(refusal) })
  return dialog(t('albumsOf', { library }), close => h('form', { onsubmit: event => { event.preventDefault(); add() } },
    h('p', { class: 'quiet' }, t('shareAlbumText')), list,
    h('div', { class: 'form-line' }, title, h('button', { class: 'plain' }, icon('plus'), t('newAlbum'))), problem,
    h('div', { class: 'actions' },
      h('button', { class: 'primary', type: 'button', onclick: () => close() }, t('close')))))
}

export async function addToAlbum(library, identifiers) {
  let albums
  try { albums = await ownedAlbums(library) } catch (refusal) { return toastFailure(refusal) }
  const title = titleField()
  const choice = h('select', { class: 'field', 'aria-label': t('album') },
    albums.map(album => h('option', { value: album.album }, album.title)), h('option', { value: '' }, t('newAlbum')))
  const problem = h('p', { class: 'status', role: 'status' })
  const reveal = () => { title.hidden = choice.value !== '' }
  choice.addEventListener('change', reveal)
  reveal()
  const keep = once(async close => {
    const made = title.value.trim()
    if (!choice.value && !made) return title.focus()
    problem.textContent = ''
    const decisions = []
    const chosen = albums.find(album => album.album === choice.value)
    let count = chosen?.count ?? 0
    try {
      let target = chosen ? { album: chosen.album } : { title: made }
      await callEach(async each => {
        await inBatches(identifiers, async identifiers => {
          const answer = await edit(library, { ...target, add: { identifiers } }, each)
          target = { album: answer.album.album }
          count = answer.album.count
          decisions.push(...answer.decisions)
        })
      })
    } catch (refusal) { return tellProblem(problem, failureText(refusal)) }
    close()
    // Assets that were already members are not counted.
    const added = Math.max(0, count - (chosen?.count ?? 0))
    toast(added ? t('addedToAlbum', { n: added, album: chosen?.title ?? made })
      : t('inAlbumAlready', { n: identifiers.length }), undo(decisions))
  })
  return dialog(t('addToAlbumTitle', { n: identifiers.length }),
    close => h('form', { novalidate: true, onsubmit: event => { event.preventDefault(); keep(close) } },
    h('div', { class: 'form-line' }, choice, title), problem,
    h('div', { class: 'actions' }, h('button', { class: 'plain', type: 'button', onclick: () => close() }, t('cancel')),
      h('button', { class: 'primary' }, t('add')))))
}

// Removes members, given by identifier, from an album.
export async function takeFromAlbum(library, album, identifiers) {
  if (identifiers.length === 0) return toast(t('notInAlbum'))
  try {
    const answers = await callEach(each =>
      inBatches(identifiers, identifiers => edit(library, { album, remove: { identifiers } }, each)))
    toast(t('takenFromAlbum', { n: identifiers.length }), undo(answers.flatMap(({ decisions }) => decisions)))
  } catch (refusal) { toastFailure(refusal) }
}
