import { t } from './text.js'

const texts = { none: 'albums.none', own: 'albums.own', 'shared-read': 'albums.shared-read', full: 'albums.full' }

// The album policies that come along.
export const bundledPolicies = Object.keys(texts)

// Which albums an app can use, in words; a policy that was added has only its name.
export const policyText = policy => Object.hasOwn(texts, policy) ? t(texts[policy]) : policy
