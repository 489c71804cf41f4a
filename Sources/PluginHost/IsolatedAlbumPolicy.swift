import BrokerInterface
import PhotoModel
package import PluginKit
package import Supervisor

/// An album policy in a process of its own.
package final class IsolatedAlbumPolicy: Sendable {
  private let plugin: IsolatedPlugin

  package init(name: String, program: ChildOptions) {
    plugin = IsolatedPlugin(protocol: "albumPolicy", name: name, options: [:], program: program)
  }

  /// What the policy answers; of albums that it was not asked about, nothing.
  package func decide(_ question: AlbumPolicyQuestion) throws(PluginFailure) -> AlbumPolicyAnswer {
    let albums = question.albums.map {
      Plugin.Album(identifier: $0.identifier.description, title: $0.title, isOwn: $0.isOwn, source: $0.source.rawValue)
    }
    let reply: Plugin.DecideAlbums.Reply = try plugin.call(
      Plugin.DecideAlbums.name, Plugin.DecideAlbums.Parameters(isLimited: question.isLimited, albums: albums),
      deadline: .seconds(5))
    let asked = Set(question.albums.map(\.identifier))
    let visible = Set(reply.visible.compactMap { AlbumIdentifier($0) }).intersection(asked)
    let editable = Set(reply.editable.compactMap { AlbumIdentifier($0) }).intersection(visible)
    return AlbumPolicyAnswer(visible: visible, editable: editable, mayCreate: reply.mayCreate)
  }

  package func stop() { plugin.stop() }
}
