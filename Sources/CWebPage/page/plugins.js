import { h, inTerminal, name, show } from './dom.js'
import { bundledPolicies, policyText } from './policies.js'
import { problem } from './reasons.js'
import { account, call, onchange, state } from './server.js'
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

// The list of plugins. Users who are no administrators see only the storages of their own
// libraries. Returns a function that stops the updates.
export function plugins(place) {
  let told, isListed = state.status?.listsPlugins ?? true
  const draw = answer => {
    const now = JSON.stringify([answer, state.libraries.map(({ name, backend }) => [name, backend])])
    if (now === told) return
    told = now
    drawPlugins(place, answer?.plugins, answer?.problem)
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

function drawPlugins(place, all, listing) {
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
      plugin.offers.map(offer =>
        h('span', { class: 'quiet' }, t(`offer.${offer.protocol}`), ' ', h('b', {}, offer.name), ': ',
          summary(plugin, offer))),
      plugin.usedBy.length > 0 && h('span', { class: 'quiet' }, t('usedBy', { libraries: plugin.usedBy.join(', ') })),
      plugin.installed
        && h('span', { class: 'quiet' },
          t('installedBy', { when: whenText(plugin.installed), uid: account(plugin.installedBy) })),
      plugin.problem && h('span', { class: 'problem' }, problem(plugin.problemReason, plugin.problem, 'system'))),
    h('span', {}, chips(plugin))))), hint)
}
