import { t } from './text.js'

const texts = { none: 'albums.none', own: 'albums.own', 'shared-read': 'albums.shared-read', full: 'albums.full' }

export const bundledPolicies = Object.keys(texts)

// An album policy in words; an installed one has only its name.
export const policyText = policy => Object.hasOwn(texts, policy) ? t(texts[policy]) : policy
