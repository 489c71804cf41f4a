import Foundation
import PhotoBroker

/// An app of the client library for the system tests: it makes one request to the named library and
/// prints the outcome.
///
/// Arguments: the request, the library's name. The token file is at its usual place.
@main
struct ClientChild {
  static func main() async {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else { exit(2) }
    let manifest = AppManifest(
      identifier: "org.example.named", name: "Named", usageDescription: "Works in the library that it names.",
      preventsAutomaticLimitedAccessAlert: true)
    let library = PhotoLibrary(manifest: manifest, name: arguments[2])
    do {
      print(try await ask(arguments[1], library))
    } catch let error as PhotosError {
      print("\(error.code): \(error.message)")
    } catch {
      print("\(error)")
    }
  }

  private static func ask(_ what: String, _ library: PhotoLibrary) async throws -> String {
    let album = AssetCollectionChangeRequest.creationRequestForAssetCollection(withTitle: "Secret")
    let photo = AssetCreationRequest(filename: "mine.jpg", contents: Data("mine".utf8))
    return switch what {
    case "request": "\(try await library.requestAuthorization(for: .readWrite))"
    case "count": "\(try await Asset.fetchAssets(in: library).count)"
    case "album": "made \(try await library.performChanges { $0.add(album) }.createdAssetCollections.count)"
    case "add": "added \(try await library.addAsset(filename: "mine.jpg", contents: Data("mine".utf8)))"
    case "upload": "added \(try await library.performChanges { $0.add(photo) }.createdAssets)"
    case "watch":
      try await {
        var walk = library.changes().makeAsyncIterator()
        return "told \(try await walk.next()?.status ?? .notDetermined)"
      }()
    default: exit(2)
    }
  }
}
