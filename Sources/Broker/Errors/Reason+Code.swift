extension Reason {
  /// On the wire by these names, which stay what they are: other programs word them.
  package enum Code: String, Sendable, CaseIterable {
    // What an owner asked for and did not get.
    case albumUnnamed, albumUntitled, albumTitle, albumFull
    case selectorEmpty, selectsNothing, lastNegative, cursorForeign
    case assetTwice, pickerFull, pickerTakesNot
    case alreadyOwn, offeredToTooMany, nothingToOffer, userDeclined, declinesTooMany, answersWait, acceptedTooOften
    case nothingToApply, applyingTooMany, entryTwice, nothingToSet, outcomeChanged
    case noSelection, noAccess, limitedAdding, endsInPast, policyName, policyUnusable, ownersDeny
    case ruleTwice, ruleName, ruleLimitedAdding, ruleSelectsNot, ruleSelectsNothing, ruleChoices, ruleLifetime,
      tooManyRules, ruleByName
    case answersOnly, wordsChanged, revokeWhat, accessorAlone, noPreview
    // What cannot be undone.
    case tokenRevoked, accessErased, pickOver, setUp, notedOnly, restoredPause, restoredMarks, keptNothing
    case appForgotten, appErased, tokenOver, wouldHaveEnded
    case movedOn, hasUses
    // What is not as a decision left it.
    case statusMoved, isPaused, wasResumed, endMoved, albumsMoved, selectionMoved, decidedAgain, decisionComing
    case offerMoved, ownersMoved, seeingMoved, decidingMoved, originalsMoved, deletionsMoved, ruleGone, ruleEdited,
      administratorsMoved
    case marksMoved, photosMoved, albumGone, albumBack, albumRetitled, albumShared, albumUnshared, albumMembersMoved
    // What hangs on what was added.
    case accessDecided, appAsks, hasRules, hasCoOwners, hasAlbums, appsAdded, pickersGave, photosMarked, appRuns
    // Who may not.
    case ownersOnly, administratorsNarrow, administratorsBlind, administratorsRestrict, restrictsOnly, foreignRule,
      registrarsOnly
    // What failed.
    case notKept, narrowedNotKept, decisionDamaged, notRead, keysBroken, storageFailed, restoredAnother
    // Why a library is offline, or what is wrong with it.
    case storageOffline, storageNotFound, storageReadOnly, storageFull, storageUnsupported, storageSays
    case otherVolume, folderClosed, folderForeign, folderReplaced, addFolderForeign, folderBrokers, folderElsewhere,
      storageForeign
    case pluginDisabled, stateNotRead, stateNotWritten
    case foldersAway, photosMissed, photosWait, policySilent, mappingSilent, trashWaits
    // Why a file was left out.
    case fileUnreadable, fileTruncated, fileMislabelled, fileNoMedia, fileUnusable, fileTooLarge, fileEmpty,
      fileChanging
    case fileForbidden, fileHardLinked, fileForeign, fileLink, fileGone, fileAway, fileNoRoom, fileRefused, mediaAway,
      folderAway
    case sidecarUnreadable
    // Why a plugin cannot be used.
    case pluginChanged, pluginNameTaken, pluginUnusable, pluginUncounted
  }
}
