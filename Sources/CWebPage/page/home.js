import { Cards } from './cards.js'
import { choose, choosingText, clearAway, drafted } from './chooser.js'
import { undo } from './decisions.js'
import { h, show, tellProblem, toast } from './dom.js'
import { askForAll, sight } from './grants.js'
import { icon } from './icons.js'
import { avatar, facts, quote, textAbout, toldApart } from './identity.js'
import { toBegin } from './libraries.js'
import { call, onchange, state } from './server.js'
import { agoText, t, wanted } from './text.js'

const batch = 10000

// The Requests page: one card per question. Questions answered elsewhere disappear.
export function requests(place, go) {
  const list = h('div', { class: 'cards', 'aria-live': 'polite' })
  const heading = h('h1', {}, t('requests'))
  show(place, h('main', { class: 'sheet' }, heading, list))
  const cards = new Cards(list)
  const questions = new Map()
  // By question: updates the card's text about the app's access.
  const renewals = new Map()

  function draw() {
    const waiting = new Map([
      ...state.prompts.map(prompt => [prompt.prompt, [prompt, () => card(prompt, go, cards)]]),
      ...state.pickers.map(picker => [`picker ${picker.picker}`, [picker, () => pickerCard(picker, go, cards)]])])
    for (const id of cards.ids) {
      if (waiting.has(id)) continue
      const why = whyGone(questions.get(id))
      questions.delete(id)
      cards.end(id, why)
      // Tells that the app's text changed, because the new card may stand where the old one stood.
      if (why === t('askedAnew')) toast(why)
    }
    for (const id of answered) if (!waiting.has(id)) answered.delete(id)
    const fresh = [...waiting].filter(([id]) => !cards.has(id) && !answered.has(id))
    for (const status of list.querySelectorAll('.status')) clearAway(status)
    if (fresh.length > 0) list.querySelector('.empty')?.remove()
    for (const [id, [question, make]] of fresh) {
      questions.set(id, question)
      const { element, renew } = make()
      renew()
      cards.add(id, element)
      renewals.set(id, renew)
    }
    for (const [id, renew] of renewals) cards.has(id) ? renew() : renewals.delete(id)
    cards.look()
    const isBeginning = state.libraries.length === 0
    if (cards.size === 0 && list.querySelector('.empty')?.dataset.isBeginning !== String(isBeginning)) {
      list.querySelector('.empty')?.remove()
      list.append(h('div', { class: 'empty', 'data-is-beginning': String(isBeginning) }, h('div', { class: 'empty-picture' }, icon('shield')), h('h2', {}, t('noRequests')), h('p', {}, t('noRequestsText')),
        isBeginning ? toBegin() : h('button', { class: 'plain', onclick: () => go('/apps') }, t('seeApps'))))
    }
  }
  draw()
  const stop = onchange(draw)
  const timer = setInterval(() => { for (const time of list.querySelectorAll('time')) time.textContent = agoText(Number(time.dataset.since)) }, 30_000)
  return { end() { stop(); clearInterval(timer); cards.stop() } }
}

// The waiting time of a question; `aria-live` is off, so that screen readers skip its updates.
const ago = since => h('time', { 'data-since': since, 'aria-live': 'off' }, agoText(since))

// Questions answered here, until the broker removes them.
const answered = new Set()
// Questions whose answer got lost on the way: their outcome is unknown.
const lost = new Set()

// Explains why a question disappeared. An app that changed its text asks again under a new
// identifier.
function whyGone(question) {
  if (lost.has(question.prompt ?? question.picker)) return t('outcomeUnknown')
  const terms = ({ app, library, level, kind, asked, opened }) => JSON.stringify([app.app, library, level, kind, asked, opened])
  return t([...state.prompts, ...state.pickers].some(other => terms(other) === terms(question)) ? 'askedAnew' : 'answeredElsewhere')
}

const isPaused = (app, library) => state.grants.some(grant => grant.library === library && grant.app === app.app && grant.level === 'readWrite' && grant.paused)

