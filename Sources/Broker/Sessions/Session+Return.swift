extension Session {
  /// Whether access under a permit may come back to an open call: after a pause, or by another
  /// decision if the connection is the app itself with its whole token (R159).
  package func mayRegain(_ permit: Permit) -> Bool {
    let (grant, attachment) = (permit.grant, permit.attachment)
    guard let app, !app.isRemoved, !isClosed, !grant.isRemoved, isOffered(attachment.library, app),
      app.describes(grant.record.key.level)
    else { return false }
    guard grant.status(broker.environment).grantsAccess else { return isAppItself && attachment.isWhole }
    return attachment.isCurrent(broker.environment) && grant.record.isPaused
  }

  /// Attaches the token of access that came back to the app itself, as
  /// ``requestAuthorization(level:library:wait:completion:)`` does.
  package func regain(_ permit: Permit) {
    let (grant, attachment) = (permit.grant, permit.attachment)
    guard isAppItself, attachment.isWhole, !attachment.isCurrent(broker.environment),
      grant.isInForce(broker.environment)
    else { return }
    add(Attachment(accessor: grant.record.accessor, grant: grant, library: attachment.library, isWhole: true))
  }
}
