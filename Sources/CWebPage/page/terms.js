import { h, name, selectLine, show, toggle } from './dom.js'
import { termChoices } from './grants.js'
import { quote } from './identity.js'
import { limitText, rates, ratesText } from './outcomes.js'
import { bundledPolicies, policyText } from './policies.js'
import { account, call, state } from './server.js'
import { t, whenText } from './text.js'

const lifetimes = [[0, 'expires.never'], [1, 'expires.day'], [7, 'expires.week'], [30, 'expires.month'],
  [365, 'expires.year']]
export const endAfter = days => (Date.now() + days * 86400000) * 1000

// The panel with the details of the app's grants: pause, end, album policy, origin, and the texts of
// the app that a user agreed to. `fetched()` is called when those texts have changed.
export class TermsPanel {
  // By access level, as JSON: the manifest texts that a user agreed to.
  #agreements = {}
  #turn = 0

  constructor(place, access, fetched) {
    this.place = place
    this.access = access
    this.fetched = fetched
  }

  draw(full, add) {
    const isOn = full?.status === 'limited' || full?.status === 'authorized', isAdding = add?.status === 'authorized'
    this.place.hidden = !isOn && !isAdding
    show(this.place,
      isOn && h('div', { role: 'group', 'aria-labelledby': 'details' }, h('h2', { id: 'details' }, t('details')),
        this.terms(full),
        // Full access includes all albums; the stored policy applies again when the app is limited
        // (R49).
        full.status === 'limited' && this.access.isDecided && this.albums(full.albumPolicy),
        origin(full), this.agreementPlace('readWrite')),
      isAdding && h('div', { class: 'adding', role: 'group', 'aria-labelledby': 'details-adding' },
        h('h2', { id: 'details-adding' }, t('detailsAdding')), this.terms(add), origin(add),
        this.agreementPlace('addOnly')))
  }

  terms(grant) {
    const { access } = this, { expires, level, once, paused } = grant
    const isOffered = days => access.isDecided || !expires || (days > 0 && endAfter(days) < expires)
    const ends = lifetimes.filter(([days]) => isOffered(days)).map(([days, words]) => [days, t(words)])
    return [
      toggle({ checked: paused, disabled: paused && !access.isDecided,
        onchange: event => access.pause(grant, event.target.checked) },
        t('pause'), t(level === 'addOnly' ? 'pause.adding' : 'pause.text')),
      level === 'readWrite' && termChoices(grant.terms, terms => access.set(level, { terms }),
        !access.isDecided),
      level === 'readWrite' && grant.terms.changes && this.deletions(grant.terms.deletions),
      level === 'readWrite' && this.allowance(grant.terms.photosPerDay ?? 0, grant.defaultAllowance),
      level === 'readWrite' && this.rates(grant.terms),
      selectLine(t('expires'),
        expires ? t('until', { when: whenText(expires) }) : t(once ? 'lasts.once' : 'expires.text'),
        expires || once ? 'kept' : 0,
        [...expires || once ? [['kept', expires ? whenText(expires) : t('lasts.once')]] : [], ...ends],
        value => value !== 'kept' && access.set(level, { expires: value === '0' ? 0 : endAfter(Number(value)) })),
    ]
  }

  // An administrator only takes away.
  deletions(present) {
    const offered = this.access.isDecided ? rights : rights.slice(0, rights.indexOf(present) + 1)
    return deletionLine(present, deletions => this.access.set('readWrite', { terms: { deletions } }), offered)
  }

  allowance(present, isDefault) {
    const isOffered = n => n === present || this.access.isDecided || (n > 0 && (!present || n < present))
    const sizes = [...new Set([0, 20, 100, 500, 2000, present])].filter(isOffered)
    const words = n => n === present && isDefault ? t('terms.photosPerDay.default', { n })
      : n ? t('outcome.photosPerDay', { n }) : t('terms.photosPerDay.none')
    return selectLine(t('terms.photosPerDay'), t('terms.photosPerDay.text'), present, sizes.map(n => [n, words(n)]),
      value => this.access.set('readWrite', { terms: { photosPerDay: Number(value) } }))
  }