const titles = {
  authorization: prompt => prompt.level === 'addOnly' ? 'wantsToAdd' : 'wantsToSee',
  keepSelection: ({ app, library }) => isPaused(app, library) ? 'keepOrChange.paused' : 'keepOrChange',
  selection: () => 'wantsSelection',
}

// The accessible name of a card, unique among an app's cards.
const labelOf = ({ app, library, level, picker }) =>
  [t('requestOf', { app: toldApart(app) }), state.libraries.length > 1 && library, level === 'addOnly' && t('short.addOnly'), picker && t('group.picker')].filter(Boolean).join(', ')

// A text that may change. Returns its element and `renew()`, which updates it.
function living(element, say, shown = text => text) {
  let told
  return { element, renew() {
    const text = say()
    if (text === told) return
    told = text
    show(element, shown(text))
  } }
}

// The same for a text with a changing number. `say()` returns its meaning, which guards presses,
// and the text.
const counting = (element, say) => ({ element, renew() {
  const [means, text] = say()
  element.hidden = text === ''
  if (text === element.textContent) return
  element.dataset.means = means
  show(element, h('span', { 'data-passing': '' }, text))
} })

const latest = prompt => state.prompts.find(other => other.prompt === prompt.prompt) ?? prompt

function card(prompt, go, cards) {
  const { app } = prompt
  const title = living(h('h2', {}), () => titles[prompt.kind]?.(prompt) ?? 'wantsToSee', key => textAbout(app, key))
  const own = counting(h('p', { class: 'quiet' }), () => {
    const { joining } = latest(prompt)
    return joining > 0 ? ['seesOwn', t('seesOwn', { n: joining })] : ['', '']
  })
  const status = h('p', { class: 'status', role: 'status' })
  const buttons = prompt.answers.map(answer => {
    const isMain = answer === 'select' || answer === 'change' || (prompt.level === 'addOnly' && answer === 'allow')
    return h('button', { class: isMain ? 'primary' : 'plain', 'data-answer': answer, onclick: () => respond(prompt, answer, status, go, cards) }, t(answerText(prompt, answer)))
  })
  // The answer that shares least comes first and is the main button.
  const rank = { select: 0, change: 0, allow: 1, keep: 1, deny: 2, cancel: 2 }
  const main = prompt.level === 'addOnly' ? { allow: 0, deny: 1 } : rank
  buttons.sort((a, b) => main[a.dataset.answer] - main[b.dataset.answer])
  const element = h('article', { class: 'card prompt', 'aria-label': labelOf(prompt) },
    h('div', { class: 'prompt-head' }, avatar(app, 'large'),
      h('div', {}, title.element,
        h('p', { class: 'quiet' }, t('inLibrary', { library: prompt.library }), ' · ', ago(prompt.asked)))),
    prompt.usageDescription && quote(prompt.usageDescription),
    own.element,
    facts(app),
    h('div', { class: 'prompt-answers' }, buttons), status)
  return { element, renew() { title.renew(); own.renew() } }
}

// The text key for the requested media: a variant for videos only.
const ofKind = (key, picker) => picker.mediaTypes.length === 1 && picker.mediaTypes[0] === 'video' ? `${key}.video` : key

// The text about the photos a picker gives, and those that the app sees anyway.
function receives({ app, library }) {
  const grant = sight(app.app, library)
  const key = !grant ? 'pickerText' : grant.status === 'authorized' ? 'pickerText.full' : 'pickerText.limited'
  return [key, t(key, { n: grant?.visible })]
}

