extension Macaroon {
  /// The restrictions in the caveats, without proof that the token is authentic. For showing a
  /// token to its holder.
  ///
  /// - Throws: `unknownCaveat`, `contradiction`.
  public func claimedRestrictions() throws(MacaroonError) -> TokenRestrictions {
    var restrictions = TokenRestrictions()
    for text in caveats {
      guard let caveat = Caveat(text) else { throw .unknownCaveat }
      try restrictions.narrow(by: caveat)
    }
    return restrictions
  }
}
