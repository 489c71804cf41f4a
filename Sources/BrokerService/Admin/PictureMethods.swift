import Broker
import BrokerInterface
import Catalogue
import Delivery
import Indexer
import PhotoModel
import UnixSocket
import Varlink

/// Pictures and films for owners. The media worker makes them; no bytes of a file are sent.
struct PictureMethods {
  let runtimes: LibraryRuntimes

  @MethodRows var methods: [Method] {
    Method(Admin.GetOwnedThumbnail.self, .administration(getOwnedThumbnail))
    Method(Admin.GetOwnedPreview.self, .administration(getOwnedPreview))
    Method(Admin.GetOwnedProgress.self, .administration(getOwnedProgress))
    Method(Admin.GetOwnedDetails.self, .administration(getOwnedDetails))
  }

  private func getOwnedThumbnail(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.GetOwnedThumbnail.Parameters = try call.parameters()
    let (library, row) = try asset(parameters.asset, in: parameters.library, session, orTrashed: true)
    let pixels = Int(parameters.maxPixels)
    let runtime = runtimes[library]
    let isTrashed = row.flags.contains(.trashed)
    file(of: row, in: runtime, call) { resource in
      runtime.pictures.thumbnail(of: resource, asset: row.number, pixels: pixels, for: ByteRecipient(call, nil)) {
        result in
        call.resume { () throws(CallFailure) in
          _ = try asset(parameters.asset, in: parameters.library, session, orTrashed: true)
          switch result {
          case .failure(let error) where isTrashed: throw .notFound("picture", error.message)
          case .failure(let error) where error.code == .photos(.requestNotSupportedForAsset):
            throw .notFound("picture", error.message)
          case .failure(let error): throw .broker(error)
          case .success(let picture): write(picture, to: call)
          }
        }
      }
    }
  }

  private func write(_ picture: SealedCopy, to call: IncomingCall) {
    guard let bytes = try? picture.withBytes({ [UInt8]($0) }) else {
      return call.fail(BrokerError(.failed, "The picture cannot be read."))
    }
    call.write { writer in
      writer.beginObject()
      writer.key("data")
      bytes.withUnsafeBytes { writer.write(base64: $0) }
      writer.endObject()
    }
  }

  private func getOwnedPreview(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.GetOwnedPreview.Parameters = try call.parameters()
    let (library, row) = try asset(parameters.asset, in: parameters.library, session)
    guard row.mediaType == .video else {
      throw .refused(.noPreview, "Only a video has a preview; get a thumbnail of this asset.")
    }
    let runtime = runtimes[library]
    file(of: row, in: runtime, call) { resource in
      runtime.pictures.preview(of: resource, asset: row.number, for: ByteRecipient(call, nil)) { result in
        call.resume { () throws(CallFailure) in
          // The caller's rights may have ended meanwhile, or the asset.
          _ = try asset(parameters.asset, in: parameters.library, session)
          let film = try decide(result.get())
          let descriptor: FileDescriptor
          do throws(UnixSocketError) { descriptor = try film.opened() } catch {
            throw .failed("The broker has too many files open; try again in a moment.")
          }
          call.reply(
            Admin.GetOwnedPreview.Reply(descriptor: 0, size: Int64(film.byteCount)),
            descriptors: SharedDescriptors(descriptor))
        }
      }
    }
  }

  private func getOwnedProgress(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.GetOwnedProgress.Parameters = try call.parameters()
    let (library, row) = try asset(parameters.asset, in: parameters.library, session)
    let arrival = runtimes[library].pictures.arrival(of: row.number)
    call.reply(Admin.GetOwnedProgress.Reply(received: arrival.map { Int64($0.received) }, size: arrival?.size))
  }

  private func getOwnedDetails(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.GetOwnedDetails.Parameters = try call.parameters()
    let (library, row) = try asset(parameters.asset, in: parameters.library, session)
    runtimes[library].bytes.record(of: row) { result in
      call.resume { () throws(CallFailure) in
        let record = try decide(result.get())
        let (location, workers) = (record.row.location, runtimes[library].workers)
        let answer = workers.answered(
          call.answering { (town: TownNames.Town?) throws(CallFailure) in
            // The caller's rights may have ended meanwhile, or the asset.
            _ = try asset(parameters.asset, in: parameters.library, session)
            call.reply(details(of: record, near: town))
          })
        // The first look reads the table of towns.
        workers.run(.read) {
          location.flatMap { ZoneFile.towns?.nearest(to: $0) }
        } then: {
          answer(.success($0))
        }
      }
    }
  }

  private func details(of record: AssetRecord, near town: TownNames.Town?) -> Admin.GetOwnedDetails.Reply {
    let (row, file) = (record.row, record.ofFile.differing(from: record.row, caption: record.caption))
    return Admin.GetOwnedDetails.Reply(
      caption: record.shownCaption, creationDate: row.creationDate?.microseconds,
      location: row.location.map { AdminRecords.place($0) }, town: town.map { AdminRecords.town($0) },
      fileCaption: file.caption, fileCreationDate: file.creationDate?.microseconds,
      fileLocation: file.location.map { AdminRecords.place($0) },
      files: record.resources.map(AdminRecords.wholeFile))
  }

  private func asset(
    _ text: String, in name: String, _ session: AdminSession, orTrashed: Bool = false
  ) throws(CallFailure) -> (LibraryState, AssetRow) {
    let name = try AdminParameters.library(name)
    let library = try decide(session.seenLibrary(name))
    guard let row = try AdminParameters.row(of: text, in: library) else { throw AdminParameters.noAsset() }
    guard orTrashed || !row.flags.contains(.trashed) else {
      throw .notFound("picture", "The asset is in the trash, where only its thumbnail is shown; restore it to see it.")
    }
    return (library, row)
  }

  private func file(
    of row: AssetRow, in runtime: LibraryRuntime, _ call: IncomingCall, _ body: @escaping (ResourceRecord) -> Void
  ) {
    let isTrashed = row.flags.contains(.trashed)
    let answer = call.answering { (resources: [ResourceRecord]) throws(CallFailure) in
      // The trash is searched by the first file.
      guard let resource = isTrashed ? resources.first : resources.shown else {
        throw .failed("The asset has no files any more.")
      }
      guard isTrashed else { return body(resource) }
      runtime.trash.present(resource, of: row.number) { result in
        call.resume { () throws(CallFailure) in
          switch result {
          case .failure(let error): throw .notFound("picture", error.message)
          case .success(let resource): body(resource)
          }
        }
      }
    }
    runtime.bytes.resources(of: row, answer)
  }
}
