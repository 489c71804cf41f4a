import { undo } from './decisions.js'
import { ask, dialog, failureText, h, once, show, tellProblem, toast } from './dom.js'
import { isOffered } from './grants.js'
import { apartFrom, facts, toldApart } from './identity.js'
import { account, call, decides, libraryNamed, listed, state, userNamed } from './server.js'
import { t } from './text.js'

const widest = [
  ['deny', 'ruleAnswer.deny'], ['allow', 'ruleAnswer.allow'], ['favorites', 'ruleAnswer.favorites'],
  ['latest', 'ruleAnswer.latest']]
// Adding needs no selection.
const widestAdding = [['deny', 'ruleAnswer.deny'], ['allow', 'allowAdding']]
const narrowest = [['restrict', 'ruleAnswer.restrict']]
const selectors = { favorites: { favorite: true }, latest: { last: 100 } }

export function field(label, control) {
  control.setAttribute('aria-label', label)
  return h('label', { class: 'line' }, h('strong', {}, label), control)
}

export const select = (key, options) =>
  h('select', { class: 'field', name: key }, options.map(([value, text]) => h('option', { value }, text)))

// The dialog for a new rule.
export class RuleForm {
  // The apps as shown: a later name change does not alter the rule.
  apps = state.apps
  uid = h('input', { class: 'field', maxlength: '64', autocapitalize: 'none', spellcheck: 'false' })
  identifier = h('input', { class: 'field', maxlength: '128', placeholder: t('anyApp') })
  // The fields for an app that is not in the list, and the facts about one that is.
  others = h('div', {}, field(t('userName'), this.uid), field(t('identifier'), this.identifier))
  verified = h('div', {})
  library = select('library', state.libraries.map(({ name }) => [name, name]))
  level = select('level', [['readWrite', t('short.reading')], ['addOnly', t('short.addOnly')]])
  answer = select('answer', [])
  problem = h('p', { class: 'status', role: 'status' })

  constructor() {
    const offeredTo = state.libraries.flatMap(library => library.offeredTo.filter(uid => uid !== library.owner))
    const users = [...new Set([...this.apps.map(app => app.uid), ...offeredTo])]
    this.app = select('app', [...this.apps.map(app => [app.app, nameOf(app)]),
      ...users.map(uid => [`uid ${uid}`, t('anyAppOf', { uid: account(uid) })]), ['other', t('anotherApp')]])
    this.app.addEventListener('change', () => this.reveal())
    this.reveal()
    for (const decisive of [this.library, this.level]) decisive.addEventListener('change', () => this.offerAnswers())
    this.offerAnswers()
    this.keep = once(close => this.save(close))
  }

  open() {
    const submit = close => event => {
      event.preventDefault()
      this.keep(close)
    }
    return dialog(t('newRuleTitle'), close => h('form', { novalidate: true, onsubmit: submit(close) },
      h('p', { class: 'quiet' }, t('newRuleText')), field(t('ruleFor'), this.app), this.verified, this.others,
      state.libraries.length > 1 && field(t('library'), this.library), field(t('access'), this.level),
      field(t('ruleDoes'), this.answer), this.problem,
      h('div', { class: 'actions' },
        h('button', { class: 'plain', type: 'button', onclick: () => close() }, t('cancel')),
        h('button', { class: 'primary' }, t('save')))))
  }

  get chosenApp() { return this.apps.find(other => other.app === this.app.value) }

  reveal() {
    const { chosenApp, library } = this
    this.others.hidden = this.app.value !== 'other'
    if (chosenApp && !isOffered(libraryNamed(library.value), chosenApp)) {
      library.value = state.libraries.find(other => isOffered(other, chosenApp))?.name ?? library.value
      library.dispatchEvent(new Event('change'))
    }
    show(this.verified, chosenApp && [facts(chosenApp), h('p', { class: 'quiet' }, scopeText(chosenApp))])
  }

