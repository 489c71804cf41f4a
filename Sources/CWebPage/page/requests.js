import { Cards } from './cards.js'
import { undo } from './decisions.js'
import { emptyNote, failureText, h, selectLine, show, tellProblem, toast, toastFailure } from './dom.js'
import { confirmFullAccess, termChoices } from './grants.js'
import { avatar, facts, quote, textAbout, toldApart } from './identity.js'
import { toBegin } from './libraries.js'
import { notifyButton } from './notices.js'
import {
  answered, chosen, chosenText, durations, endOf, latest, lost, pickerText, sending, whyGone,
} from './questions.js'
import { clearUnreachable } from './selectionPage.js'
import { call, libraryNamed, onchange, state, tellSoon } from './server.js'
import { deletionLine } from './terms.js'
import { agoText, hasText, t, wanted } from './text.js'
import { pictureElements } from './thumbnails.js'

// Photos per call; an answer of this size fits a message.
const batch = 200

// The Requests page: one card per question. Questions answered elsewhere disappear.
export function requests(place, go) {
  const list = h('div', { class: 'cards', 'aria-live': 'polite' })
  const heading = h('h1', {}, t('requests'))
  show(place, h('main', { class: 'sheet' }, h('div', { class: 'panel-head' }, heading, notifyButton()), list))
  const cards = new Cards(list)
  const questions = new Map()
  // By question: updates the card's text about the app's access.
  const renewals = new Map()

  function draw() {
    const waiting = new Map([
      ...state.prompts.map(prompt => [prompt.prompt, [prompt, () => card(prompt, go, cards)]]),
      ...state.pickers.map(picker => [`picker ${picker.picker}`, [picker, () => pickerCard(picker, go, cards)]]),
      ...state.deletions.map(request => [`deletion ${request.deletion}`,
        [request, () => deletionCard(request, cards)]])])
    for (const id of cards.ids) {
      if (waiting.has(id)) continue
      if (sending.has(id)) {
        sending.set(id, true)
        continue
      }
      const why = whyGone(questions.get(id))
      questions.delete(id)
      cards.end(id, why)
      // Tells that the app's text changed, because the new card may stand where the old one stood.
      if (why === t('askedAnew')) toast(why)
    }
    for (const id of answered) if (!waiting.has(id)) answered.delete(id)
    const fresh = [...waiting].filter(([id]) => !cards.has(id) && !answered.has(id))
    for (const status of list.querySelectorAll('.status')) clearUnreachable(status)
    if (fresh.length > 0) list.querySelector('.empty')?.remove()
    for (const [id, [question, make]] of fresh) {
      questions.set(id, question)
      const { element, renew } = make()
      renew()
      cards.add(id, element)
      renewals.set(id, renew)
    }
    for (const [id, renew] of renewals) cards.has(id) ? renew() : renewals.delete(id)
    cards.check()
    const isBeginning = state.libraries.length === 0
    if (cards.size === 0 && list.querySelector('.empty')?.dataset.isBeginning !== String(isBeginning)) {
      list.querySelector('.empty')?.remove()
      const note = list.appendChild(isBeginning ? toBegin(go) : emptyNote('shield', t('noRequests'),
        h('p', {}, t('noRequestsText')), h('button', { class: 'plain', onclick: () => go('/apps') }, t('seeApps'))))
      note.dataset.isBeginning = String(isBeginning)
    }
  }
  draw()
  const stop = onchange(draw)
  const timer = setInterval(() => {
    for (const time of list.querySelectorAll('time')) time.textContent = agoText(Number(time.dataset.since))
  }, 30_000)
  return { end() { stop(); clearInterval(timer); cards.stop() } }
}

// The waiting time of a question; `aria-live` is off, so that screen readers skip its updates.
const ago = since => h('time', { 'data-since': since, 'aria-live': 'off' }, agoText(since))

const isPaused = (app, library) =>
  state.grants.some(grant => grant.library === library && grant.app === app.app && grant.level === 'readWrite'
    && grant.paused)

const titles = {
  authorization: ({ level, readOnly }) =>
    level === 'addOnly' ? 'wantsToAdd' : readOnly ? 'wantsToSeeOnly' : 'wantsToSee',
  keepSelection: ({ app, library }) => isPaused(app, library) ? 'keepOrChange.paused' : 'keepOrChange',
  selection: () => 'wantsSelection',
  allowance: ({ exceeded }) => hasText(`tookMore.${exceeded}`) ? `tookMore.${exceeded}` : 'tookMore',
}

// The accessible name of a card, unique among an app's cards.
const labelOf = ({ app, library, level, picker, deletion }) =>
  [t('requestOf', { app: toldApart(app) }), state.libraries.length > 1 && library,
    level === 'addOnly' && t('short.addOnly'), picker && t('group.picker'),
    deletion && t('deletion')].filter(Boolean).join(', ')

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

