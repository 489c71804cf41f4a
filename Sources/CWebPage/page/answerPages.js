import { undo } from './decisions.js'
import { toast } from './dom.js'
import { answerWith } from './drafts.js'
import { seeingGrant } from './grants.js'
import { textAbout } from './identity.js'
import { LiveDialog } from './liveDialog.js'
import { answered, chosen, endOf, latest, lost, pickerText, whyGone } from './questions.js'
import { choose } from './selectionPage.js'
import { call, libraryNamed, onchange, state } from './server.js'
import { t, wanted } from './text.js'

const nothing = go => { go('/'); return { end() {} } }

// A selection page that answers a question. It closes once the question is gone, unless it is being
// answered here. `send(answer)` answers it through the call `answer()`, and remembers it under `id`.
function answerPage(place, go, question, id, isWaiting, options) {
  let isAnswering = false
  // Also once an answer failed: that it is gone may have been told meanwhile.
  const follow = () => {
    if (isAnswering || isWaiting()) return
    toast(whyGone(question))
    go('/')
  }
  const send = async answer => {
    isAnswering = true
    try {
      const reply = await answer()
      answered.add(id)
      return reply
    } catch (refusal) {
      isAnswering = false
      if (refusal.name === 'Lost') lost.add(question.prompt ?? question.picker)
      follow()
      throw refusal
    }
  }
  const chooser = choose(place, { library: question.library, app: question.app, ...options(send) })
  const stop = onchange(follow)
  // An answer by another way than the chosen photos loses nothing.
  return { ...chooser, isUnsaved: () => !answered.has(id) && chooser.isUnsaved(),
    mayLeave: async () => answered.has(id) || chooser.mayLeave(),
    end() { stop(); chooser.end() }, isWide: true, library: question.library }
}

const pickerTerms = picker => [
  pickerText(picker)[1], picker.mediaTypes.length === 1 && t(`pickerOnly.${picker.mediaTypes[0]}`),
  picker.selectionLimit > 1 && picker.selectionLimit < (libraryNamed(picker.library)?.assets ?? 0) &&
    t('limitReached', { n: picker.selectionLimit }) + '.',
  picker.ordered && t('pickerOrdered')].filter(Boolean).join(' ')

// The picker page: the user browses the library, and the app receives only the picked assets (R74).
export function picking(place, go, id) {
  const picker = state.pickers.find(picker => picker.picker === id)
  if (!picker) return nothing(go)
  const { app, library, mediaTypes, selectionLimit, ordered, preselected } = picker, terms = { ...picker.terms }
  const isWaiting = () => state.pickers.some(picker => picker.picker === id)
  return answerPage(place, go, picker, `picker ${id}`, isWaiting, send => {
    const give = async (assets, again) => {
      await send(() => call('AnswerPicker', { picker: id, assets, again, terms }))
      // Shown even if the user left the page.
      if (assets?.length > 0) toast(t('given', { app: app.displayName || app.identifier }))
      go('/')
    }
    return {
      terms, isPicker: true, isFirst: true,
      kind: mediaTypes.length === 1 ? mediaTypes[0] : undefined, limit: selectionLimit,
      isOrdered: ordered, preselected, title: textAbout(app, 'picking'), subtitle: () => pickerTerms(picker),
      totalText: (n, kind) => [textAbout(app, n ? `receives${kind}` : 'receivesNothing', { n }),
        n > 0 && !seeingGrant(app.app, library) && ` ${t('andNothingElse')}`],
      doneText: (n, kind) => n ? t(`give${kind}`, { n }) : t('giveNothing'),
      save: ({ order, again }) => give(order, again),
      cancel: () => give(undefined).catch(() => go('/')),
    }
  })
}

// The selection page that answers a prompt.
export function promptSelection(place, go, id) {
  const prompt = state.prompts.find(prompt => prompt.prompt === id)
  if (!prompt) return nothing(go)
  const { app, kind: asked, suggested } = prompt
  const isFirst = asked === 'authorization', answer = asked === 'keepSelection' ? 'change' : 'select'
  const isWaiting = () => state.prompts.some(prompt => prompt.prompt === id)
  const { duration, terms } = isFirst ? chosen(prompt) : {}
  const appName = app.displayName || app.identifier
  const { live } = state.grants.find(grant => grant.app === app.app && grant.library === prompt.library
    && grant.level === 'readWrite') ?? {}
  const told = decisions => {
    toast(t('savedFor', { app: appName }), undo(decisions))
    go('/')
  }
  const parameters = () => ({ prompt: id, answer, language: wanted, terms, ...isFirst && endOf(prompt) })
  return answerPage(place, go, prompt, id, isWaiting, send => ({
    terms, isFirst, isSuggested: suggested > 0, mayKeep: true, title: textAbout(app, 'choosing'),
    subtitle: () => {
      const { joining } = latest(prompt)
      return [joining > 0 ? t('choosingText.own', { n: joining }) : t('choosingText'), !terms && t('mayChange'),
        suggested > 0 && t('suggested'), isFirst && duration !== 'always' && `${t('lasts')}: ${t(`lasts.${duration}`)}`,
      ].filter(Boolean).join(' ')
    },
    doneText: (n, kind) => t(`${isFirst ? 'allowChosen' : 'saveChosen'}${kind}`, { n }),
    async save({ all }) { told(await send(() => answerWith(all, parameters()))) },
    keepLive: () => new LiveDialog({ id: app.app, library: prompt.library, appName }, live,
      async ({ add: selector, outcome }, close) => {
        const { decisions } = await send(() => call('AnswerPrompt', { ...parameters(), selector, live: true, outcome }))
        close()
        told(decisions)
      }).open(),
    cancel: () => go('/'),
  }))
}
