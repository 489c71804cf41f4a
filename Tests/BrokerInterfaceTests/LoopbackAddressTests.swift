import BrokerInterface
import Testing

@Suite struct LoopbackAddressTests {
  @Test(arguments: ["127.0.0.1", "127.255.255.254", "127.1.20.255", "127.0.0.0"])
  func `a loopback address is read as browsers write it and written likewise`(text: String) throws {
    #expect(try #require(LoopbackAddress(text)).description == text)
  }

  @Test(arguments: [
    "", "127", "127.1", "127.0.0.1.", ".127.0.0.1", "127.0.0", "127.0.0.0.1", "127.0.0.01", "127.0.0.256", "127.0.0.-1",
    "127.0.0.+1",
    "127.0.0.1 ", "127.0.0.0x1", "128.0.0.1", "126.255.255.255", "0.0.0.0", "::1", "[::1]", "localhost", "127.0.0.1:80",
    "127.0.0.\u{661}",
  ])
  func `other addresses are refused`(text: String) { #expect(LoopbackAddress(text) == nil) }

  @Test func `only addresses that begin with 127 are loopback`() {
    #expect(
      LoopbackAddress(0x7F00_0001)?.description == "127.0.0.1"
        && LoopbackAddress(0x7FFF_FFFF)?.description == "127.255.255.255")
    #expect(LoopbackAddress(0x8000_0000) == nil && LoopbackAddress(0x7EFF_FFFF) == nil)
  }
}
