import { seeingGrant } from './grants.js'
import { state } from './server.js'
import { endAfter } from './terms.js'
import { t } from './text.js'

// Questions answered here, until the broker removes them: identifiers of prompts, of pickers after
// "picker", and of deletions after "deletion".
export const answered = new Set()
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

// The chosen duration of access by prompt, as a key of `durations`; none: until revoked.
export const chosenDurations = new Map()
const days = { day: 1, month: 30 }
export const durations = ['always', 'once', ...Object.keys(days)]

// The parameters of AnswerPrompt for the chosen duration.
export function endOf({ prompt }) {
  const duration = chosenDurations.get(prompt)
  return duration === 'once' ? { once: true } : days[duration] ? { expires: endAfter(days[duration]) } : {}
}

export const latest = prompt => state.prompts.find(other => other.prompt === prompt.prompt) ?? prompt

// The text about the photos a picker gives, and those that the app sees anyway, with its key.
export function pickerText({ app, library }) {
  const grant = seeingGrant(app.app, library)
  const key = !grant ? 'pickerText' : grant.status === 'authorized' ? 'pickerText.full' : 'pickerText.limited'
  return [key, t(key, { n: grant?.visible })]
}