function pickerCard(picker, go, cards) {
  const { app } = picker, id = `picker ${picker.picker}`
  const cancel = async () => {
    // One answer per question, even after a double press.
    const buttons = [...element.querySelectorAll('.prompt-answers button')]
    for (const button of buttons) button.disabled = true
    try {
      await call('AnswerPicker', { picker: picker.picker })
      answered.add(id)
      cards.end(id, t('answered'))
    } catch (refusal) {
      for (const button of buttons) button.disabled = false
      if (refusal.name === 'Lost') lost.add(picker.picker)
      toast(refusal.message || t('unreachable'))
    }
  }
  const note = counting(h('p', { class: 'quiet picker-note' }), () => receives(picker))
  const element = h('article', { class: 'card prompt', 'aria-label': labelOf(picker) },
    h('div', { class: 'prompt-head' }, avatar(app, 'large'), h('div', {}, h('h2', {}, textAbout(app, ofKind(picker.selectionLimit === 1 ? 'wantsOne' : 'wantsSome', picker))),
      h('p', { class: 'quiet' }, t('inLibrary', { library: picker.library }), ' · ', ago(picker.opened)))),
    note.element, facts(app),
    h('div', { class: 'prompt-answers' }, h('button', { class: 'primary', onclick: () => go(`/picker/${picker.picker}`) }, t('pick')),
      h('button', { class: 'plain', onclick: cancel }, t('cancel'))))
  return { element, renew: note.renew }
}

const libraryOf = ({ library }) => state.libraries.find(other => other.name === library) ?? { assets: 0 }

const pickerTerms = picker => [t('pickingText'), receives(picker)[1],
  picker.mediaTypes.length === 1 && t(`pickerOnly.${picker.mediaTypes[0]}`), picker.selectionLimit > 1 && picker.selectionLimit < libraryOf(picker).assets && t('limitReached', { n: picker.selectionLimit }) + '.',
  picker.ordered && t('pickerOrdered')].filter(Boolean).join(' ')

// The picker page: the user browses the library, and the app receives only the picked assets (R74).
export function picking(place, go, id) {
  const picker = state.pickers.find(picker => picker.picker === id)
  if (!picker) { go('/'); return { end() {} } }
  let isAnswered = false
  const kind = picker.mediaTypes.length === 1 ? picker.mediaTypes[0] : undefined
  const end = async (assets, again) => {
    isAnswered = true
    try { await call('AnswerPicker', { picker: id, assets, again }) } catch (refusal) {
      isAnswered = false
      if (refusal.name === 'Lost') lost.add(id)
      follow()
      throw refusal
    }
    answered.add(`picker ${id}`)
    // Shown even if the user left the page.
    if (assets?.length > 0) toast(t('given', { app: picker.app.displayName || picker.app.identifier }))
    go('/')
  }
  const chooser = choose(place, {
    library: picker.library, app: picker.app, isPicker: true, isFirst: true, kind, limit: picker.selectionLimit, isOrdered: picker.ordered,
    preselected: picker.preselected,
    title: textAbout(picker.app, 'picking'), subtitle: () => pickerTerms(picker),
    totalText: (n, kind) => [textAbout(picker.app, n ? `receives${kind}` : 'receivesNothing', { n }),
      n > 0 && !sight(picker.app.app, picker.library) && ` ${t('andNothingElse')}`],
    doneText: (n, kind) => n ? t(`give${kind}`, { n }) : t('giveNothing'),
    save: ({ order, again }) => end(order, again),
    cancel: () => end(undefined).catch(() => go('/')),
  })
  // Also once an answer failed: that it is gone may have been told meanwhile.
  const follow = () => {
    if (!isAnswered && !state.pickers.some(picker => picker.picker === id)) { toast(whyGone(picker)); go('/') }
  }
  const stop = onchange(follow)
  return { ...chooser, end() { stop(); chooser.end() }, isWide: true, library: picker.library }
}

function answerText(prompt, answer) {
  if (answer === 'allow') return prompt.level === 'addOnly' ? 'allowAdding' : 'allowAll'
  return { select: 'selectPhotos', deny: 'dontAllow', keep: 'keepSelection', change: 'changeSelection', cancel: 'notNow' }[answer] ?? answer
}

