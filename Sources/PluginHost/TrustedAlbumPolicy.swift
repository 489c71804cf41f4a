package import PluginKit

package final class TrustedAlbumPolicy: AlbumPolicyPlugin {
  private let plugin: TrustedPlugin

  package init(name: String, settings: PluginSettings = PluginSettings(), object: TrustedObject) {
    plugin = TrustedPlugin(.albumPolicy, name: name, settings: settings, of: object) {
      () throws(PluginError) -> AnyObject in
      try object.registry.makePolicy(name, options: settings.options, secrets: settings.secrets)
    }
  }

  package func decide(_ question: AlbumPolicyQuestion) throws(PluginFailure) -> AlbumPolicyAnswer {
    let answer = try plugin.call(deadline: .seconds(5)) { (object, _) throws(PluginError) -> AlbumPolicyAnswer in
      guard let policy = object as? any AlbumPolicy else { throw PluginError(.failed, "It is not an album policy.") }
      return try policy.decide(question)
    }
    let visible = answer.visible.intersection(question.albums.map(\.identifier))
    return AlbumPolicyAnswer(
      visible: visible, editable: answer.editable.intersection(visible), mayCreate: answer.mayCreate)
  }

  package func stop() { plugin.stop() }
}
