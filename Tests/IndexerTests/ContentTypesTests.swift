import Indexer
import PhotoModel
import PluginKit
import Testing

struct ContentTypesTests {
  @Test(arguments: [
    "crw", "cr2", "cr3", "nef", "nrw", "arw", "srf", "sr2", "dng", "raf", "orf", "rw2", "pef", "srw", "x3f", "iiq",
    "3fr", "erf", "kdc",
    "dcr", "mrw", "raw", "rwl", "mef", "mos", "gpr", "jpg", "JPE", "heic", "gif", "jxl", "bmp", "mpo", "insp", "jp2",
    "btf",
  ]) func `an uninspected photo is an image by its name, of any camera`(_ ending: String) {
    #expect([.photo, .raw].contains(FileKind("a.\(ending)")))
    #expect(ContentTypes.mediaType(byName: "a.\(ending)") == .image)
    #expect(ContentTypes.byName("a.\(ending)").hasPrefix("image/"))
  }

  @Test func `other files are of no known type`() {
    #expect(
      ContentTypes.mediaType(byName: "a.txt") == .unknown && ContentTypes.byName("a.txt") == "application/octet-stream")
    #expect(ContentTypes.mediaType(byName: "jpg") == .unknown && ContentTypes.mediaType(byName: "raw") == .unknown)
    #expect(ContentTypes.mediaType(byName: "a.wmv") == .video && ContentTypes.mediaType(byName: "a.mpg") == .video)
  }
}
