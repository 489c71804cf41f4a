import { ask, failureText, h, inTerminal, name, once, show, toast, toastFailure } from './dom.js'
import { bundledPolicies, policyText } from './policies.js'
import { rest } from './presses.js'
import { problem } from './reasons.js'
import { account, call, onchange, pluginFile, state } from './server.js'
import { t, whenText } from './text.js'

const chips = plugin => [
  h('span', { class: `chip state-${plugin.state === 'enabled' ? 'online' : 'offline'}` }, t(`plugin.${plugin.state}`)),
  h('span', { class: 'chip' }, t(`plugin.${plugin.origin}`))]

// Bundled plugins are described in the user's language, others in their author's.
const bundledSummaries = { directory: 'summary.directory', rclone: 'summary.rclone', content: 'summary.content' }

function summary(plugin, offer) {
  if (plugin.origin === 'bundled' && Object.hasOwn(bundledSummaries, offer.name)) return t(bundledSummaries[offer.name])
  if (plugin.origin === 'bundled' && bundledPolicies.includes(offer.name)) return policyText(offer.name)
  return h('span', { lang: plugin.origin === 'bundled' ? 'en' : '' }, name(offer.summary))
}

// Milliseconds between two queries, because the broker sends no event about plugins.
const pause = 5000

// Whether this user installs and removes plugins: root, or the broker's own user.
const installs = () => [0, state.status?.uid].includes(state.status?.caller)

// The list of plugins. Users who are no administrators see only the storages of their own
// libraries. Returns a function that stops the updates.
export function plugins(place) {
  const form = installs() && installForm()
  let told, isListed = state.status?.listsPlugins ?? true
  const draw = answer => {
    const now = JSON.stringify([answer, state.libraries.map(({ name, backend }) => [name, backend])])
    if (now === told) return
    told = now
    drawPlugins(place, answer?.plugins, answer?.problem, form)
  }
  const look = async () => {
    // Only administrators may list plugins. If the broker is unreachable, the banner says so.
    const answer = isListed && await call('ListPlugins').catch(refusal => { isListed = refusal.name === 'Unavailable' })
    if (answer || !isListed) draw(answer || undefined)
  }
  look()
  const stop = onchange(() => { if (!isListed) look() })
  const timer = setInterval(() => { if (isListed) look() }, pause)
  return () => { stop(); clearInterval(timer) }
}

const offered = plugin => plugin.offers.map(offer => h('span', { class: 'quiet' }, t(`offer.${offer.protocol}`), ' ',
  h('b', {}, offer.name), ': ', summary(plugin, offer)))

// Installs a plugin by its file's path, after a look at what it offers.
function installForm() {
  const path = h('input', { class: 'field', 'aria-label': t('installPlugin.path'),
    placeholder: t('installPlugin.path'), autocapitalize: 'none', autocomplete: 'off', spellcheck: 'false' })
  const status = h('p', { class: 'status', role: 'status' })
  const install = once(async () => {
    const typed = path.value.trim()
    status.textContent = ''
    try {
      if (!/^(\/|~(\/|$))/.test(typed)) throw new Error(t('installPlugin.pathNeeded'))
      const { plugin } = await pluginFile({ path: typed })
      if (!await ask(t('installPlugin.meant', { plugin: plugin.name }), 'installPlugin', [
        h('p', {}, t('installPlugin.text')), h('p', { class: 'row-text' }, offered(plugin))], { rest })) return
      await pluginFile({ path: typed, install: true })
      path.value = ''
      toast(t('installPlugin.done', { plugin: plugin.name }))
    } catch (refusal) {
      status.textContent = failureText(refusal)
      path.focus()
    }
  })
  return h('form', { class: 'install', novalidate: true, onsubmit: event => { event.preventDefault(); install() } },
    h('div', { class: 'form-line' }, path, h('button', { class: 'plain' }, t('installPlugin'))), status)
}

async function remove({ name: plugin }) {
  if (!await ask(t('removePlugin.meant', { plugin }), 'remove', h('p', {}, t('removePlugin.text')),
    { look: 'danger', rest })) return
  call('RemovePlugin', { name: plugin }).then(() => toast(t('removePlugin.done', { plugin })), toastFailure)
}

// The latest lines and ends of a plugin's processes, fetched when they are unfolded.
function log({ name: plugin }) {
  const lines = h('ul', { class: 'quiet' })
  const fill = async () => {
    const { entries } = await call('ReadPluginLog', { name: plugin, limit: 20 })
    show(lines, entries.length === 0 && h('li', {}, t('pluginLog.empty')), entries.reverse().map(({ time, text }) =>
      h('li', {}, whenText(time), ': ', h('span', { lang: '' }, name(text)))))
  }
  return h('details', { ontoggle: event => event.currentTarget.open && fill().catch(toastFailure) },
    h('summary', { 'aria-label': `${t('pluginLog')}: ${plugin}` }, t('pluginLog')), lines)
}

function drawPlugins(place, all, listing, form) {
  const heading = [h('h2', {}, t('plugins')), h('p', { class: 'quiet' }, t('pluginsText'))]
  const hint = inTerminal(t('morePlugins'), 'photobroker plugin --help', 'photobroker administrator --help')
  const usedBy = libraries => libraries.length > 0 && t('storageFor', { libraries: libraries.join(', ') })
  if (!all) {
    const used = [...new Set(state.libraries.map(library => library.backend))]
    place.hidden = used.length === 0
    return show(place, heading, h('ul', { class: 'rows plainly' }, used.map(plugin => h('li', { class: 'row' },
      h('span', { class: 'row-text' }, h('strong', {}, plugin),
        h('span', { class: 'quiet' },
          usedBy(state.libraries.filter(library => library.backend === plugin).map(library => library.name))))))),
    h('p', { class: 'quiet' }, t('pluginsForAdministrators')), hint)
  }
  place.hidden = false
  show(place, heading, listing && h('p', { class: 'problem' }, problem(undefined, listing)),
    h('ul', { class: 'rows plainly' }, all.map(plugin => h('li', { class: 'row', 'data-plugin': plugin.name },
    h('span', { class: 'row-text' }, h('strong', {}, plugin.name),
      offered(plugin),
      plugin.usedBy.length > 0 && h('span', { class: 'quiet' }, t('usedBy', { libraries: plugin.usedBy.join(', ') })),
      plugin.installed
        && h('span', { class: 'quiet' },
          t('installedBy', { when: whenText(plugin.installed), uid: account(plugin.installedBy) })),
      plugin.problem && h('span', { class: 'problem' }, problem(plugin.problemReason, plugin.problem, 'system')),
      form && log(plugin)),
    h('span', {}, chips(plugin)),
    form && plugin.installed && h('button', { class: 'link', 'aria-label': `${t('remove')}: ${plugin.name}`,
      onclick: () => remove(plugin) }, t('remove'))))), form, hint)
}
