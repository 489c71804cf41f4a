import { ask, dialog, failureText, h, once, show } from './dom.js'
import { indexing } from './indexing.js'
import { rest } from './presses.js'
import { field } from './ruleForm.js'
import { folder, libraryNamed, onchange, owns, state } from './server.js'
import { t } from './text.js'

export const shellWord = text => `'${text.replaceAll("'", "'\\''")}'`

// The reasons for a folder that the broker could not read, though its owner can.
const closed = ['storageOffline', 'folderClosed']

const input = properties => h('input', { class: 'field', autocapitalize: 'none', autocomplete: 'off',
  spellcheck: 'false', ...properties })

// Lets the broker read a folder, and adds it. Returns the library's name or a refusal; nil if the user
// does not want it.
async function letIn(path, name) {
  if (!await ask(t('addFolder.letIn'), 'addFolder.let', [h('p', {}, h('bdi', { class: 'name' }, path)),
    h('p', { class: 'quiet' }, t('addFolder.letInText'))], { rest })) return undefined
  try { await folder({ path, name, letIn: true }) } catch (refusal) { return refusal }
  return name
}

// The form that puts a folder of photos under the broker. `added(library)` is called once it is;
// `buttons` stand before its own.
export function folderForm(added, ...buttons) {
  const path = input(), title = input({ maxlength: '64', value: libraryNamed('photos') ? '' : 'photos' })
  const problem = h('div', { class: 'status', role: 'status' })
  folder({}).then(proposed => { path.value ||= proposed.path ?? '' }, () => {})
  const refuse = (control, ...told) => {
    show(problem, told)
    control.focus()
  }
  const add = async () => {
    const library = title.value.trim(), typed = path.value.trim()
    show(problem)
    if (!/^(\/|~(\/|$))/.test(typed)) return refuse(path, t('addFolder.pathNeeded'))
    if (!/^[a-z][a-z0-9-]*$/.test(library)) return refuse(title, t('addFolder.nameRule'))
    let found
    try {
      found = await folder({ path: typed })
      const same = state.libraries.find(other => owns(other) && other.options?.path === found.path)
      if (same) return refuse(path, t('addFolder.taken', { library: same.name }))
      if (!await ask(t('addFolder.meant', { library }), 'add', [h('p', {}, h('bdi', { class: 'name' }, found.path)),
        h('p', { class: 'quiet' }, t('noLibrariesText'))], { rest })) return
      await folder({ path: found.path, name: library })
      added(library)
    } catch (refusal) {
      if (!closed.includes(refusal.reason)) {
        return refuse(refusal.reason === 'libraryNameTaken' ? title : path, failureText(refusal))
      }
      const told = await letIn(found.path, library) ?? refusal
      if (told === library) return added(library)
      refuse(path, t('addFolder.closed'), ' ',
        h('code', {}, `photobroker library add ${library} ${shellWord(found.path)}`),
        h('p', { class: 'quiet' }, failureText(told)))
    }
  }
  const submit = once(add)
  return h('form', { class: 'folder-form', novalidate: true,
    onsubmit: event => { event.preventDefault(); submit() } },
  field(t('addFolder.path'), path), field(t('addFolder.name'), title), problem,
  h('div', { class: 'actions' }, buttons, h('button', { class: 'primary' }, t('add'))))
}

// The same in a dialog. Afterwards it follows the indexing.
export async function addFolder(go) {
  const library = await dialog(t('addFolder.title'), close => [h('p', { class: 'quiet' }, t('noLibrariesText')),
    folderForm(close, h('button', { class: 'plain', type: 'button', onclick: () => close() }, t('cancel')))])
  if (library) followIndexing(library, go)
}

// Shows how far a new library is, and opens it at the end, or at a press before.
export async function followIndexing(library, go) {
  const progress = h('div', { role: 'status' }), seen = h('p', { class: 'quiet' })
  let stop = () => {}
  const isOpened = await dialog(t('addFolder.done', { library }), close => {
    const browse = h('button', { class: 'primary', disabled: true, onclick: () => close(true) }, t('browse'))
    const draw = () => {
      const now = libraryNamed(library), bar = indexing(now)
      browse.disabled = !now
      show(progress, bar)
      show(seen, now && [t('photosCount', { n: now.assets }),
        now.skipped > 0 && ` · ${t('skipped', { n: now.skipped })}`])
      if (now && !bar) close(true)
    }
    stop = onchange(draw)
    // The dialog cannot close before it is open.
    setTimeout(draw)
    return [progress, seen, h('div', { class: 'actions' }, browse)]
  })
  stop()
  if (isOpened) go(`/photos/${library}`)
}
