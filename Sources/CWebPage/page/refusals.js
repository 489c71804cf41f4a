import { reasonText } from './reasons.js'
import { t } from './text.js'

const isThere = key => t(key) !== key

// Why nothing came of what was asked, in the person's words: by the reason that the broker gives, else as far as the error's name
// says it, together with what was asked or what is not there. The broker's own words, which are English, stand with it then.
export function refusalText(method, name, { what, message = '', reason } = {}) {
  const words = reasonText(reason)
  if (words) return words
  const key = [`refused.${name}.${method}`, `refused.${name}.${what}`, `refused.${name}`].find(isThere)
  return key ? t(key, { detail: message }) : message
}
