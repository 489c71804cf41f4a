import { Cards } from './cards.js'
import { announce, h, show, tellProblem, toast } from './dom.js'
import { icon } from './icons.js'
import { call, onchange, state } from './server.js'
import { appName, askForAll, choose, drafted, words } from './chooser.js'
import { agoText, t, wanted } from './text.js'
import { avatar, facts, quote, toldApart } from './apps.js'

const batch = 10000

// What waits for the person: one card a question. One that is answered elsewhere goes away by itself.
export function requests(place, go) {
  const list = h('div', { class: 'cards', 'aria-live': 'polite' })
  const heading = h('h1', {}, t('requests'))
  show(place, h('main', { class: 'sheet' }, heading, list))
  const cards = new Cards(list)
  // What each card is about.
  const questions = new Map()

  function draw() {
    const waiting = new Map([
      ...state.prompts.map(prompt => [prompt.prompt, [prompt, () => card(prompt, go, cards)]]),
      ...state.pickers.map(picker => [`picker ${picker.picker}`, [picker, () => pickerCard(picker, go)]])])
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
    // What was said of a broker that was away holds no longer once it is back.
    if (state.isReachable) for (const status of list.querySelectorAll('.status')) if (status.textContent === t('unreachable')) status.textContent = ''
    if (fresh.length > 0) list.querySelector('.empty')?.remove()
    for (const [id, [question, make]] of fresh) {
      questions.set(id, question)
      cards.add(id, make())
    }
    if (cards.size === 0 && !list.querySelector('.empty')) {
      list.append(h('div', { class: 'empty' }, h('div', { class: 'empty-picture' }, icon('shield')), h('h2', {}, t('noRequests')), h('p', {}, t('noRequestsText')),
        h('button', { class: 'plain', onclick: () => go('/apps') }, t('seeApps'))))
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

const titles = {
  authorization: prompt => prompt.level === 'addOnly' ? 'wantsToAdd' : 'wantsToSee',
  keepSelection: () => 'keepOrChange',
  selection: () => 'wantsSelection',
}

// What a card is called, so that those of one app are not called the same.
const labelOf = ({ app, library, level, picker }) =>
  [t('requestOf', { app: toldApart(app) }), state.libraries.length > 1 && library, level === 'addOnly' && t('short.addOnly'), picker && t('group.picker')].filter(Boolean).join(', ')

function card(prompt, go, cards) {
  const { app } = prompt
  const status = h('p', { class: 'status', role: 'status' })
  const buttons = prompt.answers.map(answer => {
    const isMain = answer === 'select' || answer === 'change' || (prompt.level === 'addOnly' && answer === 'allow')
    return h('button', { class: isMain ? 'primary' : 'plain', 'data-answer': answer, onclick: () => respond(prompt, answer, status, go, cards) }, t(answerText(prompt, answer)))
  })
  // The choice that shares least stands first and is the easiest to hit.
  const rank = { select: 0, change: 0, allow: 1, keep: 1, deny: 2, cancel: 2 }
  const main = prompt.level === 'addOnly' ? { allow: 0, deny: 1 } : rank
  buttons.sort((a, b) => main[a.dataset.answer] - main[b.dataset.answer])
  return h('article', { class: 'card prompt', 'aria-label': labelOf(prompt) },
    h('div', { class: 'prompt-head' }, avatar(app, 'large'),
      h('div', {}, h('h2', {}, ...words(t(titles[prompt.kind]?.(prompt) ?? 'wantsToSee', { app: '\u0000' }), appName(app))),
        h('p', { class: 'quiet' }, t('inLibrary', { library: prompt.library }), ' · ', ago(prompt.asked)))),
    prompt.usageDescription && quote(prompt.usageDescription),
    facts(app),
    h('div', { class: 'prompt-answers' }, buttons), status)
}

// The words for what an app asks for: videos where it takes nothing else.
const ofKind = (key, picker) => picker.mediaTypes.length === 1 && picker.mediaTypes[0] === 'video' ? `${key}.video` : key

function pickerCard(picker, go) {
  const { app } = picker
  return h('article', { class: 'card prompt', 'aria-label': labelOf(picker) },
    h('div', { class: 'prompt-head' }, avatar(app, 'large'), h('div', {}, h('h2', {}, ...words(t(ofKind(picker.selectionLimit === 1 ? 'wantsOne' : 'wantsSome', picker), { app: '\u0000' }), appName(app))),
      h('p', { class: 'quiet' }, t('inLibrary', { library: picker.library }), ' · ', ago(picker.opened)))),
    h('p', { class: 'quiet picker-note' }, t('pickerText')), facts(app),
    h('div', { class: 'prompt-answers' }, h('button', { class: 'primary', onclick: () => go(`/picker/${picker.picker}`) }, t('pick')),
      h('button', { class: 'plain', onclick: () => call('AnswerPicker', { picker: picker.picker }).catch(refusal => toast(refusal.message || t('unreachable'))) }, t('cancel'))))
}

const libraryOf = ({ library }) => state.libraries.find(other => other.name === library) ?? { assets: 0 }

// What an app asks for: how many, of which kind, in which order.
const pickerTerms = picker => [t('pickingText'),
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
    // Also to whoever went elsewhere meanwhile.
    if (assets?.length > 0) toast(t('given', { app: picker.app.displayName || picker.app.identifier }))
    go('/')
  }
  const chooser = choose(place, {
    library: picker.library, app: picker.app, isPicker: true, isFirst: true, kind, limit: picker.selectionLimit, isOrdered: picker.ordered,
    preselected: picker.preselected,
    title: words(t('picking', { app: '\u0000' }), appName(picker.app)), subtitle: pickerTerms(picker),
    totalText: (n, kind) => words(t(n ? `receives${kind}` : 'receivesNothing', { app: '\u0000', n }), appName(picker.app)),
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
    await call('AnswerPrompt', { prompt: prompt.prompt, answer, language: wanted })
    answered.add(prompt.prompt)
    cards.end(prompt.prompt, t('answered'))
    announce(t('answered'))
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
    subtitle: t('choosingText'),
    mayKeep: true,
    doneText: (n, kind) => t(`${isFirst ? 'allowChosen' : 'saveChosen'}${kind}`, { n }),
    async save({ all }) {
      isSaved = true
      try {
        // All of it takes effect at once, so that the app is told what is new in it (R63).
        const last = Math.max(0, Math.ceil(all.length / batch) - 1) * batch
        const draft = await drafted(all.slice(0, last), (draft, selector) => call('DraftAnswer', { prompt: id, draft, selector }))
        await call('AnswerPrompt', { prompt: id, answer, draft, selector: { identifiers: all.slice(last) }, language: wanted })
      } catch (refusal) {
        isSaved = false
        if (refusal.name === 'Lost') lost.add(id)
        throw refusal
      }
      toast(t('savedFor', { app: prompt.app.displayName || prompt.app.identifier }))
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
