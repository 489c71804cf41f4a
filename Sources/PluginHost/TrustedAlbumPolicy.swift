package import PluginKit

package final class TrustedAlbumPolicy: AlbumPolicyPlugin {
  private let plugin: TrustedPlugin

  package init(name: String, settings: PluginSettings = PluginSettings(), object: TrustedObject) {
    plugin = TrustedPlugin(.albumPolicy, name: name, settings: settings, of: object) {
      Result { () throws(PluginFailure) -> AnyObject in
        do throws(PluginError) {
          return try object.registry.makePolicy(name, options: settings.options, secrets: settings.secrets)
        } catch {
          throw PluginFailure(error.code, error.message)
        }
      }
    }
  }

  package func decide(_ question: AlbumPolicyQuestion) throws(PluginFailure) -> AlbumPolicyAnswer {
    let answer = try plugin.call(deadline: .seconds(5)) { object, _ -> Result<AlbumPolicyAnswer, PluginFailure> in
      guard let policy = object as? any AlbumPolicy else {
        return .failure(PluginFailure(.failed, "It is not an album policy."))
      }
      do throws(PluginError) { return .success(try policy.decide(question)) } catch {
        return .failure(PluginFailure(error.code, error.message))
      }
    }
    let visible = answer.visible.intersection(question.albums.map(\.identifier))
    return AlbumPolicyAnswer(
      visible: visible, editable: answer.editable.intersection(visible), mayCreate: answer.mayCreate)
  }

  package func stop() { plugin.stop() }
}
