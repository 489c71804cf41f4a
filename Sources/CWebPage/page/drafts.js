import { call } from './server.js'

// Identifiers per call.
const batch = 10000

// Calls `run` with parts of a list, one after the other. Resolves to the results.
export async function inBatches(list, run, size = batch) {
  const results = []
  for (let at = 0; at < list.length; at += size) results.push(await run(list.slice(at, at + size)))
  return results
}

// Adds and removes any number of assets of a selection at once. Resolves to the decisions made.
export async function editSelection(library, app, { add, remove }) {
  const part = async (way, all) => {
    if (all.length <= batch) return all.length > 0 && { [way]: { identifiers: all } }
    return { [`${way}Draft`]: await draft(all,
      (draft, selector) => call('DraftSelection', { library, draft, selector })) }
  }
  return (await call('EditSelection', { library, app, ...await part('remove', remove), ...await part('add', add) }))
    .decisions
}

// Answers a question with any number of assets. The last call makes all batches effective at once, so
// that the app learns of all new assets (R63). Resolves to the decisions made.
export async function answerWith(all, parameters) {
  const { prompt } = parameters, last = Math.max(0, Math.ceil(all.length / batch) - 1) * batch
  const before = await draft(all.slice(0, last), (draft, selector) => call('DraftAnswer', { prompt, draft, selector }))
  return (await call('AnswerPrompt', { ...parameters, draft: before, selector: { identifiers: all.slice(last) } }))
    .decisions
}

// Uploads a long list in batches. Resolves to the draft's identifier, undefined for an empty list.
async function draft(all, add) {
  let made
  await inBatches(all, async identifiers => { ({ draft: made } = await add(made, { identifiers })) })
  return made
}
