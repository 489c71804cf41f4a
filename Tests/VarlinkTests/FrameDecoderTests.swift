import Limits
import Testing
import Varlink

struct FrameDecoderTests {
  @Test(arguments: [1, 2, 3, 7, 8, 9, 1000])
  func `messages come out whole, however they are cut`(piece: Int) throws {
    let messages = (0..<20).map { String(repeating: "x", count: $0 * 5) }
    let stream = messages.flatMap { Array($0.utf8) + [0] } + Array("rest".utf8)
    var decoder = FrameDecoder()
    var received: [String] = []
    for start in stride(from: 0, to: stream.count, by: piece) {
      try decoder.append(Array(stream[start..<min(start + piece, stream.count)]))
      while let frame = decoder.nextFrame() { received.append(String(decoding: frame, as: UTF8.self)) }
    }
    #expect(received == messages)
    #expect(decoder.isInsideFrame && decoder.bufferedBytes == 4 && decoder.pendingFrames == 0)
  }

  @Test func `untaken messages stay in order while others arrive`() throws {
    var decoder = FrameDecoder()
    var taken = 0
    for round in 0..<200 {
      try decoder.append(Array("\(2 * round)\0\(2 * round + 1)\0".utf8))
      if round.isMultiple(of: 3) || decoder.pendingFrames > 40 {
        while decoder.pendingFrames > 10, let frame = decoder.nextFrame() {
          #expect(String(decoding: frame, as: UTF8.self) == "\(taken)")
          taken += 1
        }
      }
    }
    while let frame = decoder.nextFrame() {
      #expect(String(decoding: frame, as: UTF8.self) == "\(taken)")
      taken += 1
    }
    #expect(taken == 400 && decoder.bufferedBytes == 0 && !decoder.isInsideFrame)
  }

  @Test func `a message at the limit is accepted and one byte more refused, ended or not`() throws {
    let limit = WireLimits.frameBytes
    var decoder = FrameDecoder()
    try decoder.append([UInt8](repeating: 1, count: limit))
    try decoder.append([0])
    #expect(decoder.nextFrame()?.count == limit)
    try decoder.append([UInt8](repeating: 1, count: limit))
    expectFailure(.limitExceeded) { try decoder.append([1]) }
    var other = FrameDecoder(frameLimitBytes: 4)
    expectFailure(.limitExceeded) { try other.append([1, 1, 1, 1, 1, 0]) }
  }

  @Test func `no more bytes are requested at the limit of waiting calls`() throws {
    var decoder = FrameDecoder()
    for _ in 0..<(WireLimits.pendingCalls - 1) { try decoder.append([1, 0]) }
    #expect(decoder.wantsBytes)
    try decoder.append([1, 0])
    #expect(!decoder.wantsBytes)
    _ = decoder.nextFrame()
    #expect(decoder.wantsBytes)
  }

  @Test func `received bytes are bounded even if that is ignored`() throws {
    var decoder = FrameDecoder()
    let half = [UInt8](repeating: 1, count: WireLimits.receivedBytes / 2 - 1) + [0]
    try decoder.append(half)
    try decoder.append(half)
    #expect(!decoder.wantsBytes)
    expectFailure(.limitExceeded) { try decoder.append([1]) }
  }

  @Test func `a byte at a time costs linear time`() throws {
    var decoder = FrameDecoder()
    let duration = try ContinuousClock().measure {
      for _ in 0..<300_000 { try decoder.append([1]) }
    }
    // A decoder that scanned old bytes again took minutes.
    #expect(duration < .seconds(5))
  }
}
