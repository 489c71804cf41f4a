import { seeingGrant, termsText } from './grants.js'
import { rates } from './outcomes.js'
import { state } from './server.js'
import { endAfter } from './terms.js'
import { t } from './text.js'

// Questions answered here, until the broker removes them: identifiers of prompts, of pickers after
// "picker", and of deletions after "deletion".
export const answered = new Set()
// Questions whose answer is on its way, each with whether the news said meanwhile that it is gone: the
// answer's outcome is told, not the news.
export const sending = new Map()
// Questions whose answer got lost on the way: their outcome is unknown.
export const lost = new Set()

// Explains why a question disappeared. An app that changed its text asks again under a new
// identifier.
export function whyGone(question) {
  if (lost.has(question.prompt ?? question.picker ?? question.deletion)) return t('outcomeUnknown')
  const terms = ({ app, library, level, kind, asked, opened }) =>
    JSON.stringify([app.app, library, level, kind, asked, opened])
  const isAnew = [...state.prompts, ...state.pickers].some(other => terms(other) === terms(question))
  return t(isAnew ? 'askedAnew' : 'answeredElsewhere')
}

const days = { day: 1, month: 30 }
export const durations = ['always', 'once', ...Object.keys(days)]

// By prompt: the terms and the duration, a key of `durations`, that the user has chosen so far.
const choices = new Map()

// At first the terms are the careful ones, of limited access. An allowance stays as it was.
export function chosen({ prompt, terms }) {
  const kept = Object.fromEntries(['photosPerDay', ...rates].map(limit => [limit, undefined]))
  if (!choices.has(prompt)) choices.set(prompt, { duration: 'always', terms: { ...terms, ...kept } })
  return choices.get(prompt)
}

// The parameters of AnswerPrompt for the chosen duration.
export function endOf(prompt) {
  const { duration } = chosen(prompt)
  return duration === 'once' ? { once: true } : days[duration] ? { expires: endAfter(days[duration]) } : {}
}

// The chosen terms and duration in words.
export function chosenText(prompt) {
  const { duration, terms } = chosen(prompt)
  const what = [termsText(terms), duration !== 'always' && t(`short.lasts.${duration}`)].filter(Boolean).join(', ')
  return [t('allowedSo', { what }), terms.changes && t('mayChange')].filter(Boolean).join(' ')
}

export const latest = prompt => state.prompts.find(other => other.prompt === prompt.prompt) ?? prompt

// The text about the photos a picker gives, and those that the app sees anyway, with its key.
export function pickerText({ app, library }) {
  const grant = seeingGrant(app.app, library)
  const key = !grant ? 'pickerText' : grant.status === 'authorized' ? 'pickerText.full' : 'pickerText.limited'
  return [key, t(key, { n: grant?.visible })]
}