  // One limit replaces the others. An administrator only adds one, or lowers it.
  rates(terms) {
    const { isDecided } = this.access, present = ratesText(terms)
    const offered = offeredRates.filter(([limit, n]) => isDecided || n < (terms[limit] || Infinity))
      .filter(([limit, n]) => limitText(limit, n) !== present)
    const none = Object.fromEntries(rates.map(limit => [limit, 0]))
    const choose = value => {
      const [limit, n] = value.split(' ')
      if (value === 'kept') return
      const chosen = value === 'none' ? {} : { [limit]: Number(n) }
      this.access.set('readWrite', { terms: isDecided ? { ...chosen, ...none, ...chosen } : chosen })
    }
    return selectLine(t('terms.rates'), t('terms.rates.text'), present ? 'kept' : 'none',
      [...present ? [['kept', present]] : [], ...isDecided || !present ? [['none', t('terms.photosPerDay.none')]] : [],
        ...offered.map(([limit, n]) => [`${limit} ${n}`, limitText(limit, n)])], choose)
  }

  albums(present) {
    const installed = this.access.libraryState?.albumPolicies ?? []
    const policies = [...new Set([...bundledPolicies, ...installed.map(({ policy }) => policy), present])]
    return selectLine(t('albums'), t('albums.text'), present, policies.map(policy => [policy, policyText(policy)]),
      albumPolicy => this.access.set('readWrite', { albumPolicy }))
  }

  agreementPlace(level) {
    const place = h('div', { class: 'agreed', 'data-agreed': level })
    this.drawAgreement(place)
    return place
  }

  // Shows the manifest texts that a user agreed to, and the present ones if they differ.
  drawAgreement(place) {
    const { agreed: level } = place.dataset
    const agreement = this.#agreements[level] && JSON.parse(this.#agreements[level])
    // The fetched agreement may belong to an earlier answer.
    place.hidden = !agreement || agreement.time !== this.access.grant(level)?.agreement?.time
    if (place.hidden) return show(place)
    const key = agreement.actor === state.status?.caller ? 'agreedByYou' : 'agreedBy'
    show(place, h('p', {}, t(key, { when: whenText(agreement.time), uid: account(agreement.actor) })),
      manifestText(agreement.words),
      agreement.present && [h('p', { class: 'problem' }, t('saysElseNow')), manifestText(agreement.present)])
  }

  async fetchAgreements() {
    const turn = this.#turn += 1
    const { grants } = await call('ListGrants', { library: this.access.library, app: this.access.id }).catch(() => ({}))
    if (!grants || turn !== this.#turn) return /* the banner shows an unreachable broker, or a later answer comes */
    const before = this.#agreements
    this.#agreements = Object.fromEntries(grants.filter(grant => grant.agreement?.words)
      .map(grant => [grant.level, JSON.stringify(grant.agreement)]))
    for (const place of this.place.querySelectorAll('[data-agreed]')) {
      if (this.#agreements[place.dataset.agreed] !== before[place.dataset.agreed]) this.drawAgreement(place)
    }
    this.fetched()
  }
}

const manifestText = ({ usageDescription, displayName, identifier, verifiedIdentity }) => usageDescription
  ? quote(usageDescription, [displayName, identifier, verifiedIdentity].filter(Boolean))
  : h('p', { class: 'quiet' }, t('noReason'))

function origin({ decider, source, decided, program }) {
  const key = decider === state.status?.caller ? 'cameFromYou' : 'cameFrom'
  return h('p', { class: 'quiet' },
    t(key, { source: t(`source.${source}`), when: whenText(decided), uid: account(decider) }),
    program && [' · ', name(program)])
}

const offeredRates = [['photosPerHour', 50], ['photosPerHour', 500], ['bytesPerHour', 1e9], ['bytesPerDay', 1e9],
  ['bytesPerDay', 1e10]]

// From the least right to the most.
const rights = ['never', 'ask', 'allow']

export const deletionLine = (present, choose, offered = rights) => selectLine(t('terms.deletions'),
  t('terms.deletions.text'), present, offered.map(right => [right, t(`terms.deletions.${right}`)]), choose)
