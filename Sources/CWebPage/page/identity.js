import { h, name, textAround } from './dom.js'
import { icon } from './icons.js'
import { apart, mixesAlphabets } from './names.js'
import { account, state } from './server.js'
import { t } from './text.js'

// The colour only tells apps apart at a glance; it has no meaning.
export function avatar(app, size = '') {
  const text = app.displayName || app.identifier
  let hue = 0
  for (const character of app.identifier) hue = (hue * 31 + character.codePointAt(0)) % 12
  return h('span', { class: `avatar hue-${hue} ${size}`, 'aria-hidden': 'true' },
    [...text.trim()][0]?.toLocaleUpperCase() ?? '?')
}

// Verified identity, apart from the app's own claims. The shield stands for an identity that the
// system verified, not for a user alone.
export function facts(app) {
  const identity = app.verifiedIdentity
  return h('dl', { class: 'facts' },
    h('div', { class: identity && 'verified' },
      h('dt', {}, identity && icon('shield'), t(identity ? 'verified' : 'verified.user')),
      h('dd', {}, t('runsAs', { uid: account(app.uid) }), identity && [' · ', name(identity)])),
    h('div', {}, h('dt', {}, t('claimed')),
      h('dd', {}, name(app.identifier), app.executable && [' · ', name(app.executable)],
        app.isInterpreter && ` · ${t('interpreter')}`)))
}

// The app's own text in a box, with its author named below. A hint appears if the text must be
// scrolled. `names`: more names that belong to the author.
export function quote(text, names = []) {
  const words = h('p', { dir: 'auto' }, text), more = h('span', { hidden: true }, ` · ${t('scrollToRead')}`)
  new ResizeObserver(() => {
    more.hidden = words.scrollHeight <= words.clientHeight
    words.classList.toggle('scrolls', !more.hidden)
    if (more.hidden) words.removeAttribute('tabindex')
    else words.setAttribute('tabindex', '0')
  }).observe(words)
  return h('blockquote', {}, words, h('footer', {}, t('saysApp'), names.map(each => [' · ', name(each)]), more))
}

// Reduces a name to its visible letters, to find names that look the same.
const glance = text => text.normalize('NFKC').toLowerCase().replace(/[\s\p{P}\p{C}]/gu, '')
export const shownName = app => app.displayName || app.identifier

// Apps by name, cached for the list of apps in `sorted`.
let sorted, namesakes

const verified = app => [t('user', { uid: account(app.uid) }), app.verifiedIdentity]

// A warning with the verified identity, if a name mixes alphabets to imitate another one; empty
// otherwise.
export const oddName = app => mixesAlphabets(shownName(app))
  ? [t('mixedAlphabets'), ...verified(app)].filter(Boolean).join(' · ') : ''

// Distinguishes an app from others with the same or a similar name: its user and identifier.
// Empty if its name is unique and mixes no alphabets.
export function apartFrom(app) {
  if (sorted !== state.apps) {
    sorted = state.apps
    namesakes = new Map()
    for (const other of sorted) {
      const key = glance(shownName(other))
      namesakes.set(key, [...namesakes.get(key) ?? [], other.app])
    }
  }
  const isAlike = namesakes.get(glance(shownName(app)))?.some(other => other !== app.app)
  const odd = oddName(app)
  return isAlike || odd ? [...odd ? [odd] : verified(app), app.identifier].filter(Boolean).join(' · ') : ''
}

export const alike = app => apartFrom(app) && h('span', { class: 'quiet' }, name(apartFrom(app)))
export const toldApart = app => [shownName(app), apartFrom(app)].filter(Boolean).map(apart).join(' · ')

export const appOf = id => state.apps.find(app => app.app === id)

// The name of a record's app. If the app is gone, its identifier in the record; the broker tells
// whether it was removed.
export function titled({ app: id, identifier, removed }) {
  const app = appOf(id)
  if (app) return name(shownName(app))
  return identifier ? [name(identifier), (removed ?? true) && ` (${t('removedApp')})`] : t('unknownApp')
}

const appName = app =>
  [name(app.displayName || app.identifier),
    oddName(app) && h('span', { class: 'odd-name' }, ' (', name(oddName(app)), ')')]

// The text of a key with the app's name.
export const textAbout = (app, key, values) => textAround(appName(app), key, values)
