import { picksText } from './apps.js'
import { choose, choosingText, edit } from './chooser.js'
import { Decisions, undo } from './decisions.js'
import { controlsIn, dialog, h, inTerminal, name, show, toast } from './dom.js'
import { askForAll, gives, hasDeclined, isOffered, selectionText } from './grants.js'
import { icon } from './icons.js'
import { appOf, avatar, facts, oddName, quote, textAbout, toldApart } from './identity.js'
import { Ledger } from './ledger.js'
import { bundledPolicies, policyText } from './policies.js'
import { rowsBy, Steady } from './presses.js'
import { watch } from './renewing.js'
import { revoke } from './revoking.js'
import { account, call, callEach, decides, listed, onchange, owns, sees, setsBack, state } from './server.js'
import { bytesText, t, whenText } from './text.js'
import { put } from './thumbnails.js'

const widens = (level, than) => ({ limited: 1, authorized: 2 }[level] ?? 0) > ({ limited: 1, authorized: 2 }[than] ?? 0)

const days = [[0, 'expires.never'], [1, 'expires.day'], [7, 'expires.week'], [30, 'expires.month'], [365, 'expires.year']]

export function app(place, go, id, library) {
  const app = appOf(id)
  const parts = Object.fromEntries(['head', 'level', 'selection', 'added', 'more', 'activity', 'history', 'tokens'].map(key => [key, h('section', { class: `panel part-${key}` })]))
  show(place, h('main', { class: 'sheet app' },
    h('a', { class: 'back', href: '#/apps', onclick: event => { event.preventDefault(); go('/apps') } }, icon('left'), t('apps')),
    Object.values(parts)))
  const find = level => state.grants.find(grant => grant.app === id && grant.library === library && grant.level === level)
  let told = '', toldHead = ''
  let strip
  // The name whose full text the user unfolded.
  let unfolded
  // The app's picker deliveries, counted; undefined if there are none.
  let picked
  const seeing = h('p', { class: 'quiet' })
  let ledger, decisions, isEnded = false, tokenTurn = 0, agreementTurn = 0, pickedTurn = 0
  // By access level, as JSON: the manifest texts that a user agreed to.
  let agreements = {}
  const steady = new Steady(rowsBy(parts.tokens, 'token'))
  // Selects are left out: a press only opens them.
  const steadyControls = new Steady(controlsIn([parts.head, parts.level, parts.selection, parts.more], 'button, input'), 'button, input')
  // An administrator has only the rights that the library's owner allows.
  const here = () => state.libraries.find(other => other.name === library)
  const isSeen = () => here() !== undefined && sees(here()), isDecided = () => here() !== undefined && decides(here())
  // The status that ends access: owners deny, administrators restrict.
  const closed = () => here() !== undefined && owns(here()) ? 'denied' : 'restricted'
  const back = (decisions, before = '') => here() && isDecided() && setsBack(here(), before) ? undo(decisions) : undefined

  async function set(level, change) {
    const before = change.status ? find(level)?.status ?? 'notDetermined' : ''
    try {
      const { grant, receipt, decisions } = await call('SetGrant', { library, app: id, level, ...change })
      const isTaken = change.status && !gives(grant) && receipt.assetsDelivered > 0
      toast([holding(grant, change), isTaken && t('receipt', { n: receipt.assetsDelivered, bytes: bytesText(receipt.bytesDelivered) })].filter(Boolean).join(' · '), back(decisions, before))
    } catch (refusal) { failed(refusal) }
  }

  function holding(grant, change) {
    if (change.albumPolicy) return `${t('albums')}: ${policyText(grant.albumPolicy)}`
    if (!change.status) return `${t('expires')}: ${grant.expires ? whenText(grant.expires) : t('expires.never')}`
    const key = grant.level === 'addOnly' ? gives(grant) ? 'answered.allow.adding' : 'answered.deny.adding'
      : { limited: 'answered.limited', authorized: 'answered.allow' }[grant.status] ?? 'answered.deny'
    return t(key, { app: called(), n: grant.selected })
  }

  // The app's name in one line, so that a name change moves no buttons. A button unfolds a name
  // that is cut off; a warning about the name stands below it.
  function headline(app) {
    const heading = h('h1', {}, name(app.displayName || app.identifier))
    const whole = h('button', { class: 'link', hidden: true, onclick: () => { unfolded = isUnfolded() ? undefined : heading.textContent; tell() } })
    const title = h('div', { class: 'app-title' }, heading, whole)
    const isUnfolded = () => unfolded === heading.textContent
    const tell = () => {
      title.classList.toggle('whole', isUnfolded())
      whole.textContent = t(isUnfolded() ? 'oneLine' : 'wholeName')
      whole.hidden = !isUnfolded() && heading.scrollWidth <= heading.clientWidth
    }
    tell()
    new ResizeObserver(tell).observe(heading)
    return [title, oddName(app) && h('p', { class: 'quiet odd-name' }, name(oddName(app)))]
  }

  const called = () => appOf(id)?.displayName || appOf(id)?.identifier || ''

  async function pause({ level }, paused) {
    try {
      const { decisions } = await call('PauseGrant', { library, app: id, level, paused })
      toast(`${called()}: ${t(!paused ? 'action.resume' : level === 'addOnly' ? 'pause.adding' : 'pause.text')}`, back(decisions))
    } catch (refusal) { failed(refusal) }
  }

  // Asks for confirmation before the app gets access back.
  const ask = (title, text, answer, ...content) => dialog(textAbout(appOf(id), title), close => [
    state.libraries.length > 1 && h('p', { class: 'quiet' }, t('inLibrary', { library })), h('p', {}, text), content, facts(appOf(id)),
    h('div', { class: 'actions' }, h('button', { class: 'plain', onclick: () => close(false) }, t('back')), h('button', { class: 'primary', onclick: () => close(true) }, t(answer)))])

  // Restores the app's earlier selection. If nothing is decided, selects its own additions instead.
  const giveBack = before => before === 'notDetermined'
    ? shareAnew({ addedBy: id }, 'seeOwn')
    : shareAnew({ app: id }, 'giveBack')

  async function shareAnew(which, words) {
    const meant = (text, ...content) => ask(`${words}Title`, `${text} ${t('mayChange')}`, words, content)
    if (!isSeen()) return meant(t(`${words}Unseen`))
    const { assets, total } = await call('FetchOwnedAssets', { library, ...which, limit: 12 })
    return total === 0 || meant(t(`${words}Text`, { n: total }), h('div', { class: 'strip' }, pictures(assets)))
  }

  async function letAdd(isLet, before) {
    const isDenied = before === 'denied' || before === 'restricted'
    if (isLet && isDenied && !await ask('letAddTitle', t('letAddText'), 'allowAdding')) return isEnded || redraw()
    await set('addOnly', { status: isLet ? 'authorized' : closed() })
  }

  // Resets the switches to the broker's state after a failed call.
  function failed(refusal) {
    toast(refusal.message || t('unreachable'))
    redraw()
  }

  function redraw() {
    told = ''
    draw()
  }

  // Arrow keys only move the focus among the levels: passing over a level must not choose it.
  function move(event) {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key]
    if (!step) return
    event.preventDefault()
    const open = [...event.currentTarget.querySelectorAll('input:not(:disabled)')]
    open[(open.indexOf(event.target) + step + open.length) % open.length].focus()
  }

  const hasSome = other => state.grants.some(grant => grant.app === id && grant.library === other.name && gives(grant))
  const linked = (words, libraries) => libraries.length > 0 && h('p', { class: 'quiet' }, t(words), ' ', libraries.map(({ name }) =>
    h('a', { href: '#', onclick: event => { event.preventDefault(); go(`/app/${id}/${name}`) } }, name, ' ')))

  async function draw() {
    const now = appOf(id)
    const full = find('readWrite'), add = find('addOnly')
    const isTold = isOffered(here(), now)
    const others = state.libraries.filter(other => other.name !== library && (isOffered(other, now) || state.grants.some(grant => grant.app === id && grant.library === other.name)))
    tellSeeing(full)
    if (!now) return go('/apps')
    // The visible count changes with each new photo, so it does not trigger a redraw.
    const key = JSON.stringify([{ ...now, connections: 0 }, full && { ...full, visible: undefined }, add, isTold, hasDeclined(here(), now), isSeen(), isDecided(), others.map(other => [other.name, hasSome(other)])])
    // A connection change redraws the header alone, because a list below may be open.
    const headKey = `${now.connections} ${JSON.stringify(picked)} ${key}`
    if (headKey === toldHead && key === told) return
    toldHead = headKey
    const hasAccess = full?.status === 'authorized' || full?.status === 'limited' || add?.status === 'authorized'
    show(parts.head, h('div', { class: 'app-head' }, avatar(now, 'large'), h('div', {}, headline(now),
      h('p', { class: 'quiet' }, t('inLibrary', { library })), h('p', { class: 'quiet passing' }, now.connections > 0 ? t('connectedNow', { n: now.connections }) : t('notConnected'))),
      (hasAccess || picked?.loadable > 0) && h('button', { class: 'danger', onclick: () => revoke(t('revokeTitle', { app: toldApart(app) }), t(hasAccess ? 'revokeText' : 'revokePicks'), () => [{ library, app: id }]).then(fetchPicked) }, t('revoke'))),
      now.withoutAccess?.includes(library) && h('p', { class: 'no-access' }, h('strong', {}, t('noAccessAsks'))),
      facts(now), picked && h('p', { class: 'quiet' }, t('pickedInAll', { picks: picksText(picked), when: whenText(picked.last) }), picked.loadable > 0 && [' ', t('stillLoadable', { n: picked.loadable, when: whenText(picked.until) })]), here() && !isSeen() && h('p', { class: 'quiet' }, t('administered', { uid: account(here().owner) })), !isTold && h('p', { class: 'problem' }, t(hasDeclined(here(), now) ? 'notAccepted' : 'notOffered', { uid: account(now.uid) })), linked('otherLibraries', others.filter(hasSome)), linked('closedLibraries', others.filter(other => !hasSome(other))))
    drawRecords()
    drawTokens()
    fetchAgreements()
    fetchPicked()
    if (key !== told) drawAccess(full, add)
    told = key
    steadyControls.look()
  }

  function drawAccess(full, add) {
    const status = full?.status ?? 'notDetermined'
    const choice = (value, title, text) => h('label', { class: 'choice' }, h('input', { type: 'radio', name: 'level', value, checked: status === value || (value === 'denied' && status === 'restricted'), disabled: !isDecided() && widens(value, status), onchange: () => level(value, status) }),
      h('span', {}, h('strong', {}, t(title)), h('span', { class: 'quiet' }, t(text))))
    // Full or limited access includes adding, unless it is paused.
    const addsAnyway = (status === 'authorized' || status === 'limited') && !full.paused
    const wasDecided = [full, add].some(grant => grant && grant.status !== 'notDetermined')
    show(parts.level, h('div', { class: 'panel-head' }, h('h2', {}, t('access')), wasDecided && here() && owns(here()) && h('button', { class: 'link', title: t('forget.text'), onclick: forget }, t('forget'))), h('div', { class: 'choices', role: 'radiogroup', 'aria-label': t('access'), onkeydown: move },
      choice('limited', 'level.limited', 'level.limited.text'), choice('authorized', 'level.full', 'level.full.text'), choice('denied', 'level.denied', 'level.denied.text')),
      h('label', { class: 'switch' }, h('input', { type: 'checkbox', role: 'switch', checked: addsAnyway || add?.status === 'authorized', disabled: addsAnyway || !isDecided() && add?.status !== 'authorized', onchange: event => letAdd(event.target.checked, add?.status) }), h('span', { 'data-means': String(add?.status === 'authorized') }, h('strong', {}, t('level.add')), h('span', { class: 'quiet' }, t(addsAnyway ? 'level.add.comes' : 'level.add.text')))),
      [full, add].filter(grant => grant?.source === 'expiry').map(grant => h('p', { class: 'quiet spaced' }, t(grant.level === 'addOnly' ? 'endedAdding' : 'ended', { when: whenText(grant.decided) }))))
    drawSelection(full)
    drawMore(full, add)
  }

  // Deletes the grants, as if nobody had been asked; the app may ask again.
  async function forget() {
    const decisions = []
    try {
      await callEach(async each => {
        for (const grant of [find('readWrite'), find('addOnly')]) {
          if (grant && grant.status !== 'notDetermined') decisions.push(...(await each('SetGrant', { library, app: id, level: grant.level, status: 'notDetermined' })).decisions)
        }
      })
      toast(t('forgotten'), back(decisions))
    } catch (refusal) { failed(refusal) }
  }

  async function level(value, before) {
    try {
      if (value === 'authorized' && before !== 'authorized' && !await askForAll(appOf(id), library)) return isEnded || redraw()
      if (value === 'limited' && widens(value, before) && !await giveBack(before)) return isEnded || redraw()
    } catch (refusal) { return failed(refusal) }
    await set('readWrite', { status: value === 'denied' ? closed() : value })
  }

  function drawSelection(full) {
    const isLimited = full?.status === 'limited', isFull = full?.status === 'authorized'
    parts.selection.hidden = !isLimited && !isFull
    strip = undefined
    if (!isLimited && !isFull) return
    strip = h('div', { class: 'strip large' })
    show(parts.selection, h('div', { class: 'panel-head' }, h('h2', {}, isLimited ? t('selectedPhotos', { n: full.selected }) : t('allPhotos')),
      isSeen() && h('div', { class: 'panel-tools' }, h('button', { class: 'plain', onclick: () => go(`/app/${id}/${library}/sees`) }, icon('eye'), t('seeAs')),
        isLimited && isDecided() && h('button', { class: 'primary', onclick: () => go(`/app/${id}/${library}/select`) }, t('changeSelection')))), seeing, strip)
    fillStrip()
  }

  // Explains the app's real visibility, if its level alone would mislead.
  function seen(full) {
    if (full?.status === 'limited' && full.selected === 0) return t('nothingSelected')
    if (full?.paused) return t('pausedSees')
    if (full?.status === 'authorized') return t('visibleCount', { n: full.visible })
    return full?.status === 'limited' && full.visible !== full.selected ? `${selectionText(full)}. ${t('unseen')}` : ''
  }

  function tellSeeing(full) {
    seeing.textContent = seen(full)
    seeing.hidden = seeing.textContent === ''
  }

  async function fillStrip() {
    const place = strip
    if (!place || !isSeen()) return
    const { assets } = await call('FetchOwnedAssets', { library, seenBy: id, limit: 24 }).catch(() => ({}))
    if (!assets || place !== strip) return /* the banner shows an unreachable broker, or a newer strip is there */
    show(place, pictures(assets))
  }

  const pictures = assets => assets.map(asset => {
    const image = h('img', { alt: asset.filename })
    put(image, { library, asset: asset.identifier, version: asset.version, pixels: 320 })
    return image
  })

  async function drawAdded() {
    if (!isSeen()) return void (parts.added.hidden = true)
    const { assets, total } = await call('FetchOwnedAssets', { library, addedBy: id, limit: 24 }).catch(() => ({}))
    if (!assets || isEnded) return
    parts.added.hidden = total === 0
    show(parts.added, h('h2', {}, t('whatItAdded')), h('p', { class: 'quiet' }, t('addedPhotos', { n: total })), h('div', { class: 'strip large' }, pictures(assets)))
  }

  function policies(present) {
    const known = state.libraries.find(other => other.name === library)?.albumPolicies ?? []
    return [...new Set([...bundledPolicies, ...known.map(policy => policy.policy), present])]
  }

  // Opens a closed select on a key press, which would otherwise change its value at once. Browsers
  // without `showPicker` keep their own behaviour.
  const unfold = event => {
    if (!event.target.showPicker || event.ctrlKey || event.altKey || event.metaKey || !/^(Arrow|Page|Home$|End$|.$)/u.test(event.key)) return
    event.preventDefault()
    event.target.showPicker()
  }
  const pick = (label, text, value, options, run) => h('label', { class: 'line' }, h('span', {}, h('strong', {}, label), h('span', { class: 'quiet' }, text)),
    h('select', { class: 'field', onkeydown: unfold, onchange: event => run(event.target.value) }, options.map(([key, words]) => { const option = h('option', { value: key }, words); option.selected = String(key) === String(value); return option })))

  const end = days => (Date.now() + days * 86400000) * 1000

  const terms = grant => [
    h('label', { class: 'switch' }, h('input', { type: 'checkbox', role: 'switch', checked: grant.paused, disabled: grant.paused && !isDecided(), onchange: event => pause(grant, event.target.checked) }),
      h('span', { 'data-means': String(grant.paused) }, h('strong', {}, t('pause')), h('span', { class: 'quiet' }, t(grant.level === 'addOnly' ? 'pause.adding' : 'pause.text')))),
    pick(t('expires'), grant.expires ? t('until', { when: whenText(grant.expires) }) : t('expires.text'), grant.expires ? 'kept' : 0,
      [...(grant.expires ? [['kept', whenText(grant.expires)]] : []), ...days.filter(([key]) => isDecided() || !grant.expires || (key > 0 && end(key) < grant.expires)).map(([key, words]) => [key, t(words)])],
      value => value !== 'kept' && set(grant.level, { expires: value === '0' ? 0 : end(Number(value)) })),
  ]
  const origin = grant => h('p', { class: 'quiet' }, t(grant.decider === state.status?.caller ? 'cameFromYou' : 'cameFrom', { source: t(`source.${grant.source}`), when: whenText(grant.decided), uid: account(grant.decider) }), grant.program && [' · ', name(grant.program)])

  // Shows the manifest texts that a user agreed to, and the present ones if they differ.
  function tellAgreement(place) {
    const { agreed: level } = place.dataset
    const agreement = agreements[level] && JSON.parse(agreements[level])
    // The fetched agreement may belong to an earlier answer.
    place.hidden = !agreement || agreement.time !== find(level)?.agreement?.time
    if (place.hidden) return show(place)
    const said = words => words.usageDescription ? quote(words.usageDescription, [words.displayName, words.identifier, words.verifiedIdentity].filter(Boolean)) : h('p', { class: 'quiet' }, t('noReason'))
    show(place, h('p', {}, t(agreement.actor === state.status?.caller ? 'agreedByYou' : 'agreedBy', { when: whenText(agreement.time), uid: account(agreement.actor) })), said(agreement.words),
      agreement.present && [h('p', { class: 'problem' }, t('saysElseNow')), said(agreement.present)])
  }
  const agreementPlace = level => {
    const place = h('div', { class: 'agreed', 'data-agreed': level })
    tellAgreement(place)
    return place
  }

  async function fetchAgreements() {
    const turn = agreementTurn += 1
    const { grants } = await call('ListGrants', { library, app: id }).catch(() => ({}))
    if (!grants || turn !== agreementTurn) return /* the banner shows an unreachable broker, or a later answer comes */
    const before = agreements
    agreements = Object.fromEntries(grants.filter(grant => grant.agreement?.words).map(grant => [grant.level, JSON.stringify(grant.agreement)]))
    for (const place of parts.more.querySelectorAll('[data-agreed]')) if (agreements[place.dataset.agreed] !== before[place.dataset.agreed]) tellAgreement(place)
    steadyControls.look()
  }

  // Fetches picker deliveries, which exist whatever access the app has.
  async function fetchPicked() {
    const turn = pickedTurn += 1
    const { apps } = await call('ListPickerApps', { library, app: id }).catch(() => ({}))
    if (!apps || turn !== pickedTurn || isEnded) return /* the banner shows an unreachable broker, or a later answer comes */
    const [uses] = apps
    const now = uses && { times: uses.times, assets: uses.assets, last: uses.last, loadable: uses.loadable ?? 0, until: uses.until }
    if (JSON.stringify(now) === JSON.stringify(picked)) return
    picked = now
    draw()
  }

  function drawMore(full, add) {
    const isOn = full?.status === 'limited' || full?.status === 'authorized', isAdding = add?.status === 'authorized'
    parts.more.hidden = !isOn && !isAdding
    show(parts.more,
      isOn && h('div', { role: 'group', 'aria-labelledby': 'details' }, h('h2', { id: 'details' }, t('details')), terms(full),
        // Full access includes all albums; the stored policy applies again when the app is limited
        // (R49).
        full.status === 'limited' && isDecided() && pick(t('albums'), t('albums.text'), full.albumPolicy, policies(full.albumPolicy).map(key => [key, policyText(key)]), value => set('readWrite', { albumPolicy: value })),
        origin(full), agreementPlace('readWrite')),
      isAdding && h('div', { class: 'adding', role: 'group', 'aria-labelledby': 'details-adding' }, h('h2', { id: 'details-adding' }, t('detailsAdding')), terms(add), origin(add), agreementPlace('addOnly')))
  }

  function drawRecords() {
    decisions?.refresh()
    ledger?.refresh()
    if (ledger && !isSeen()) {
      ledger.end()
      ledger = undefined
    }
    const part = (place, title) => show(place, h('h2', {}, title)).appendChild(h('div', {}))
    parts.activity.hidden = !isSeen()
    if (!ledger && isSeen()) ledger = new Ledger(part(parts.activity, t('whatItSaw')), { library, app: id, none: () => h('p', { class: 'quiet' }, t('sawNothing')) })
    decisions ??= new Decisions(part(parts.history, t('history')), { library, app: id })
  }

  async function drawTokens() {
    try {
      const turn = tokenTurn += 1
      const tokens = await listed('ListTokens', 'tokens', { app: id })
      // A late answer could show tokens that were revoked since.
      if (turn !== tokenTurn) return
      const live = tokens.filter(token => !token.revoked && (!token.library || token.library === library))
      show(parts.tokens, h('h2', {}, t('tokens')), h('p', { class: 'quiet' }, t('tokens.text')), h('ul', { class: 'rows plainly' }, live.map(token => h('li', { class: 'row', 'data-token': token.accessor },
        h('span', { class: 'row-text' }, h('strong', { class: 'code' }, token.accessor.slice(0, 12)), h('span', { class: 'quiet' }, token.level ? t(`short.${token.level === 'addOnly' ? 'addOnly' : 'reading'}`) : t('ownToken'))),
        h('span', { class: 'quiet' }, whenText(token.minted)),
        token.library && h('button', { class: 'link', 'aria-label': `${t('revokeToken')}: ${token.accessor.slice(0, 12)}`, onclick: () => call('Revoke', { accessor: token.accessor }).then(() => toast(t('saved')), refusal => toast(refusal.message || t('unreachable'))).then(drawTokens) }, t('revokeToken'))))), inTerminal(t('moreTokens'), 'photobroker token mint --help'))
      steady.look()
    } catch { /* the banner shows an unreachable broker */ }
  }

  parts.added.hidden = true
  draw()
  drawAdded()
  const stop = onchange(draw)
  const watcher = watch(library, () => Promise.all([fillStrip(), drawAdded()]))
  const timer = setInterval(() => ledger?.refresh(), 5000)
  return { end() { isEnded = true; stop(); watcher.end(); clearInterval(timer); steady.end(); steadyControls.end(); ledger?.end(); decisions?.end() }, library }
}

// Explains why no selection can be edited; empty if one can.
const endedText = status => status === 'limited' ? '' : t(status === 'authorized' ? 'selectionAll' : 'selectionEnded')

export function appSelection(place, go, id, library) {
  const app = appOf(id)
  const path = `/app/${id}/${library}`
  const chooser = choose(place, {
    library, app, isFirst: false, title: textAbout(app, 'choosing'), subtitle: choosingText,
    ended: () => endedText(state.grants.find(grant => grant.app === id && grant.library === library && grant.level === 'readWrite')?.status),
    doneText: (n, kind) => t(`saveChosen${kind}`, { n }),
    async save(changes) {
      toast(t('savedFor', { app: app.displayName || app.identifier }), undo(await edit(library, id, changes)))
      go(path)
    },
    cancel: () => go(path),
  })
  return { ...chooser, isWide: true, library }
}
