import { undo } from './decisions.js'
import { dialog, h, name, once, show, tellProblem, textAround, toast } from './dom.js'
import { isOffered } from './grants.js'
import { icon } from './icons.js'
import { apartFrom, facts, toldApart } from './identity.js'
import { userNumber } from './offering.js'
import { giveFocus, rowsBy, Steady } from './presses.js'
import { selectorsText } from './selectors.js'
import { account, administers, call, decides, listed, state } from './server.js'
import { t } from './text.js'

const libraryOf = name => state.libraries.find(other => other.name === name)
// Rules belong to those who decide in the library; administrators also manage `restrict`.
const isChangeable = rule => libraryOf(rule.library) !== undefined && decides(libraryOf(rule.library)) || rule.answer === 'restrict' && administers()
const widest = [['deny', 'ruleAnswer.deny'], ['allow', 'ruleAnswer.allow'], ['favorites', 'ruleAnswer.favorites'], ['latest', 'ruleAnswer.latest']]
// Adding needs no selection.
const widestAdding = [['deny', 'ruleAnswer.deny'], ['allow', 'allowAdding']]
const narrowest = [['restrict', 'ruleAnswer.restrict']]

// The list of rules, in the order of evaluation.
export class Rules {
  constructor(place) {
    this.place = place
    this.rows = rowsBy(place, 'rule', 'library')
    this.steady = new Steady(this.rows)
    this.renew()
  }

  renew() {
    const told = JSON.stringify([state.rules, state.libraries.map(library => [library.name, decides(library)])])
    if (told === this.told) return
    this.told = told
    const [focused] = [...this.rows()].find(([, row]) => row.contains(document.activeElement)) ?? []
    this.draw(state.rules)
    if (focused) giveFocus(this.rows().get(focused)?.querySelector('button'))
    this.steady.look()
  }

  end() { this.steady.end() }

  draw(rules) {
    this.place.hidden = state.libraries.length === 0
    show(this.place, h('div', { class: 'panel-head' }, h('h2', {}, t('rules'), h('span', { class: 'count' }, String(rules.length))), h('button', { class: 'plain', onclick: () => this.make() }, icon('plus'), t('newRule'))),
      h('p', { class: 'quiet' }, t('rulesText')),
      rules.length > 0 && h('ul', { class: 'rows' }, rules.map(rule => h('li', { class: 'row', 'data-rule': rule.name, 'data-library': rule.library },
        h('span', { class: 'row-text' }, h('strong', {}, rule.name, ' · ', t(`rule.${rule.answer}`), rule.select?.length > 0 && [': ', selectorsText(rule.select)]),
          h('span', { class: 'quiet' }, rule.identifier ? name(rule.identifier) : t('anyApp'), ' · ', t('runsAs', { uid: account(rule.uid) }), rule.verifiedIdentity && [' · ', name(rule.verifiedIdentity)], ' · ', rule.library, ' · ', t(rule.level === 'addOnly' ? 'short.addOnly' : 'short.reading')),
          rule.rests && h('span', { class: 'quiet' }, rule.restsOver ? textAround(name(rule.restsOver), 'ruleRestsOver') : t('ruleRests', { uid: account(rule.author) }))),
        isChangeable(rule) ? h('button', { class: 'link', 'aria-label': [t('removeRule', { rule: rule.name }), state.libraries.length > 1 && rule.library].filter(Boolean).join(', '), onclick: event => this.remove(rule, event.currentTarget) }, t('remove'))
          : h('span', { class: 'quiet' }, t('ruleOfOwner'))))))
  }

