import { Cards } from './cards.js'
import { h, show, tellProblem, toast } from './dom.js'
import { icon } from './icons.js'
import { call, onchange, state } from './server.js'
import { appName, askForAll, choose, choosingText, clearAway, drafted, words } from './chooser.js'
import { agoText, t, wanted } from './text.js'
import { avatar, facts, quote, sight, toldApart } from './apps.js'
import { undo } from './decisions.js'
import { toBegin } from './libraries.js'

const batch = 10000

// What waits for the person: one card a question. One that is answered elsewhere goes away by itself.
export function requests(place, go) {
  const list = h('div', { class: 'cards', 'aria-live': 'polite' })
  const heading = h('h1', {}, t('requests'))
  show(place, h('main', { class: 'sheet' }, heading, list))
  const cards = new Cards(list)
  // What each card is about.
  const questions = new Map()
  // By question: says anew what its card says of the app's access.
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
      // The question in the other words may stand where this one stood.
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

// How long a question has waited; it is not read out whenever that is something else.
const ago = since => h('time', { 'data-since': since, 'aria-live': 'off' }, agoText(since))

// Those that were answered here, for as long as the broker has not said that they are gone.
const answered = new Set()
// Those of which nobody knows whether they were answered here.
const lost = new Set()

// Why a question or a picker waits no longer. One whose app says something else of itself by now is asked under another name.
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

// What a card is called, so that those of one app are not called the same.
const labelOf = ({ app, library, level, picker }) =>
  [t('requestOf', { app: toldApart(app) }), state.libraries.length > 1 && library, level === 'addOnly' && t('short.addOnly'), picker && t('group.picker')].filter(Boolean).join(', ')

// Words that may become others while they stand there. Gives their element, and what says them anew where they are others now.
function living(element, say, shown = text => text) {
  let told
  return { element, renew() {
    const text = say()
    if (text === told) return
    told = text
    show(element, shown(text))
  } }
}

// The same for words with a number that changes by itself. `say()`: what the words mean, which a press rests upon, and the words.
const counting = (element, say) => ({ element, renew() {
  const [means, text] = say()
  element.hidden = text === ''
  if (text === element.textContent) return
  element.dataset.means = means
  show(element, h('span', { 'data-passing': '' }, text))
} })

// A question as it is by now.
const latest = prompt => state.prompts.find(other => other.prompt === prompt.prompt) ?? prompt

function card(prompt, go, cards) {
  const { app } = prompt
  const title = living(h('h2', {}), () => t(titles[prompt.kind]?.(prompt) ?? 'wantsToSee', { app: '\u0000' }), text => words(text, appName(app)))
  const own = counting(h('p', { class: 'quiet' }), () => {
    const { joining } = latest(prompt)
    return joining > 0 ? ['seesOwn', t('seesOwn', { n: joining })] : ['', '']
  })
  const status = h('p', { class: 'status', role: 'status' })
  const buttons = prompt.answers.map(answer => {
    const isMain = answer === 'select' || answer === 'change' || (prompt.level === 'addOnly' && answer === 'allow')
    return h('button', { class: isMain ? 'primary' : 'plain', 'data-answer': answer, onclick: () => respond(prompt, answer, status, go, cards) }, t(answerText(prompt, answer)))
  })
  // The choice that shares least stands first and is the easiest to hit.
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

// The words for what an app asks for: videos where it takes nothing else.
const ofKind = (key, picker) => picker.mediaTypes.length === 1 && picker.mediaTypes[0] === 'video' ? `${key}.video` : key

// What an app receives by a picker, and what it sees beside that.
function receives({ app, library }) {
  const grant = sight(app.app, library)
  const key = !grant ? 'pickerText' : grant.status === 'authorized' ? 'pickerText.full' : 'pickerText.limited'
  return [key, t(key, { n: grant?.visible })]
}

function pickerCard(picker, go, cards) {
  const { app } = picker, id = `picker ${picker.picker}`
  const cancel = async () => {
    // One answer a question, however often a button is pressed.
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
    h('div', { class: 'prompt-head' }, avatar(app, 'large'), h('div', {}, h('h2', {}, ...words(t(ofKind(picker.selectionLimit === 1 ? 'wantsOne' : 'wantsSome', picker), { app: '\u0000' }), appName(app))),
      h('p', { class: 'quiet' }, t('inLibrary', { library: picker.library }), ' · ', ago(picker.opened)))),
    note.element, facts(app),
    h('div', { class: 'prompt-answers' }, h('button', { class: 'primary', onclick: () => go(`/picker/${picker.picker}`) }, t('pick')),
      h('button', { class: 'plain', onclick: cancel }, t('cancel'))))
  return { element, renew: note.renew }
}

const libraryOf = ({ library }) => state.libraries.find(other => other.name === library) ?? { assets: 0 }

// What an app asks for: how many, of which kind, in which order.
const pickerTerms = picker => [t('pickingText'), receives(picker)[1],
  picker.mediaTypes.length === 1 && t(`pickerOnly.${picker.mediaTypes[0]}`), picker.selectionLimit > 1 && picker.selectionLimit < libraryOf(picker).assets && t('limitReached', { n: picker.selectionLimit }) + '.',
  picker.ordered && t('pickerOrdered')].filter(Boolean).join(' ')

// The picker: the person browses everything, the app receives what is picked and nothing else (R74).
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
      throw refusal
    }
    answered.add(`picker ${id}`)
    // Also to whoever went elsewhere meanwhile.
    if (assets?.length > 0) toast(t('given', { app: picker.app.displayName || picker.app.identifier }))
    go('/')
  }
  const chooser = choose(place, {
    library: picker.library, app: picker.app, isPicker: true, isFirst: true, kind, limit: picker.selectionLimit, isOrdered: picker.ordered,
    preselected: picker.preselected,
    title: words(t('picking', { app: '\u0000' }), appName(picker.app)), subtitle: () => pickerTerms(picker),
    totalText: (n, kind) => [...words(t(n ? `receives${kind}` : 'receivesNothing', { app: '\u0000', n }), appName(picker.app)),
      n > 0 && !sight(picker.app.app, picker.library) && ` ${t('andNothingElse')}`],
    doneText: (n, kind) => n ? t(`give${kind}`, { n }) : t('giveNothing'),
    save: ({ order, again }) => end(order, again),
    cancel: () => end(undefined).catch(() => go('/')),
  })
  const stop = onchange(() => {
    if (!isAnswered && !state.pickers.some(picker => picker.picker === id)) { toast(whyGone(picker)); go('/') }
  })
  return { ...chooser, end() { stop(); chooser.end() }, isWide: true, library: picker.library }
}

