/// Which folder something is, wherever it lies: another one that is put in its place, as a folder,
/// a disk or a link, is another one.
public struct FolderIdentity: Sendable, Hashable, CustomStringConvertible {
  /// Of no folder.
  public static let none = FolderIdentity(device: (0, 0), inode: 0, bornNanoseconds: 0)

  private let deviceMajor: UInt32
  private let deviceMinor: UInt32
  private let inode: UInt64
  private let bornNanoseconds: Int64

  /// - Parameters:
  ///   - device: Its major and its minor number.
  ///   - bornNanoseconds: When it was made, since 1970; 0 where the file system does not say (`stx_btime` of statx).
  public init(device: (major: UInt32, minor: UInt32), inode: UInt64, bornNanoseconds: Int64) {
    (deviceMajor, deviceMinor) = device
    self.inode = inode
    self.bornNanoseconds = bornNanoseconds
  }

  /// The text from which it is made.
  public var description: String { "\(deviceMajor):\(deviceMinor):\(inode):\(bornNanoseconds)" }

  /// From the text in which programs of other languages are told it: these numbers, with colons between.
  /// - Returns: Nil for any other text.
  public init?(_ text: String) {
    let numbers = text.split(separator: ":", omittingEmptySubsequences: false)
    guard numbers.count == 4, let major = UInt32(numbers[0]), let minor = UInt32(numbers[1]),
      let inode = UInt64(numbers[2]),
      let born = Int64(numbers[3])
    else { return nil }
    self.init(device: (major, minor), inode: inode, bornNanoseconds: born)
  }
}
