/// The identity of a folder. Another folder, disk or link at its path has another one.
public struct FolderIdentity: Sendable, Hashable, CustomStringConvertible {
  /// The identity that no folder has.
  public static let none = FolderIdentity(device: (0, 0), inode: 0, bornNanoseconds: 0)

  private let deviceMajor: UInt32
  private let deviceMinor: UInt32
  private let inode: UInt64
  private let bornNanoseconds: Int64

  /// - Parameters:
  ///   - device: the major and minor device number.
  ///   - bornNanoseconds: birth time since 1970 (`stx_btime` of statx); 0 if there is none.
  public init(device: (major: UInt32, minor: UInt32), inode: UInt64, bornNanoseconds: Int64) {
    (deviceMajor, deviceMinor) = device
    self.inode = inode
    self.bornNanoseconds = bornNanoseconds
  }

  /// The text form: four numbers with colons between them.
  public var description: String { "\(deviceMajor):\(deviceMinor):\(inode):\(bornNanoseconds)" }

  /// Parses the text form, in which plugin programs receive it.
  /// - Returns: nil for any other text.
  public init?(_ text: String) {
    let numbers = text.split(separator: ":", omittingEmptySubsequences: false)
    guard numbers.count == 4, let major = UInt32(numbers[0]), let minor = UInt32(numbers[1]),
      let inode = UInt64(numbers[2]),
      let born = Int64(numbers[3])
    else { return nil }
    self.init(device: (major, minor), inode: inode, bornNanoseconds: born)
  }
}
