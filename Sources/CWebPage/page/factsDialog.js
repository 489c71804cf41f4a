import { undo } from './decisions.js'
import { dialog, failureText, h, once, tellProblem, toast, toastFailure } from './dom.js'
import { field } from './ruleForm.js'
import { call } from './server.js'
import { t } from './text.js'

// A date field has the browser's time zone and no fractions of a second.
const clockOf = microseconds => {
  const date = new Date((microseconds ?? NaN) / 1000)
  // Unknown, or beyond the years that the field takes.
  if (!(date.getFullYear() >= 1 && date.getFullYear() <= 9999)) return ''
  return new Date(date - date.getTimezoneOffset() * 60000).toISOString().slice(0, 19)
}
const placeOf = location => location ? `${location.latitude}, ${location.longitude}` : ''
const pair = /^(-?\d{1,3}(?:\.\d+)?)\s*,\s*(-?\d{1,3}(?:\.\d+)?)$/

// The changed location for EditAsset; undefined if the text is not one.
function location(text) {
  if (text === '') return { removesLocation: true }
  const [, latitude, longitude] = (pair.exec(text) ?? []).map(Number)
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { location: { latitude, longitude } } : undefined
}

// The dialog for a photo's caption, date and place. Only changed fields are set.
export async function editFacts(library, asset) {
  let details
  try { details = await call('GetOwnedDetails', { library, asset }) } catch (refusal) { return toastFailure(refusal) }
  const caption = h('textarea', { class: 'field', rows: '3', maxlength: '1000', value: details.caption ?? '' })
  const taken = h('input', { class: 'field', type: 'datetime-local', step: '1', max: '9999-12-31T23:59:59',
    value: clockOf(details.creationDate) })
  const place = h('input', { class: 'field', maxlength: '60', placeholder: '47.3769, 8.5417', spellcheck: 'false',
    value: placeOf(details.location) })
  // As the browser writes them, which leaves out seconds of 0.
  const shown = { caption: caption.value, taken: taken.value, place: place.value }
  const problem = h('p', { class: 'status', role: 'status' })
  const keep = once(async close => {
    const change = {}
    if (caption.value !== shown.caption) change.caption = caption.value
    if (taken.value !== shown.taken) {
      if (!taken.value) return tellProblem(problem, t('takenForm'))
      change.creationDate = new Date(taken.value).getTime() * 1000
    }
    if (place.value.trim() !== shown.place) {
      const found = location(place.value.trim())
      if (!found) return tellProblem(problem, t('placeForm'))
      Object.assign(change, found)
    }
    try {
      const { decisions } = await call('EditAsset', { library, asset, ...change })
      close()
      if (decisions.length > 0) toast(t('saved'), undo(decisions))
    } catch (refusal) { tellProblem(problem, failureText(refusal)) }
  })
  return dialog(t('editFacts'),
    close => h('form', { novalidate: true, onsubmit: event => { event.preventDefault(); keep(close) } },
      h('p', { class: 'quiet' }, t('editFactsText')), field(t('field.caption'), caption),
      field(t('takenHere'), taken), field(t('placeDegrees'), place), problem,
      h('div', { class: 'actions' }, h('button', { class: 'plain', type: 'button', onclick: () => close() },
        t('cancel')), h('button', { class: 'primary' }, t('save')))))
}
