/// Plans the cleaning of a file without decoding its picture.
package enum CleaningPlanner {
  /// - Returns: A plan after which the file states nothing of the withheld facts, or the reason why
  ///   that is not certain.
  package static func outcome(of source: some ByteSource, withholding withheld: ErasedFacts) -> CleaningOutcome {
    do {
      let draft = Draft(withheld)
      let file = Window(Input(source))
      try FileFormat.clean(file, draft)
      // Failed readings may have been taken for damaged blocks.
      guard !file.input.isExhausted else { return .uncleanable(.tooComplex) }
      return .plan(try draft.plan(byteCount: file.count))
    } catch {
      return .uncleanable(error)
    }
  }
}
