import BrokerInterface
import PhotoModel
package import PluginKit
package import Supervisor

package final class IsolatedAlbumPolicy: Sendable {
  private let plugin: IsolatedPlugin
  private let refusals: RefusalNotes

  package init(name: String, settings: PluginSettings = PluginSettings(), program: ChildOptions) {
    plugin = IsolatedPlugin(.albumPolicy, name: name, settings: settings, program: program)
    refusals = RefusalNotes(program.journal)
  }

  private static let deadline = Duration.seconds(5)
  /// Timeout for a call that starts the process first; it equals the timeout of the trial at
  /// installation.
  package static let startDeadline = Duration.seconds(10)

  /// Albums in one call, so that long titles fit into a message.
  private static let batch = 500

  package func decide(_ question: AlbumPolicyQuestion) throws(PluginFailure) -> AlbumPolicyAnswer {
    var answer = AlbumPolicyAnswer(visible: [], editable: [], mayCreate: true)
    var start = 0
    repeat {
      let end = min(start + Self.batch, question.albums.count)
      let part = try decide(Array(question.albums[start..<end]), isLimited: question.isLimited)
      answer.visible.formUnion(part.visible)
      answer.editable.formUnion(part.editable)
      answer.mayCreate = answer.mayCreate && part.mayCreate
      start = end
    } while start < question.albums.count
    return answer
  }

  private func decide(_ asked: [AlbumPolicyQuestion.Album], isLimited: Bool) throws(PluginFailure) -> AlbumPolicyAnswer
  {
    let albums = asked.map {
      Plugin.Album(
        identifier: $0.identifier.description, title: $0.title, isOwn: $0.isOwn, isShared: $0.isShared,
        source: $0.source.rawValue)
    }
    let reply = try plugin.call(
      Plugin.DecideAlbums.self, .init(isLimited: isLimited, albums: albums),
      deadline: plugin.isRunning ? Self.deadline : Self.startDeadline)
    let known = Set(albums.map(\.identifier))
    let foreign = Set(reply.visible + reply.editable).subtracting(known).count
    refusals.note(
      foreign == 0
        ? nil
        : """
        It answered with \(foreign) album identifiers that are not in the question. They are ignored. Use the \
        question's.
        """
    )
    let visible = Set(reply.visible.compactMap { AlbumIdentifier($0) }).intersection(asked.map(\.identifier))
    let editable = Set(reply.editable.compactMap { AlbumIdentifier($0) }).intersection(visible)
    return AlbumPolicyAnswer(visible: visible, editable: editable, mayCreate: reply.mayCreate)
  }

  package func stop() { plugin.stop() }
}
