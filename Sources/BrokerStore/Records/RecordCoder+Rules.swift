import Broker
import PhotoModel

extension RecordCoder {
  func agreement(_ agreement: Agreement?) throws(Damaged) -> Agreement {
    Agreement(
      time: try time(agreement?.time), user: try integer(agreement?.user), words: try words(agreement?.words))
  }

  func words(_ words: ShownWords?) throws(Damaged) -> ShownWords {
    ShownWords(
      identifier: try text(words?.identifier), displayName: try text(words?.displayName),
      usageDescription: try text(words?.usageDescription), language: try optional(words?.language, text),
      systemIdentity: try optional(words?.systemIdentity, text), executable: try optional(words?.executable, text))
  }

  func rule(_ rule: RuleRecord?) throws(Damaged) -> RuleRecord {
    RuleRecord(
      library: try known(LibraryName(try text(rule?.library.description))), name: try text(rule?.name),
      identifier: try optional(rule?.identifier, text), uid: try integer(rule?.uid),
      systemIdentity: try optional(rule?.systemIdentity, text), level: try named(rule?.level),
      answer: try named(rule?.answer), selectors: try list(rule?.selectors, selector),
      albumPolicy: try optional(rule?.albumPolicy, text), terms: try choice(rule?.terms),
      lifetimeSeconds: try optional(rule?.lifetimeSeconds, integer), live: try optional(rule?.live, live),
      author: try integer(rule?.author),
      role: try named(rule?.role), made: try time(rule?.made))
  }

  private func choice(_ terms: GrantTerms.Choice?) throws(Damaged) -> GrantTerms.Choice {
    GrantTerms.Choice(
      location: try optional(terms?.location, flag), captions: try optional(terms?.captions, flag),
      files: try optional(terms?.files, flag), pixels: try optional(terms?.pixels, integer),
      changes: try optional(terms?.changes, flag),
      deletions: try optional(terms?.deletions, numbered), allowance: try allowance(terms?.allowance))
  }

  private func selector(_ selector: RuleSelector?) throws(Damaged) -> RuleSelector {
    RuleSelector(
      glob: try optional(selector?.glob, text), createdFrom: try optional(selector?.createdFrom, time),
      createdBefore: try optional(selector?.createdBefore, time), filename: try optional(selector?.filename, text),
      mediaType: try optional(selector?.mediaType, numbered), favourite: try optional(selector?.favourite, flag),
      last: try optional(selector?.last, integer), everything: try flag(selector?.everything),
      album: try optional(selector?.album, identifier))
  }
}