  offerAnswers() {
    const { answer } = this, chosen = answer.value
    const answers = !decides(libraryNamed(this.library.value)) ? narrowest : this.level.value === 'addOnly'
      ? widestAdding : widest
    show(answer, answers.map(([value, words]) => h('option', { value }, t(words))))
    if (answers.some(([value]) => value === chosen)) answer.value = chosen
  }

  // The rule's subject; undefined, with a message, if the input is invalid.
  async subject() {
    const { chosenApp: app } = this
    if (app) return { uid: app.uid, identifier: app.identifier, verifiedIdentity: app.verifiedIdentity }
    if (this.app.value !== 'other') return { uid: Number(this.app.value.slice('uid '.length)) }
    const identifier = this.identifier.value.trim(), user = this.uid.value.trim(), uid = await userNamed(user)
    const isNamed = !identifier || /^[A-Za-z0-9._-]+$/.test(identifier)
    if (uid !== undefined && isNamed) return { uid, identifier: identifier || undefined }
    this.problem.textContent = uid !== undefined ? t('noIdentifier')
      : t(user ? 'noUser' : 'noUserTyped', { name: user })
    const wrong = uid === undefined ? this.uid : this.identifier
    wrong.focus()
  }

  // Confirms a rule for the whole library, or one that answers waiting questions. The confirmed
  // rule is the one saved.
  isMeant(rule, waiting) {
    const isAll = rule.answer === 'allow' && rule.level === 'readWrite'
    return !isAll && waiting === 0 ? true
      : ask(t(isAll ? 'allowAllRuleTitle' : 'newRuleTitle'), isAll ? 'allowAll' : 'save', [
      state.libraries.length > 1 && h('p', { class: 'quiet' }, t('inLibrary', { library: rule.library })),
      h('p', {}, scopeText(rule)), this.chosenApp && facts(this.chosenApp),
      isAll && h('p', {}, t('allowAllRuleText', { n: libraryNamed(rule.library)?.assets ?? 0 }), ' ',
        t('mayChangeAll')),
      waiting > 0 && h('p', {}, t('ruleAnswersAtOnce', { n: waiting }))])
  }

  async save(close) {
    this.problem.textContent = ''
    try {
      const subject = await this.subject()
      if (!subject) return
      const library = this.library.value, select = selectors[this.answer.value]
      const rule = {
        ...subject, library, level: this.level.value, answer: select ? 'select' : this.answer.value,
        select: select && [select],
      }
      // Saving replaces a rule of the same name, so the name must be free at this moment.
      rule.name = freeName(await listed('ListRules', 'rules', { library }), library)
      const { rules: [{ answers }], outcome } = await call('Apply', { rules: [rule], preview: true })
      if (!await this.isMeant(rule, answers)) return
      const { decisions } = await call('Apply', { rules: [rule], outcome, inSettings: true })
      close()
      const text = [t('ruleMade', { rule: rule.name }), answers > 0 && t('ruleAnswered', { n: answers })]
        .filter(Boolean).join(' ')
      toast(text, undo(decisions, undefined, t('ruleTakenBack', { rule: rule.name })))
    } catch (refusal) { tellProblem(this.problem, failureText(refusal)) }
  }
}

// The apps that a rule matches. Without a verified identity, any program of the user can use the
// same identifier.
const scopeText = ({ identifier, uid, verifiedIdentity }) => !identifier ? t('anyAppOf', { uid: account(uid) })
  : t(verifiedIdentity ? 'ruleScope.verified' : 'ruleScope',
    { uid: account(uid), identifier, verified: verifiedIdentity })

const nameOf = app => apartFrom(app) ? toldApart(app) : `${toldApart(app)} · ${t('user', { uid: account(app.uid) })}`

function freeName(rules, library) {
  for (let number = 1; ; number++) {
    if (!rules.some(rule => rule.library === library && rule.name === `rule-${number}`)) return `rule-${number}`
  }
}