async function respond(prompt, answer, status, go, cards) {
  if (answer === 'select' || answer === 'change') return go(`/prompt/${prompt.prompt}`)
  if (answer === 'allow' && prompt.level === 'readWrite' && !await confirmAll(prompt, cards)) return
  // One answer per question, even after a double press.
  const article = status.closest('article')
  const buttons = [...article.querySelectorAll('.prompt-answers button')]
  for (const button of buttons) button.disabled = true
  try {
    const { decisions } = await call('AnswerPrompt', { prompt: prompt.prompt, answer, language: wanted })
    answered.add(prompt.prompt)
    cards.end(prompt.prompt, t('answered'))
    tellAnswer(prompt, answer, decisions)
  } catch (refusal) {
    for (const button of buttons) button.disabled = false
    tellProblem(status, refusal.name === 'NotFound' ? t('answeredElsewhere') : refusal.message || t('unreachable'))
    // The answer may have arrived, so the card goes.
    if (refusal.name === 'Lost') {
      lost.add(prompt.prompt)
      toast(refusal.message)
    }
  }
}

// Shows the outcome of an answer, with Undo if it changed something.
function tellAnswer({ app, level }, answer, decisions) {
  const decided = { allow: level === 'addOnly' ? 'answered.allow.adding' : 'answered.allow', deny: 'answered.deny' }[answer]
  toast(t(decided ?? 'answered.asBefore', { app: app.displayName || app.identifier }), decided && undo(decisions))
}

// Confirms access to the whole library. Closes if the question is answered elsewhere.
async function confirmAll(prompt, cards) {
  let stop
  const answer = await askForAll(prompt.app, prompt.library, close => {
    stop = onchange(() => { if (!state.prompts.some(other => other.prompt === prompt.prompt)) close('answered') })
  })
  stop()
  if (answer === 'answered') {
    // The dialog covered the cards, so their buttons wait for a moment.
    cards.settle()
    toast(whyGone(prompt))
  }
  return answer === true
}

export function promptSelection(place, go, id) {
  const prompt = state.prompts.find(prompt => prompt.prompt === id)
  if (!prompt) { go('/'); return { end() {} } }
  const grant = state.grants.find(grant => grant.library === prompt.library && grant.app === prompt.app.app && grant.level === 'readWrite')
  const isFirst = prompt.kind === 'authorization'
  const answer = prompt.kind === 'keepSelection' ? 'change' : 'select'
  let isSaved = false
  const chooser = choose(place, {
    library: prompt.library, app: prompt.app, isFirst: isFirst && !(grant?.selected > 0),
    title: textAbout(prompt.app, 'choosing'),
    subtitle: () => {
      const { joining } = latest(prompt)
      return joining > 0 ? `${t('choosingText.own', { n: joining })} ${t('mayChange')}` : choosingText()
    },
    mayKeep: true,
    doneText: (n, kind) => t(`${isFirst ? 'allowChosen' : 'saveChosen'}${kind}`, { n }),
    async save({ all }) {
      isSaved = true
      let decisions
      try {
        // The last call makes all batches effective at once, so that the app learns of all new
        // assets (R63).
        const last = Math.max(0, Math.ceil(all.length / batch) - 1) * batch
        const draft = await drafted(all.slice(0, last), (draft, selector) => call('DraftAnswer', { prompt: id, draft, selector }))
        decisions = (await call('AnswerPrompt', { prompt: id, answer, draft, selector: { identifiers: all.slice(last) }, language: wanted })).decisions
      } catch (refusal) {
        isSaved = false
        if (refusal.name === 'Lost') lost.add(id)
        follow()
        throw refusal
      }
      answered.add(id)
      toast(t('savedFor', { app: prompt.app.displayName || prompt.app.identifier }), undo(decisions))
      go('/')
    },
    cancel: () => go('/'),
  })
  // Also once an answer failed: that it is gone may have been told meanwhile.
  const follow = () => {
    if (!isSaved && !state.prompts.some(prompt => prompt.prompt === id)) {
      toast(whyGone(prompt))
      go('/')
    }
  }
  const stop = onchange(follow)
  return { ...chooser, end() { stop(); chooser.end() }, isWide: true, library: prompt.library }
}
