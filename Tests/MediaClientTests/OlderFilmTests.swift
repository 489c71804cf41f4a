import Foundation
import MediaClient
import PhotoModel
import Testing

/// Films in containers of older cameras: five red pictures of 32 by 16 pixels, written by
/// libavformat.
struct OlderFilmTests {
  private let client = MediaClient(programs: MediaWorker.folder)

  private static let programStream =
    Data(
      base64Encoded: """
        AAABuiEAAQABwzNnAAABuwAJwzNnACH/4ODmAAAB4AB2MQADe7ERAANfkQAAAbMCABAT///gGAAAAbgACABAAAABAAAP//gAAAEB\
        E/IUpS+Zv3C5SlIiAAABAABX//iAAAABARJ5wAAAAQAAl//4gAAAAQESecAAAAEAANf/+IAAAAEBEnnAAAABAAEX//iAAAABARJ5\
        wAAAAb4HYw8=
        """)! + Data(repeating: 0xff, count: 1890)
  private static let windowsMedia = Data(
    base64Encoded: """
      MCaydY5mzxGm2QCqAGLObOkBAAAAAAAABAAAAAECodyrjEepzxGO5ADADCBTZWgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADkDAAAA\
      AAAAAIA+1d6xnQEBAAAAAAAAAECK9wEAAAAAgIQeAAAAAAAcDAAAAAAAAAIAAADIAAAAyAAAAEANAwC1A79fLqnPEY7jAMAMIFNl\
      nAAAAAAAAAAR0tOruqnPEY7mAMAMIFNlBgBuAAAA6sv4xa9bd0iEZ6qMRPpMym4AAAAAAAAAAgAAAAEAGgADAAQAAABBAHMAcABl\
      AGMAdABSAGEAdABpAG8AWAAAAAEAAAAAAAEAGgADAAQAAABBAHMAcABlAGMAdABSAGEAdABpAG8AWQAAAAEAAACRB9y3t6nPEY7m\
      AMAMIFNlhQAAAAAAAADA7xm8TVvPEaj9AIBfXEQrAFf7IFVbzxGo/QCAX1xEKwAAAAAAAAAANwAAAAAAAAABAAAAAAAgAAAAEAAA\
      AAIsACwAAAAgAAAAEAAAAAEAGABXTVYyAAYAAAAAAAAAAAAAAAAAAAAAAADIw7SAQFLRhh0x0BGjpACgyQNI9kIAAAAAAAAAQVLR\
      hh0x0BGjpACgyQNI9gEAAAABAAUAdwBtAHYAMgAAAAAABABXTVYyNiaydY5mzxGm2QCqAGLObPoAAAAAAAAAAAAAAAAAAAAAAAAA\
      AAAAAAEAAAAAAAAAAQGCAAAJXUkAAAAAoACFgQEAAAAACA0AAAAcDAAADQAAEGB4dWPf49kiFVAAAQIAAAAACAQAAABEDAAABACI\
      IyEAAQMAAAAACAQAAABsDAAABACIIyEAAQQAAAAACAQAAACUDAAABACIIyEAAQUAAAAACAQAAAC8DAAABACIIyEAAAAAAAAAAAAA\
      AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAJAIADOx5c8RifQA\
      oMkDSctWAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAlpgAAAAAAAAAAAAFAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
      """)!

  @Test(arguments: [
    (programStream, "video/mpeg"), (windowsMedia, "video/x-ms-wmv"),
  ]) func `an MPEG or Windows video has its size and can be viewed`(_ film: Data, _ type: String) throws {
    let facts = try client.facts(of: MediaWorker.sealed(film))
    #expect(facts.problems.isEmpty && facts.mediaType == .video && facts.mimeType == type)
    #expect(facts.size == MediaFacts.Size(width: 32, height: 16))
    #expect(try client.thumbnail(of: MediaWorker.sealed(film), ThumbnailRequest(width: 32, height: 32)).width == 32)
  }

  @Test func `R163 a Windows video's date is that of its header, in UTC`() throws {
    var film = Self.windowsMedia
    #expect(try client.facts(of: MediaWorker.sealed(film)).date == nil, "1970, as without a clock")
    let place = try #require(film.range(of: Data([0x00, 0x80, 0x3e, 0xd5, 0xde, 0xb1, 0x9d, 0x01])))
    let ticks: UInt64 = 131_908_722_652_500_000
    film.replaceSubrange(place, with: withUnsafeBytes(of: ticks.littleEndian) { Data($0) })
    let date = try #require(try client.facts(of: MediaWorker.sealed(film)).date)
    #expect((date.year, date.month, date.day) == (2019, 1, 2))
    #expect((date.hour, date.minute, date.second, date.microsecond) == (3, 11, 5, 250_000))
    #expect(date.offsetMinutes == 0)
    film.replaceSubrange(place, with: Data(repeating: 0xff, count: 8))
    #expect(try client.facts(of: MediaWorker.sealed(film)).date == nil)
  }
}
