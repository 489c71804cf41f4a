import { h } from './dom.js'
import { apart } from './names.js'
import { policyText } from './policies.js'
import { count, hasText, t } from './text.js'

const statuses = ['notDetermined', 'restricted', 'denied', 'authorized', 'limited']
// Formats of a reason's values. Names stay as they are, even if they look like numbers, such as a
// folder 2024.
const wordings = {
  status: value => statuses.includes(value) ? t(`status.${value}`) : value,
  policy: policyText,
  count: value => count(Number(value)),
  limit: value => count(Number(value)),
}
const shown = ([name, value]) => [name, wordings[name]?.(value) ?? value]

// The text of a reason from the broker; undefined for a code unknown to this page. The template's
// {parts} stands for nested reasons, {text} for a plugin's own words, which `said` wraps.
export function reasonText(reason, said = text => text) {
  const key = `reason.${reason?.code}`
  if (!hasText(key)) return undefined
  const values = reason.values ?? {}
  const parts = (reason.parts ?? []).map(part => apart(reasonText(part, said) ?? part.text)).join(', ')
  return t(key,
    { ...Object.fromEntries(Object.entries(values).map(shown)), n: Number(values.count), text: said(reason.text),
      parts })
}

// The text of a failed call: by the broker's reason, else by method and error name. The latter adds
// the broker's English message.
export function refusalText(method, name, { what, message = '', reason } = {}) {
  const words = reasonText(reason)
  if (words) return words
  const key = [`refused.${name}.${method}`, `refused.${name}.${what}`, `refused.${name}`].find(hasText)
  return key ? t(key, { detail: message }) : message
}

// The plugins that write English; the language of others is unknown.
const englishSpeakers = ['directory', 'rclone', 'content', 'system']

// Foreign text in full length, because the advice is often at its end.
const quoted = text => h('bdi', { class: 'name' }, text)

// An error message: the translated reason, or else the broker's English words. `speaker`, a
// plugin's name or `system`, decides the language in which screen readers read quoted words.
export function problem(reason, words, speaker) {
  const texts = []
  const text = reasonText(reason, text => `\u0000${texts.push(text) - 1}\u0000`)
  if (text === undefined) return [`${t('brokerSays')} `, h('span', { lang: 'en' }, quoted(words))]
  const lang = englishSpeakers.includes(speaker) ? 'en' : ''
  return text.split('\u0000').map((part, at) => at % 2 ? h('span', { lang }, quoted(texts[part] ?? '')) : part)
}
