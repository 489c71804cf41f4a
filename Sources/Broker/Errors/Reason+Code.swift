extension Reason {
  /// Codes of reasons. These names are stable: other programs have messages for them.
  package enum Code: String, Sendable, CaseIterable {
    // Refused requests of owners.
    case libraryNameTaken, coOwnersTooMany
    case albumUnnamed, albumUntitled, albumTitle, albumFull, captionText
    case selectorEmpty, selectsNothing, lastNegative
    case assetTwice, pickerFull, pickerTakesNot
    case alreadyOwn, offeredToTooMany, nothingToOffer, userDeclined, declinesTooMany, answersWait, acceptedTooOften
    case nothingToApply, applyingTooMany, entryTwice, nothingToSet, outcomeChanged
    case noSelection, selectionIsLive, noAccess, limitedAdding, endsInPast, policyName, policyUnusable, ownersDeny
    case ruleTwice, ruleName, ruleLimitedAdding, ruleSelectsNot, ruleSelectsNothing, ruleChoices, ruleLifetime,
      tooManyRules, ruleByName
    case answersOnly, wordsChanged, revokeWhat, accessorAlone, noPreview, unknownMarks
    // Tokens that were authentic.
    case tokenExpired, tokenUsedUp, tokenOfOtherUser
    // Decisions that cannot be undone.
    case tokenRevoked, accessErased, pickOver, deletionAnswered, setUp, notedOnly, restoredPause, keptNothing
    case appForgotten, appErased, tokenOver, wouldHaveEnded
    case movedOn, hasUses
    // Later changes that prevent an undo.
    case statusMoved, isPaused, wasResumed, endMoved, albumsMoved, termsMoved, selectionMoved, decidedAgain,
      decisionComing
    case offerMoved, ownersMoved, seeingMoved, decidingMoved, originalsMoved, deletionsMoved, defaultTermsMoved,
      ruleGone, ruleEdited,
      administratorsMoved
    case photoGone, photoBack, favouriteMoved, dateMoved, placeMoved, captionMoved
    case marksMoved, marksConfirmed, albumGone, albumBack, albumRetitled, albumShared, albumUnshared, albumMembersMoved
    // Uses of an addition that prevent its undo.
    case accessDecided, appAsks, hasRules, hasCoOwners, hasAlbums, appsAdded, pickersGave, photosMarked, appRuns
    // Missing rights.
    case ownersOnly, administratorsNarrow, administratorsBlind, administratorsRestrict, restrictsOnly, foreignRule,
      registrarsOnly
    // Failures.
    case notKept, narrowedNotKept, decisionDamaged, notRead, keysBroken, storageFailed, restoredAnother, placeTaken
    // Problems of a library, such as the reason why it is offline.
    case storageOffline, storageNotFound, storageReadOnly, storageFull, storageUnsupported, storageSays
    case otherVolume, folderClosed, folderForeign, folderReplaced, addFolderForeign, folderBrokers, folderElsewhere,
      storageForeign
    case pluginDisabled, stateNotRead, stateNotWritten
    case foldersAway, photosMissed, photosWait, policySilent, mappingSilent, trashWaits, ledgerDamaged
    // Reasons for skipping a file.
    case fileNoMedia, fileUnusable, fileTooLarge, fileEmpty,
      fileChanging
    case fileForbidden, fileHardLinked, fileForeign, fileLink, fileGone, fileAway, fileNoRoom, fileRefused, mediaAway,
      folderAway
    case fileName, fileSpecial, fileFactless, fileBackup, folderDeep, folderOtherVolume
    case sidecarUnreadable, sidecarOfAnother, sidecarTooLarge
    // Problems of a plugin.
    case pluginChanged, pluginNameTaken, pluginUnusable, pluginUncounted
  }
}