  async make() {
    const field = (label, control) => { control.setAttribute('aria-label', label); return h('label', { class: 'line' }, h('strong', {}, label), control) }
    const select = (key, options) => h('select', { class: 'field', name: key }, options.map(([value, text]) => h('option', { value }, text)))
    // The app as shown: a later name change does not alter the rule.
    const apps = state.apps
    const users = [...new Set([...apps.map(app => app.uid), ...state.libraries.flatMap(library => library.offeredTo.filter(uid => uid !== library.owner))])]
    const app = select('app', [...apps.map(app => [app.app, nameOf(app)]), ...users.map(uid => [`uid ${uid}`, t('anyAppOf', { uid: account(uid) })]), ['other', t('anotherApp')]])
    const uid = h('input', { class: 'field', inputmode: 'numeric', maxlength: '10' }), identifier = h('input', { class: 'field', maxlength: '128', placeholder: t('anyApp') })
    const others = h('div', {}, field(t('userNumber'), uid), field(t('identifier'), identifier))
    const verified = h('div', {})
    const chosenApp = () => apps.find(other => other.app === app.value)
    const reveal = () => {
      others.hidden = app.value !== 'other'
      if (chosenApp() && !isOffered(libraryOf(library.value), chosenApp())) {
        library.value = state.libraries.find(other => isOffered(other, chosenApp()))?.name ?? library.value
        library.dispatchEvent(new Event('change'))
      }
      show(verified, chosenApp() && [facts(chosenApp()), h('p', { class: 'quiet' }, scopeText(chosenApp()))])
    }
    const library = select('library', state.libraries.map(({ name }) => [name, name]))
    app.addEventListener('change', reveal)
    reveal()
    const answer = select('answer', [])
    const level = select('level', [['readWrite', t('short.reading')], ['addOnly', t('short.addOnly')]])
    const offer = () => {
      const chosen = answer.value
      const answers = !decides(libraryOf(library.value)) ? narrowest : level.value === 'addOnly' ? widestAdding : widest
      show(answer, answers.map(([value, words]) => h('option', { value }, t(words))))
      if (answers.some(([value]) => value === chosen)) answer.value = chosen
    }
    for (const decisive of [library, level]) decisive.addEventListener('change', offer)
    offer()
    const problem = h('p', { class: 'status', role: 'status' })
    // The rule's subject; undefined, with a message, if the input is invalid.
    const whom = () => {
      const chosen = chosenApp()
      if (chosen) return { uid: chosen.uid, identifier: chosen.identifier, verifiedIdentity: chosen.verifiedIdentity }
      if (app.value !== 'other') return { uid: Number(app.value.slice('uid '.length)) }
      const named = identifier.value.trim(), user = userNumber(uid.value.trim())
      const [words, place] = user === undefined ? ['noUserNumber', uid] : named && !/^[A-Za-z0-9._-]+$/.test(named) ? ['noIdentifier', identifier] : []
      if (!words) return { uid: user, identifier: named || undefined }
      problem.textContent = t(words)
      place.focus()
    }
    // Confirms a rule for the whole library, or one that answers waiting questions. The confirmed
    // rule is the one saved.
    const isMeant = (rule, waiting) => {
      const isAll = rule.answer === 'allow' && rule.level === 'readWrite'
      return !isAll && waiting === 0 ? true : dialog(t(isAll ? 'allowAllRuleTitle' : 'newRuleTitle'), close => [
        state.libraries.length > 1 && h('p', { class: 'quiet' }, t('inLibrary', { library: rule.library })),
        h('p', {}, scopeText(rule)), chosenApp() && facts(chosenApp()),
        isAll && h('p', {}, t('allowAllRuleText', { n: libraryOf(rule.library)?.assets ?? 0 }), ' ', t('mayChangeAll')),
        waiting > 0 && h('p', {}, t('ruleAnswersAtOnce', { n: waiting })),
        h('div', { class: 'actions' }, h('button', { class: 'plain', onclick: () => close(false) }, t('back')), h('button', { class: 'primary', onclick: () => close(true) }, t(isAll ? 'allowAll' : 'save')))])
    }
    const keep = once(async close => {
      const about = whom()
      if (!about) return
      const selects = { favorites: { favorite: true }, latest: { last: 100 } }[answer.value]
      const rule = { ...about, library: library.value, level: level.value, answer: selects ? 'select' : answer.value, select: selects && [selects] }
      problem.textContent = ''
      try {
        // Saving replaces a rule of the same name, so the name must be free at this moment.
        rule.name = free(await listed('ListRules', 'rules', { library: rule.library }), rule.library)
        const { rules: [{ answers }], outcome } = await call('Apply', { rules: [rule], preview: true })
        if (!await isMeant(rule, answers)) return
        const { decisions } = await call('Apply', { rules: [rule], outcome, inSettings: true })
        close()
        toast([t('ruleMade', { rule: rule.name }), answers > 0 && t('ruleAnswered', { n: answers })].filter(Boolean).join(' '), undo(decisions, undefined, t('ruleTakenBack', { rule: rule.name })))
      } catch (refusal) { tellProblem(problem, refusal.message || t('unreachable')) }
    })
    return dialog(t('newRuleTitle'), close => h('form', { novalidate: true, onsubmit: event => { event.preventDefault(); keep(close) } },
      h('p', { class: 'quiet' }, t('newRuleText')), field(t('ruleFor'), app), verified, others, state.libraries.length > 1 && field(t('library'), library), field(t('access'), level), field(t('ruleDoes'), answer), problem,
      h('div', { class: 'actions' }, h('button', { class: 'plain', type: 'button', onclick: () => close() }, t('cancel')), h('button', { class: 'primary' }, t('save')))))
  }

  async remove(rule, button) {
    button.disabled = true
    try {
      const { decisions } = await call('RemoveRule', { library: rule.library, name: rule.name })
      toast(t('ruleRemoved', { rule: rule.name }), undo(decisions))
    } catch (refusal) {
      button.disabled = false
      toast(refusal.message || t('unreachable'))
    }
  }
}

// The apps that a rule matches. Without a verified identity, any program of the user can use the
// same identifier.
const scopeText = ({ identifier, uid, verifiedIdentity }) => !identifier ? t('anyAppOf', { uid: account(uid) })
  : t(verifiedIdentity ? 'ruleScope.verified' : 'ruleScope', { uid: account(uid), identifier, verified: verifiedIdentity })

const nameOf = app => apartFrom(app) ? toldApart(app) : `${toldApart(app)} · ${t('user', { uid: account(app.uid) })}`

function free(rules, library) {
  for (let number = 1; ; number++) if (!rules.some(rule => rule.library === library && rule.name === `rule-${number}`)) return `rule-${number}`
}
