import PhotoModel
import PluginHost
import PluginKit
import Testing

struct ListMeterTests {
  private func page(_ count: Int, path: String = "a.jpg", next: String?) -> ItemPage {
    let file = ItemFile(
      role: .original, locator: path, filename: "a.jpg", size: 1, contentVersion: "1", identityHint: nil,
      modified: Timestamp(microseconds: 0))
    return ItemPage(items: Array(repeating: StorageItem(primary: file), count: count), skipped: 0, next: next)
  }

  @Test func `a million photos on pages of their own are a list`() {
    var meter = ListMeter()
    for number in 0..<500 {
      #expect(meter.note(page(2_000, path: "2024/holiday/IMG_0001.jpg", next: "\(number)")) == nil)
    }
    #expect(meter.note(page(0, next: nil)) == nil)
  }

  @Test func `a repeating page is refused`() {
    var meter = ListMeter()
    #expect(meter.note(page(1, next: "a")) == nil)
    #expect(meter.note(page(1, next: "b")) == nil)
    #expect(meter.note(page(1, next: "a"))?.contains("does not end") == true)
  }

  @Test func `empty pages and endless photos are refused`() {
    var empty = ListMeter()
    #expect((0..<2_000).contains { empty.note(page(0, next: "\($0)")) != nil })
    var full = ListMeter()
    let path = String(repeating: "x", count: 4_000)
    #expect((0..<1_000).contains { full.note(page(1_000, path: path, next: "\($0)")) != nil })
  }

  @Test func `as many photos as the limit are accepted, and one more is refused`() {
    var limits = PluginAllowance()
    limits.listedItems = 3_000
    var meter = ListMeter(limits)
    #expect(meter.note(page(2_000, next: "a")) == nil)
    #expect(meter.note(page(1_000, next: "b")) == nil)
    #expect(meter.note(page(1, next: nil)) == "The list does not end, or has more than 3000 photos.")
  }
}
