/// Changes that clean a file in place: ascending, disjoint, inside the file. No byte moves.
package struct CleaningPlan: Sendable, Equatable {
  package struct Edit: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
      case fill(UInt8, count: Int)
      case bytes([UInt8])
    }

    package let offset: Int
    package let content: Content

    package init(offset: Int, _ content: Content) {
      self.offset = offset
      self.content = content
    }

    package var count: Int {
      switch content {
      case .fill(_, let count): count
      case .bytes(let bytes): bytes.count
      }
    }
  }

  /// The greatest number of edits: one for each sample of a long film's data track.
  package static let editLimit = 262_144
  /// The greatest number of literal bytes in all edits together.
  package static let literalLimitBytes = 2 << 20

  package let edits: [Edit]

  /// Checks the edits; nil if they break a rule of a plan.
  package init?(_ edits: [Edit], byteCount: Int) {
    guard edits.count <= Self.editLimit else { return nil }
    var end = 0
    var literals = 0
    for edit in edits {
      guard edit.offset >= end, edit.count > 0, edit.offset <= byteCount, edit.count <= byteCount - edit.offset
      else { return nil }
      end = edit.offset + edit.count
      if case .bytes(let bytes) = edit.content { literals += bytes.count }
    }
    guard literals <= Self.literalLimitBytes else { return nil }
    self.edits = edits
  }

  private static let pieceBytes = 65_536

  /// Passes every change to `write`, in ascending order and in pieces of at most 64 KiB.
  package func apply<Failure: Error>(
    _ write: (_ offset: Int, _ bytes: UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    for edit in edits {
      var done = 0
      while done < edit.count {
        let count = min(Self.pieceBytes, edit.count - done)
        let piece: [UInt8] =
          switch edit.content {
          case .fill(let byte, _): Array(repeating: byte, count: count)
          case .bytes(let bytes): Array(bytes[done..<(done + count)])
          }
        var failure: Failure?
        piece.withUnsafeBytes { bytes in
          do throws(Failure) { try write(edit.offset + done, bytes) } catch { failure = error }
        }
        if let failure { throw failure }
        done += count
      }
    }
  }
}
