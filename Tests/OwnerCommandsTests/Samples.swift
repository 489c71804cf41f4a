/// Replies in a broker's form.
enum Samples {
  static let receipt =
    #"{"grants":1,"connections":2,"streams":1,"dropped":0,"assetsDelivered":3,"bytesDelivered":12345678}"#
  static let noReceipt = #"{"grants":0,"connections":0,"streams":0,"dropped":0,"assetsDelivered":0,"bytesDelivered":0}"#
  static let grant =
    #"{"library":"photos","app":"a1","identifier":"org.example.journal","level":"readWrite","status":"limited","selected":3,"visible":3,"paused":false,"expires":null,"albumPolicy":"own","origin":"owner","source":"prompt","decider":1000,"program":"/usr/bin/photobroker","decided":1720000000000000}"#
  static let app =
    #"{"app":"a1","identifier":"org.example.journal","displayName":"Journal","uid":61003,"verifiedIdentity":null,"executable":"/usr/bin/python3","isInterpreter":true,"connections":1,"introduced":1720000000000000}"#
  static let twin =
    #"{"app":"a2","identifier":"org.example.journal","displayName":"Journal","uid":61004,"isInterpreter":false,"connections":0,"introduced":1720000000000000}"#
  static let identifier = "0123456789abcdef0123456789abcdef"
  static let asset =
    #"{"identifier":"\#(identifier)","filename":"sea.jpg","path":"2024/sea.jpg","mediaType":"image","creationDate":1720000000000000,"pixelWidth":4000,"pixelHeight":3000,"favorite":true,"hidden":false,"neverShare":false,"incomplete":false,"version":1}"#
  static let edit =
    #"{"added":1,"removed":0,"selected":4,"sample":[\#(asset)],"receipt":\#(noReceipt),"decisions":[7]}"#
  static let prompt =
    #"{"prompt":"p1","kind":"authorization","library":"photos","app":\#(app),"level":"readWrite","usageDescription":"Shows your photos.","asked":1720000000000000,"answers":["allow","select","deny"]}"#
  static let status =
    #"{"version":"0.1.0","uid":61001,"caller":0,"separated":true,"separation":"another user","libraries":1,"prompts":1,"connections":2}"#

  static func library(state: String = "online", assets: Int = 10, indexed: Int = 0, toIndex: Int = 0) -> String {
    #"{"library":\#(info(state: state, assets: assets, indexed: indexed, toIndex: toIndex)),"decisions":[7]}"#
  }

  static func info(state: String = "online", assets: Int = 10, indexed: Int = 0, toIndex: Int = 0) -> String {
    #"{"name":"photos","owner":0,"coOwners":[1001],"administratorsSee":false,"administratorsDecide":true,"sharesOriginals":false,"appsDelete":true,"backend":"directory","options":{"path":"/p"},"credentials":[],"cloudMapping":"content","cloudMappingIsDefault":true,"cloudMappingOptions":{},"albumPolicies":[],"offeredTo":[61003],"declinedBy":[],"zoneOffsetMinutes":0,"state":"\#(state)","problem":null,"assets":\#(assets),"indexed":\#(indexed),"toIndex":\#(toIndex),"skipped":0,"awaitingTrash":0,"changeDetection":"watch","thumbnails":null}"#
  }

  static let plugin =
    #"{"name":"shelf","origin":"installed","form":"object","state":"enabled","problem":null,"digest":"00","built":"kit 1","offers":[{"protocol":"storage","name":"shelf","summary":"A shelf.","options":[{"name":"path","allowed":"an absolute path","default":null,"isRequired":true,"isSecret":false,"summary":"The folder."}]}],"installed":1720000000000000,"installedBy":0,"usedBy":["photos"],"isTrusted":false,"hasNetwork":false}"#

