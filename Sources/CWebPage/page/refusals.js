import { reasonText } from './reasons.js'
import { t } from './text.js'

const isThere = key => t(key) !== key

// The text of a failed call: by the broker's reason, else by method and error name. The latter adds
// the broker's English message.
export function refusalText(method, name, { what, message = '', reason } = {}) {
  const words = reasonText(reason)
  if (words) return words
  const key = [`refused.${name}.${method}`, `refused.${name}.${what}`, `refused.${name}`].find(isThere)
  return key ? t(key, { detail: message }) : message
}
