import Foundation
import MediaClient
import PhotoModel
import Testing

/// Films in containers of older cameras: five red pictures of 32 by 16 pixels, written by
/// libavformat.
struct OlderFilmTests {
  private let client = MediaClient(worker: MediaWorker.path)

  private static let programStream =
    Data(
      base64Encoded: """
        AAABuiEAAQABwzNnAAABuwAJwzNnACH/4ODmAAAB4AB2MQADe7ERAANfkQAAAbMCABAT///gGAAAAbgACABAAAABAAAP//gAAAEBE/IUpS+Zv3C5SlIiAA\
        ABAABX//iAAAABARJ5wAAAAQAAl//4gAAAAQESecAAAAEAANf/+IAAAAEBEnnAAAABAAEX//iAAAABARJ5wAAAAb4HYw8=
        """)! + Data(repeating: 0xff, count: 1890)
  private static let windowsMedia = Data(
    base64Encoded: """
      MCaydY5mzxGm2QCqAGLObOkBAAAAAAAABAAAAAECodyrjEepzxGO5ADADCBTZWgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADkDAAAAAAAAAIA+1d6xnQEBAA\
      AAAAAAAECK9wEAAAAAgIQeAAAAAAAcDAAAAAAAAAIAAADIAAAAyAAAAEANAwC1A79fLqnPEY7jAMAMIFNlnAAAAAAAAAAR0tOruqnPEY7mAMAMIFNlBgBu\
      AAAA6sv4xa9bd0iEZ6qMRPpMym4AAAAAAAAAAgAAAAEAGgADAAQAAABBAHMAcABlAGMAdABSAGEAdABpAG8AWAAAAAEAAAAAAAEAGgADAAQAAABBAHMAcA\
      BlAGMAdABSAGEAdABpAG8AWQAAAAEAAACRB9y3t6nPEY7mAMAMIFNlhQAAAAAAAADA7xm8TVvPEaj9AIBfXEQrAFf7IFVbzxGo/QCAX1xEKwAAAAAAAAAA\
      NwAAAAAAAAABAAAAAAAgAAAAEAAAAAIsACwAAAAgAAAAEAAAAAEAGABXTVYyAAYAAAAAAAAAAAAAAAAAAAAAAADIw7SAQFLRhh0x0BGjpACgyQNI9kIAAA\
      AAAAAAQVLRhh0x0BGjpACgyQNI9gEAAAABAAUAdwBtAHYAMgAAAAAABABXTVYyNiaydY5mzxGm2QCqAGLObPoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEA\
      AAAAAAAAAQGCAAAJXUkAAAAAoACFgQEAAAAACA0AAAAcDAAADQAAEGB4dWPf49kiFVAAAQIAAAAACAQAAABEDAAABACIIyEAAQMAAAAACAQAAABsDAAABA\
      CIIyEAAQQAAAAACAQAAACUDAAABACIIyEAAQUAAAAACAQAAAC8DAAABACIIyEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
      AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAJAIADOx5c8RifQAoMkDSctWAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAlpgAAAAAAAAAAAAFAAAAAA\
      AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
      """)!

  @Test(arguments: [
    ("mpg", programStream, "video/mpeg"), ("mpeg", programStream, "video/mpeg"),
    ("wmv", windowsMedia, "video/x-ms-wmv"),
  ]) func `an MPEG or Windows video has its size and can be viewed`(_ ending: String, _ film: Data, _ type: String)
    throws
  {
    let facts = try client.facts(of: MediaWorker.sealed(film), nameExtension: ending)
    #expect(facts.problems.isEmpty && facts.mediaType == .video && facts.mimeType == type)
    #expect(facts.size == MediaFacts.Size(width: 32, height: 16))
    #expect(try client.thumbnail(of: MediaWorker.sealed(film), ThumbnailRequest(width: 32, height: 32)).width == 32)
  }

  @Test func `a mismatch of name and content is reported`() throws {
    let facts = try client.facts(of: MediaWorker.sealed(Self.windowsMedia), nameExtension: "mpg")
    #expect(facts.problems == [.mislabelled])
  }
}
