import Broker
import BrokerInterface
import Limits
import PluginKit
import UnixSocket
import Varlink

/// An asset that a call creates: its name and the place of its bytes.
struct Creation {
  enum Source {
    case descriptor(Int64)
    case contents([UInt8])
    case upload(String)
  }

  let name: String
  let source: Source
  private let prefix: String

  init(_ change: Library.Change, _ path: String) throws(CallFailure) {
    guard let name = change.filename else { throw .invalid("\(path).filename", "createAsset needs it") }
    try self.init(name, change.descriptor, change.contents, change.upload, prefix: "\(path).")
  }

  init(_ parameters: Library.AddAsset.Parameters) throws(CallFailure) {
    try self.init(parameters.filename, parameters.descriptor, parameters.contents, parameters.upload, prefix: "")
  }

  private init(
    _ name: String, _ descriptor: Int64?, _ contents: String?, _ upload: String?, prefix: String
  ) throws(CallFailure) {
    guard (1...ServiceLimits.addedNameBytes).contains(name.utf8.count), !name.hasPrefix("."),
      !name.utf8.contains(UInt8(ascii: "/")),
      name.isShowable(allowsLines: false)
    else {
      throw .invalid(
        "\(prefix)filename",
        "a file name has 1 to \(ServiceLimits.addedNameBytes) bytes that people can see, no slash, and no dot in front")
    }
    // Storages list files by their suffix, so a file with another one would be missing after the
    // next scan.
    guard [.photo, .raw, .video].contains(FileKind(name)) else {
      throw .photos(
        .invalidResource,
        "\(prefix)filename has no ending of a photo or video; give it one, such as .jpg, .heic or .mp4.")
    }
    self.name = name
    self.prefix = prefix
    switch (descriptor, contents, upload) {
    case (let index?, nil, nil): source = .descriptor(index)
    case (nil, let contents?, nil):
      guard let bytes = Base64.decode(contents) else { throw .invalid("\(prefix)contents", "it is not base64") }
      source = .contents(bytes)
    case (nil, nil, let upload?): source = .upload(upload)
    default: throw .invalid("\(prefix)contents", "give one of descriptor, contents and upload")
    }
  }

  /// Decodes the parameters of a call that creates assets. An error about too long `contents` names
  /// the alternatives.
  static func parameters<P: VarlinkDecodable>(of call: IncomingCall, as type: P.Type = P.self) throws(CallFailure) -> P
  {
    do { return try call.decode(type) } catch {
      guard error.code == .limitExceeded, error.field.hasSuffix("contents") else { throw .service(ServiceError(error)) }
      throw .photos(
        .limitExceeded,
        "contents carries at most \(ServiceLimits.pieceBytes) bytes; pass a descriptor, or make an upload.")
    }
  }

  static let uploadRule = "this connection has no such upload, or another asset takes it; begin one with BeginUpload"
  private static let descriptorRule =
    "it is not the position of a passed descriptor that no other asset has; the first is 0"

  private var hasDescriptor: Bool { if case .descriptor = source { true } else { false } }

  /// Checks the places of the bytes before any are taken: no two assets may share one.
  static func check(_ creations: [Creation], _ call: IncomingCall) throws(CallFailure) {
    var descriptors = Set<Int64>()
    var uploads = Set<String>()
    let count = creations.count(where: \.hasDescriptor)
    for creation in creations {
      switch creation.source {
      case .contents: break
      case .descriptor(let index):
        guard (0..<Int64(count)).contains(index), descriptors.insert(index).inserted else {
          throw .invalid("\(creation.prefix)descriptor", descriptorRule)
        }
      case .upload(let upload):
        guard call.connection.uploads.isOpen(upload), uploads.insert(upload).inserted else {
          throw .invalid("\(creation.prefix)upload", uploadRule)
        }
      }
    }
  }

  /// Takes descriptors and uploads, in the order of the assets.
  static func take(_ creations: [Creation], _ call: IncomingCall) throws(CallFailure) -> [(
    name: String, bytes: HandedBytes
  )] {
    var descriptors: [HandedDescriptor] = []
    for creation in creations where creation.hasDescriptor {
      guard let descriptor = call.connection.takeDescriptor() else {
        throw .invalid("\(creation.prefix)descriptor", descriptorRule)
      }
      descriptors.append(descriptor)
    }
    var handed: [(name: String, bytes: HandedBytes)] = []
    for creation in creations {
      switch creation.source {
      case .descriptor(let index): handed.append((creation.name, .descriptor(descriptors[Int(index)])))
      case .contents(let bytes): handed.append((creation.name, .sent(SentBytes(pieces: [bytes]))))
      case .upload(let upload):
        guard let pieces = call.connection.uploads.take(upload) else {
          throw .invalid("\(creation.prefix)upload", uploadRule)
        }
        handed.append(
          (creation.name, .sent(SentBytes(upload: pieces, of: call.connection.socket.peer.uid, in: call.core))))
      }
    }
    return handed
  }
}
