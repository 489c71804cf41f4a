import Limits

/// Bytes of each user's unfinished uploads.
struct UploadQuota {
  private var uploaded: [UInt32: Int] = [:]

  /// Counts bytes of uploads for a user; false if they would exceed `uploadBytesPerUser`.
  mutating func reserve(_ count: Int, for uid: UInt32) -> Bool {
    guard uploaded[uid, default: 0] + count <= ServiceLimits.uploadBytesPerUser else { return false }
    uploaded[uid, default: 0] += count
    return true
  }

  mutating func release(_ count: Int, of uid: UInt32) {
    guard let held = uploaded[uid] else { return }
    uploaded[uid] = held > count ? held - count : nil
  }
}