function card(prompt, go, cards) {
  const { app } = prompt
  const title = living(h('h2', {}), () => titles[prompt.kind]?.(prompt) ?? 'wantsToSee', key => textAbout(app, key))
  const own = counting(h('p', { class: 'quiet' }), () => {
    const { joining } = latest(prompt)
    return joining > 0 ? ['seesOwn', t('seesOwn', { n: joining })] : ['', '']
  })
  const sees = counting(h('p', {}), () => prompt.kind !== 'authorization' ? ['', '']
    : prompt.level === 'addOnly' ? ['seesNone', t('seesNone')]
    : ['wouldSee', t('wouldSee', { n: libraryNamed(prompt.library)?.assets ?? 0 })])
  const status = h('p', { class: 'status', role: 'status' })
  const buttons = prompt.answers.map(answer => h('button',
    { class: 'plain', 'data-answer': answer, onclick: () => respond(prompt, answer, status, go, cards) },
    t(answerText(prompt, answer))))
  // Of the answers that give access, the one that shares least comes first. None is the main one.
  const rank = { select: 0, change: 0, allow: 1, keep: 1, resume: 1, deny: 2, cancel: 2, pause: 2 }
  buttons.sort((a, b) => rank[a.dataset.answer] - rank[b.dataset.answer])
  const element = h('article', { class: 'card prompt', 'aria-label': labelOf(prompt) },
    h('div', { class: 'prompt-head' }, avatar(app, 'large'),
      h('div', {}, title.element,
        h('p', { class: 'quiet' }, t('inLibrary', { library: prompt.library }), ' · ', ago(prompt.asked)))),
    facts(app), prompt.usageDescription && quote(prompt.usageDescription),
    sees.element, own.element,
    refusal(prompt),
    prompt.kind === 'authorization' && termsPart(prompt),
    h('div', { class: 'prompt-answers' }, buttons), status)
  return { element, renew() { for (const part of [title, sees, own]) part.renew() } }
}

// Tells of the changes that the storage takes none of, so that no answer promises them (R158).
function refusal({ level, storageRefuses }) {
  const refused = storageRefuses.filter(verb => verb === 'add' || level !== 'addOnly')
  return refused.length > 0 && h('p', { class: 'quiet' }, t(`storageRefuses.${refused.join('.')}`))
}

// The terms of the access, which each answer that gives some takes along (R149, R151, R160).
function termsPart(prompt) {
  const choice = chosen(prompt), { terms } = choice
  const deletions = !prompt.storageRefuses.includes('delete')
    && deletionLine(terms.deletions, right => { terms.deletions = right })
  const choose = change => {
    Object.assign(terms, change)
    if (deletions) deletions.querySelector('select').disabled = !terms.changes
  }
  choose({})
  return h('div', { class: 'terms', role: 'group', 'aria-label': t('details') },
    prompt.level === 'readWrite' && [termChoices(terms, choose), deletions],
    selectLine(t('lasts'), t('lasts.text'), choice.duration, durations.map(key => [key, t(`lasts.${key}`)]),
      key => { choice.duration = key }))
}

// The text key for the requested media: a variant for videos only.
const ofKind = (key, { mediaTypes }) => mediaTypes.length === 1 && mediaTypes[0] === 'video' ? `${key}.video` : key

// Answers a picker or a deletion on its card, once even after a double press.
async function answer(element, cards, id, name, answering) {
  const buttons = [...element.querySelectorAll('.prompt-answers button')]
  for (const button of buttons) button.disabled = true
  sending.set(id, false)
  try {
    await answering()
    answered.add(id)
    cards.end(id, t('answered'))
  } catch (refusal) {
    for (const button of buttons) button.disabled = false
    if (refusal.name === 'Lost') lost.add(name)
    toastFailure(refusal)
  } finally { settle(id) }
}

// Pictures on a card at first.
const firstPictures = 24