function answerText(prompt, answer) {
  if (answer === 'allow') return prompt.level === 'addOnly' ? 'allowAdding' : 'allowAll'
  return { select: 'selectPhotos', deny: 'dontAllow', keep: 'keepSelection', change: 'changeSelection', cancel: 'notNow' }[answer] ?? answer
}

async function respond(prompt, answer, status, go, cards) {
  if (answer === 'select' || answer === 'change') return go(`/prompt/${prompt.prompt}`)
  if (answer === 'allow' && prompt.level === 'readWrite' && !await confirmAll(prompt, cards)) return
  // One answer a question, however often a button is pressed.
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
    // Where it was answered all the same, its card goes.
    if (refusal.name === 'Lost') {
      lost.add(prompt.prompt)
      toast(refusal.message)
    }
  }
}

// What holds by an answer, and the word that takes it back where it changed something.
function tellAnswer({ app, level }, answer, decisions) {
  const decided = { allow: level === 'addOnly' ? 'answered.allow.adding' : 'answered.allow', deny: 'answered.deny' }[answer]
  toast(t(decided ?? 'answered.asBefore', { app: app.displayName || app.identifier }), decided && undo(decisions))
}

// Whether all of the library is meant. Asks no longer than the question itself waits: it may be answered elsewhere meanwhile.
async function confirmAll(prompt, cards) {
  let stop
  const answer = await askForAll(prompt.app, prompt.library, close => {
    stop = onchange(() => { if (!state.prompts.some(other => other.prompt === prompt.prompt)) close('answered') })
  })
  stop()
  if (answer === 'answered') {
    // Its buttons were over theirs.
    cards.settle()
    toast(whyGone(prompt))
  }
  return answer === true
}

// The selection page of a question.
export function promptSelection(place, go, id) {
  const prompt = state.prompts.find(prompt => prompt.prompt === id)
  if (!prompt) { go('/'); return { end() {} } }
  const grant = state.grants.find(grant => grant.library === prompt.library && grant.app === prompt.app.app && grant.level === 'readWrite')
  const isFirst = prompt.kind === 'authorization'
  const answer = prompt.kind === 'keepSelection' ? 'change' : 'select'
  let isSaved = false
  const chooser = choose(place, {
    library: prompt.library, app: prompt.app, isFirst: isFirst && !(grant?.selected > 0),
    title: words(t('choosing', { app: '\u0000' }), appName(prompt.app)),
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
        // All of it takes effect at once, so that the app is told what is new in it (R63).
        const last = Math.max(0, Math.ceil(all.length / batch) - 1) * batch
        const draft = await drafted(all.slice(0, last), (draft, selector) => call('DraftAnswer', { prompt: id, draft, selector }))
        decisions = (await call('AnswerPrompt', { prompt: id, answer, draft, selector: { identifiers: all.slice(last) }, language: wanted })).decisions
      } catch (refusal) {
        isSaved = false
        if (refusal.name === 'Lost') lost.add(id)
        throw refusal
      }
      answered.add(id)
      toast(t('savedFor', { app: prompt.app.displayName || prompt.app.identifier }), undo(decisions))
      go('/')
    },
    cancel: () => go('/'),
  })
  const stop = onchange(() => {
    if (!isSaved && !state.prompts.some(prompt => prompt.prompt === id)) {
      toast(whyGone(prompt))
      go('/')
    }
  })
  return { ...chooser, end() { stop(); chooser.end() }, isWide: true, library: prompt.library }
}