  /// Replies to every method of the owner's socket that a command calls.
  static let script: [String: ScriptedBroker.Scripted] = [
    "ListPlugins": .reply(#"{"plugins":[\#(plugin)],"problem":null}"#), "RemovePlugin": .reply("{}"),
    "SetPluginEnabled": .reply(#"{"plugin":\#(plugin),"libraries":["photos"]}"#),
    "ReadPluginLog": .reply(
      #"{"entries":[{"time":1720000000000000,"process":7,"kind":"line","text":"begins"}],"dropped":3}"#),
    "GetStatus": .reply(status), "AddLibrary": .reply(library(state: "indexing", toIndex: 10)),
    "RescanLibrary": .reply("{}"),
    "ListLibraries": .reply(#"{"libraries":[\#(info())]}"#),
    "OfferLibrary": .reply(#"{"receipt":\#(noReceipt),"decisions":[7]}"#),
    "ListOffers": .reply(
      #"{"offers":[{"library":"photos","owner":1001,"declined":true,"accepted":false,"programs":true,"coOwner":true,"programsAnswer":"declined","coOwnerAnswer":"declined"}]}"#
    ),
    "AnswerOffer": .reply(#"{"receipt":\#(noReceipt)}"#), "AnswerOffers": .reply(#"{"receipt":\#(noReceipt)}"#),
    "WatchLibrary": .replies([library(state: "indexing", assets: 0, indexed: 0, toIndex: 10), library()]),
    "RemoveLibrary": .reply(#"{"receipt":\#(receipt)}"#), "ListApps": .reply(#"{"apps":[\#(app)]}"#),
    "AddApp": .reply(#"{"app":\#(app),"token":"c2VjcmV0"}"#), "RemoveApp": .reply(#"{"receipt":\#(receipt)}"#),
    "ListGrants": .reply(#"{"grants":[\#(grant)]}"#),
    "SetGrant": .reply(#"{"grant":\#(grant),"receipt":\#(noReceipt),"decisions":[7]}"#),
    "EditSelection": .reply(edit), "PauseGrant": .reply(#"{"receipt":\#(receipt),"decisions":[7]}"#),
    "Revoke": .reply(#"{"receipt":\#(receipt),"decisions":[7]}"#),
    "ListPrompts": .reply(#"{"prompts":[\#(prompt)]}"#),
    "AnswerPrompt": .reply(#"{"grant":\#(grant),"decisions":[7]}"#),
    "ListPickers": .reply(
      #"{"pickers":[{"picker":"k1","app":\#(app),"library":"photos","selectionLimit":1400,"mediaTypes":[],"ordered":false,"preselected":[],"opened":1}]}"#
    ),
    "ListDeletions": .reply(
      #"{"deletions":[{"deletion":"d1","app":\#(app),"library":"photos","assets":["\#(identifier)"],"asked":1}]}"#),
    "AnswerDeletion": .reply("{}"),
    "AnswerPicker": .reply(#"{"items":1}"#),
    "MintToken": .reply(#"{"token":"c2VjcmV0","accessor":"acc1"}"#),
    "ListTokens": .reply(
      #"{"tokens":[{"accessor":"acc1","library":"photos","app":"a1","level":"readWrite","minted":1720000000000000,"revoked":false}]}"#
    ),
    "FetchOwnedAssets": .reply(#"{"assets":[\#(asset)],"total":1}"#),
    "MarkAssets": .reply(#"{"changed":1,"revision":8,"decisions":[7]}"#),
    "EditAsset": .reply(#"{"decisions":[8]}"#),
    "ReadLedger": .reply(
      #"{"entries":[{"time":1720000000000000,"app":"a1","identifier":"org.example.journal","accessor":"acc1","asset":"x","rendition":"original","bytes":2048,"gap":false}],"cursor":"41","trimmed":false}"#
    ),
    "ListDecisions": .reply(
      #"{"decisions":[{"decision":1,"time":1720000000000000,"actor":0,"role":"owner","source":"prompt","origin":"photobroker","action":"allow","library":"photos","app":"a1","level":"readWrite","before":"notDetermined","after":"limited, 3 selected","undoable":true}],"cursor":null}"#
    ),
    "UndoDecision": .reply(#"{"grant":\#(grant),"receipt":\#(receipt),"decisions":[7]}"#),
    "Apply": .reply(
      #"{"grants":[{"before":null,"after":\#(grant),"added":3,"removed":0,"sample":[\#(asset)]}],"rules":[{"changed":true,"answers":0}],"receipt":\#(noReceipt),"decisions":[7]}"#
    ),
    "ListRules": .reply(
      #"{"rules":[{"library":"photos","name":"backup","uid":1001,"level":"readWrite","answer":"select","lifetime":3600,"author":1000,"made":1720000000000000}]}"#
    ),
    "RemoveRule": .reply(#"{"decisions":[7]}"#), "DelegateLibrary": .reply(library()),
    "ListAdministrators": .reply(#"{"named":[3000],"administrators":[0,3000,3001]}"#),
    "SetAdministrators": .reply("{}"),
    "GetLimits": .reply(#"{"limits":{"pageLimit":1000}}"#),
  ]
}