// Shows the photos that an app asks to delete (R153). No answer is the main one.
function deletionCard(request, cards) {
  const { app, library, assets, deletion } = request, id = `deletion ${deletion}`, n = assets.length
  const strip = h('div', { class: 'strip' })
  const fill = async limit => {
    const found = []
    for (let skip = 0; skip < limit; skip += batch) {
      const identifiers = assets.slice(skip, Math.min(limit, skip + batch))
      const page = await call('FetchOwnedAssets', { library, selector: { identifiers }, limit: batch })
      found.push(...page.assets)
    }
    show(strip, pictureElements(library, found),
      limit < n && h('button', { class: 'link', onclick: () => fill(n).catch(toastFailure) },
        t('showAllPhotos', { n })))
  }
  fill(Math.min(n, firstPictures)).catch(toastFailure)
  const stays = libraryNamed(library)?.storageRefuses.includes('delete')
  const send = allow => answer(element, cards, id, deletion, () => call('AnswerDeletion', { deletion, allow }))
  const element = h('article', { class: 'card prompt', 'aria-label': labelOf(request) },
    h('div', { class: 'prompt-head' }, avatar(app, 'large'),
      h('div', {}, h('h2', {}, textAbout(app, 'wantsToDelete', { n })),
        h('p', { class: 'quiet' }, t('inLibrary', { library }), ' · ', ago(request.asked)))),
    strip, h('p', { class: 'quiet' }, t(stays ? 'deletionText.stays' : 'deletionText')), facts(app),
    h('div', { class: 'prompt-answers' },
      h('button', { class: 'plain', onclick: () => send(false) }, t('keepPhotos')),
      h('button', { class: 'danger', onclick: () => send(true) }, t('deletePhotos', { n }))))
  return { element, renew() {} }
}

function pickerCard(picker, go, cards) {
  const { app } = picker, id = `picker ${picker.picker}`
  const cancel = () =>
    answer(element, cards, id, picker.picker, () => call('AnswerPicker', { picker: picker.picker }))
  const note = counting(h('p', { class: 'quiet picker-note' }), () => pickerText(picker))
  const element = h('article', { class: 'card prompt', 'aria-label': labelOf(picker) },
    h('div', { class: 'prompt-head' }, avatar(app, 'large'),
      h('div', {}, h('h2', {}, textAbout(app, ofKind(picker.selectionLimit === 1 ? 'wantsOne' : 'wantsSome', picker))),
      h('p', { class: 'quiet' }, t('inLibrary', { library: picker.library }), ' · ', ago(picker.opened)))),
    note.element, facts(app),
    h('div', { class: 'prompt-answers' },
      h('button', { class: 'primary', onclick: () => go(`/picker/${picker.picker}`) }, t('pick')),
      h('button', { class: 'plain', onclick: cancel }, t('cancel'))))
  return { element, renew: note.renew }
}

function answerText(prompt, answer) {
  if (answer === 'allow') return prompt.level === 'addOnly' ? 'allowAdding' : 'allowAll'
  return { select: 'selectPhotos', deny: 'dontAllow', keep: 'keepSelection', change: 'changeSelection',
    cancel: 'notNow', resume: 'resume', pause: 'leavePaused' }[answer] ?? answer
}

async function respond(prompt, answer, status, go, cards) {
  if (answer === 'select' || answer === 'change') return go(`/prompt/${prompt.prompt}`)
  const isFull = answer === 'allow' && prompt.level === 'readWrite'
  if (isFull && !await confirmAll(prompt, cards)) return
  // One answer per question, even after a double press.
  const article = status.closest('article')
  const buttons = [...article.querySelectorAll('.prompt-answers button')]
  for (const button of buttons) button.disabled = true
  sending.set(prompt.prompt, false)
  try {
    const { decisions } = await call('AnswerPrompt', { prompt: prompt.prompt, answer, language: wanted,
      terms: isFull ? chosen(prompt).terms : undefined,
      ...answer === 'allow' && prompt.kind === 'authorization' && endOf(prompt) })
    answered.add(prompt.prompt)
    cards.end(prompt.prompt, t('answered'))
    tellAnswer(prompt, answer, decisions)
  } catch (refusal) {
    for (const button of buttons) button.disabled = false
    if (refusal.name === 'NotFound') toast(whyGone(prompt))
    else tellProblem(status, failureText(refusal))
    // The answer may have arrived, so the card goes.
    if (refusal.name === 'Lost') {
      lost.add(prompt.prompt)
      toast(refusal.message)
    }
  } finally { settle(prompt.prompt) }
}

// Call this when an answer has its outcome.
function settle(id) {
  const isGone = sending.get(id)
  sending.delete(id)
  if (isGone) tellSoon()
}

// Shows the outcome of an answer, with Undo if it changed something.
function tellAnswer({ app, level }, answer, decisions) {
  const decided = { allow: level === 'addOnly' ? 'answered.allow.adding' : 'answered.allow',
    deny: 'answered.deny', resume: 'answered.resume' }[answer]
  toast(t(decided ?? 'answered.asBefore', { app: app.displayName || app.identifier }), decided && undo(decisions))
}

// Confirms access to the whole library. Closes if the question is answered elsewhere. Resolves to
// whether it is meant.
async function confirmAll(prompt, cards) {
  let stop
  const answer = await confirmFullAccess(prompt.app, prompt.library, h('p', {}, chosenText(prompt)), close => {
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
